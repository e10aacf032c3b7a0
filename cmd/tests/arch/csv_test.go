package arch_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestInertTables: every program that writes a CSV file lets offline/cell write its cells, so that
// no spreadsheet computes what a person or a device wrote. The gateway's files are written by it
// as a whole, so that spreadsheets read them as UTF-8.
func TestInertTables(t *testing.T) {
	t.Parallel()
	writers := 0
	err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && ignored[d.Name()] {
			return filepath.SkipDir
		}
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		source, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(source), "csv.NewWriter(") {
			return err
		}
		writers++
		switch within, _ := filepath.Rel(top, path); {
		case strings.HasPrefix(filepath.ToSlash(within), "offline/cell/"):
		case strings.HasPrefix(filepath.ToSlash(within), "server/"):
			t.Errorf("%s writes a CSV file without cell.NewWriter", path)
		case !strings.Contains(string(source), "cell.Row("):
			t.Errorf("%s writes a CSV file without cell.Row", path)
		}
		return nil
	})
	if err != nil || writers < 3 {
		t.Errorf("%d files write CSV: %v", writers, err)
	}
}
