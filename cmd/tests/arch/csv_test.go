package arch_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestInertTables: every program lets offline/cell write its CSV files, so that spreadsheets read
// them as UTF-8, and compute nothing that a person or a device wrote.
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
		if within, _ := filepath.Rel(top, path); !strings.HasPrefix(filepath.ToSlash(within), "offline/cell/") {
			t.Errorf("%s writes a CSV file without cell.NewWriter", path)
		}
		return nil
	})
	if err != nil || writers != 1 {
		t.Errorf("%d files write CSV: %v", writers, err)
	}
}
