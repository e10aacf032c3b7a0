// Package durable puts small files in place so that they exist, complete, after a power
// cut, and belong to the user that reads them. Call [WriteFile].
//
//	WriteFile: a second file, synced ─▶ renamed ─▶ SyncDir: the name, too
package durable

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// WriteFile makes path hold data. A new file is for its owner only (mode 0600); a replaced
// file keeps its owner, group and mode, and a symbolic link remains one ([Target]). A
// reader finds the old contents or all of data, also after a power cut. Several processes
// may write the same path; one of them wins.
func WriteFile(path string, data []byte) (err error) {
	if path, err = Target(path); err != nil {
		return err
	}
	Sweep(path)
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+partSuffix) // mode 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	return Replace(f, data, path)
}

// Target returns the file that must be replaced to change path: path itself, or the file
// to which a symbolic link at path leads. The link then remains as its maker made it. A
// link that leads nowhere is an error.
func Target(path string) (string, error) {
	info, err := os.Lstat(path)
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return path, nil // other errors occur again when the file is written
	}
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", fmt.Errorf("%s is a symbolic link that leads to no file: %w", path, err)
	}
	return target, nil
}

// Replace writes data to f, a new file in the folder of path, and moves it to path, as
// [WriteFile] does. It closes f. After an error the file may still exist under its own
// name.
func Replace(f *os.File, data []byte, path string) error {
	if err := Fill(f, data, path); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	return SyncDir(filepath.Dir(path))
}

// Fill writes data to f, with the owner and mode for a file at path, makes it durable and
// closes it.
func Fill(f *os.File, data []byte, path string) error {
	err := keepOwner(f, path)
	if err == nil {
		_, err = f.Write(data)
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// ErrLocked means that another process has the lock of a folder.
var ErrLocked = errors.New("another process has locked the folder")

// partSuffix is the end of the names of unfinished files; a part older than stale is no
// longer written.
const (
	partSuffix = ".*.part"
	stale      = time.Hour
)

// Sweep removes the parts of path, files named path.*.part, that killed processes left
// there an hour ago or earlier.
func Sweep(path string) {
	parts, _ := filepath.Glob(filepath.Join(filepath.Dir(path), filepath.Base(path)+partSuffix)) // none if the folder's name is a pattern
	for _, part := range parts {
		if info, err := os.Stat(part); err == nil && time.Since(info.ModTime()) > stale {
			_ = os.Remove(part) // the next Sweep tries again
		}
	}
}
