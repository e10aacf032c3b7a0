package cli

import (
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// MayWrite refuses, as wrong use, a path of an existing file unless force is
// set, and a folder always. A device or a pipe may be written to, because it
// has no content to lose.
func MayWrite(path string, force bool) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.IsDir():
		return Usage("%s is a folder: name the file in it", path)
	case info.Mode().IsRegular() && !force:
		return Usage("%s exists already: choose another file, or overwrite it with --force", path)
	}
	return nil
}

// WriteFile writes a file with write. The file appears complete or not at all:
// an older file of that name stays until then, and is replaced only with force.
// WriteFile writes to a device or a pipe directly.
func WriteFile(path string, force bool, write func(io.Writer) error) (err error) {
	if err := MayWrite(path, force); err != nil {
		return err
	}
	var mode fs.FileMode // of the file to replace; zero: there is none
	if info, err := os.Stat(path); err == nil {
		if !info.Mode().IsRegular() {
			return writeThrough(path, write)
		}
		mode = info.Mode().Perm()
		if path, err = filepath.EvalSymlinks(path); err != nil {
			return err
		}
	}
	part := filepath.Join(filepath.Dir(path), ".tcode-"+rand.Text())
	defer func() {
		if err == nil {
			return
		}
		_ = os.Remove(part) // the file may not exist
		var at *fs.PathError
		if errors.As(err, &at) && at.Path == part {
			at.Path = path // the name that the caller gave
		}
	}()
	f, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	err = write(&called{f, path})
	if mode != 0 {
		err = errors.Join(err, f.Chmod(mode)) // no other users may read it than before
	}
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := MayWrite(path, force); err != nil { // another process may have made it meanwhile
		return err
	}
	return Rename(part, path)
}

// A called is a file whose errors have the name that the caller gave, instead
// of the temporary one.
type called struct {
	f    *os.File
	name string
}

func (c *called) Write(p []byte) (int, error) {
	n, err := c.f.Write(p)
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		err = &fs.PathError{Op: at.Op, Path: c.name, Err: at.Err}
	}
	return n, err
}

// writeThrough writes to a path that is not a regular file, such as /dev/stdout.
func writeThrough(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}
