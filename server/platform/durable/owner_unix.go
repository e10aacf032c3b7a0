//go:build unix

package durable

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// keepOwner gives f the owner, the group and the mode of the file at path, which it will
// replace. If there is no such file and this process runs as root, it gives f the owner
// and the group of the folder: a file that an administrator makes in the folder of a
// service must be readable to the service.
func keepOwner(f *os.File, path string) error {
	was, err := os.Stat(path)
	replaces := err == nil
	if errors.Is(err, fs.ErrNotExist) {
		if os.Geteuid() != 0 {
			return nil
		}
		was, err = os.Stat(filepath.Dir(path))
	}
	if err != nil {
		return err
	}
	is, err := f.Stat()
	if err != nil {
		return err
	}
	to, from := was.Sys().(*syscall.Stat_t), is.Sys().(*syscall.Stat_t)
	if to.Uid != from.Uid || to.Gid != from.Gid {
		err := f.Chown(int(to.Uid), int(to.Gid))
		// A member of another group may keep its own group: the owner matters.
		if err != nil && to.Uid != from.Uid {
			return fmt.Errorf("%s belongs to user %d, who must replace it: %w", path, to.Uid, err)
		}
	}
	if replaces && was.Mode().Perm() != is.Mode().Perm() {
		return f.Chmod(was.Mode().Perm())
	}
	return nil
}

// OthersWrite reports whether every user of this machine may write to a folder.
func OthersWrite(dir string) (bool, error) {
	info, err := os.Stat(dir)
	return err == nil && info.Mode().Perm()&0o002 != 0, err
}
