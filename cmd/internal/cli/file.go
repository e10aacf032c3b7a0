package cli

import (
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// MayWrite refuses, as wrong use, a path at which a file is already unless force
// is given, and a folder in any case. A device or a pipe is no file that could be
// lost: it may be written to.
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
		return Usage("%s is there already: choose another file, or overwrite it with --force", path)
	}
	return nil
}

// WriteFile makes a file of what write writes. It is there in full or not at
// all: an older file of that name stays until then, and is only replaced with
// force. A device or a pipe is written to as it is.
func WriteFile(path string, force bool, write func(io.Writer) error) (err error) {
	if err := MayWrite(path, force); err != nil {
		return err
	}
	var mode fs.FileMode // of the file that is replaced; zero: there is none
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
		_ = os.Remove(part) // it may not even have been made
		var at *fs.PathError
		if errors.As(err, &at) && at.Path == part {
			at.Path = path // the name that was asked for
		}
	}()
	f, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	err = write(&called{f, path})
	if mode != 0 {
		err = errors.Join(err, f.Chmod(mode)) // no more people may read it than before
	}
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := MayWrite(path, force); err != nil { // somebody may have been faster
		return err
	}
	return os.Rename(part, path)
}

// called is a file whose errors have the name that was asked for, instead of
// the one that it has until it is whole.
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

// writeThrough writes to what is no regular file, such as /dev/stdout.
func writeThrough(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}
