//go:build unix

package durable_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"tcode/server/platform/durable"
)

// TestScratch: making a folder removes one whose maker was killed, also that of another path, and
// keeps one in use, however old it is.
func TestScratch(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "nightly.tar")
	old := time.Now().Add(-48 * time.Hour)
	left := filepath.Join(filepath.Dir(path), "monday.tar.123.tcode-work")
	fresh, other := path+".of-another.tcode-work", filepath.Join(filepath.Dir(path), "own.work")
	used, remove, err := durable.Scratch(path)
	for _, dir := range []string{used, left, fresh, other} {
		if err == nil {
			err = os.MkdirAll(dir, 0o700)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, "database"), []byte("rows"), 0o600)
		}
		if err == nil && dir != fresh { // that one is new, and its maker may still lock it
			err = os.Chtimes(dir, old, old)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	again, removeAgain, err := durable.Scratch(path)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(again); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("mode %v, %v; want 0700", info.Mode(), err)
	}
	for dir, gone := range map[string]bool{left: true, used: false, fresh: false, other: false} {
		if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) != gone {
			t.Errorf("%s: %v, want gone: %v", dir, err, gone)
		}
	}
	if err := errors.Join(remove(), removeAgain()); err != nil {
		t.Error(err)
	}
	for _, dir := range []string{used, again} {
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v, want it removed", dir, err)
		}
	}
}
