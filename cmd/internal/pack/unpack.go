package pack

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Unpack writes the entries as files and folders into an existing folder. No
// file of theirs may exist.
func Unpack(into string, entries []Entry) error {
	all, err := Complete(entries)
	if err != nil {
		return err
	}
	for _, e := range all {
		if err := e.unpack(filepath.Join(into, filepath.FromSlash(e.Name))); err != nil {
			return err
		}
	}
	return nil
}

func (e Entry) unpack(at string) error {
	switch {
	case e.Link != "":
		return os.Symlink(e.Link, at)
	case e.Mode.IsDir():
		if err := os.Mkdir(at, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		return os.Chmod(at, e.Mode) // whatever the umask
	}
	f, err := os.OpenFile(at, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = e.copyTo(f)
	return errors.Join(err, f.Chmod(e.Mode), f.Close())
}
