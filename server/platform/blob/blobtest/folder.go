package blobtest

import (
	"errors"
	"fmt"
	"os"
	"testing"
)

// attributeFolder returns a new folder in which files can have attributes of users. A folder
// in memory cannot before Linux 6.6, so there is one on a disk after it.
func attributeFolder(t testing.TB, parents ...string) string {
	t.Helper()
	dir, err := folderIn(parents, setAttribute)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// folderIn makes a folder in the first of parents in which try sets an attribute. It leaves
// nothing in the others.
func folderIn(parents []string, try func(path string) error) (string, error) {
	var why error
	for _, parent := range parents {
		dir, err := os.MkdirTemp(parent, "blobtest-*")
		if err == nil {
			if err = try(dir); err == nil {
				return dir, nil
			}
			err = errors.Join(err, os.Remove(dir))
		}
		why = errors.Join(why, fmt.Errorf("%s: %w", parent, err))
	}
	return "", fmt.Errorf("no folder for files with attributes of users: %w", why)
}
