//go:build unix

package keyring

import (
	"io/fs"
	"os"
)

func modeTooWide(info fs.FileInfo) bool { return info.Mode().Perm()&0o077 != 0 }

// syncDir makes a new name in dir durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
