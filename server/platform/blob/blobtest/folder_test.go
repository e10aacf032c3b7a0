package blobtest

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// TestFolder: a file system without attributes of users is passed over, and left empty.
func TestFolder(t *testing.T) {
	t.Parallel()
	missing, old, good := filepath.Join(t.TempDir(), "missing"), t.TempDir(), t.TempDir()
	try := func(path string) error {
		if strings.HasPrefix(path, old) {
			return syscall.EOPNOTSUPP // the answer of a folder in memory before Linux 6.6
		}
		return nil
	}
	dir, err := folderIn([]string{missing, old, good}, try)
	if err != nil || filepath.Dir(dir) != good {
		t.Errorf("folder %q, %v, want one in %s", dir, err, good)
	}
	if _, err := folderIn([]string{missing, old}, try); err == nil || !strings.Contains(err.Error(), missing) || !strings.Contains(err.Error(), old) {
		t.Errorf("no folder that can: %v", err)
	}
	if left, err := os.ReadDir(old); len(left) > 0 || err != nil {
		t.Errorf("left %v, %v", left, err)
	}
	// What is found here takes an attribute, for the real call.
	if dir := attributeFolder(t, os.TempDir(), "/var/tmp"); setAttribute(dir) != nil {
		t.Errorf("%s takes no attribute", dir)
	}
	if err := setAttribute(missing); err == nil && runtime.GOOS == "linux" {
		t.Error("an attribute was set on nothing")
	}
}
