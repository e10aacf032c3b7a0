//go:build !unix

package blob

import (
	"errors"
	"os"
)

// syncPath syncs files; folders cannot be opened for it here, and the file
// system's journal keeps their names.
func syncPath(path string) error {
	info, err := os.Stat(path)
	if err != nil || info.IsDir() {
		return err
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
