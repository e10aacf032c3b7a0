package durable

import (
	"errors"
	"os"
	"path/filepath"
	"time"
)

// scratchSuffix is the end of the names of folders of [Scratch]; fresh is the age up to
// which a folder's maker may not have locked it yet.
const (
	scratchSuffix = ".*.work"
	fresh         = time.Minute
)

// Scratch makes a folder next to path, for its owner only, for large unfinished files
// of path, and removes the folders of killed processes. The caller calls remove at the
// end.
func Scratch(path string) (dir string, remove func() error, err error) {
	sweepScratch(path)
	if dir, err = os.MkdirTemp(filepath.Dir(path), filepath.Base(path)+scratchSuffix); err != nil {
		return "", nil, err
	}
	unlock, err := LockDir(dir)
	if err != nil { // without locks, nothing is removed
		unlock = func() error { return nil }
	}
	return dir, func() error { return errors.Join(os.RemoveAll(dir), unlock()) }, nil
}

// sweepScratch removes folders of path whose makers have ended. The system
// releases the lock of a process that is killed.
func sweepScratch(path string) {
	dirs, _ := filepath.Glob(filepath.Join(filepath.Dir(path), filepath.Base(path)+scratchSuffix)) // none if the folder's name is a pattern
	for _, dir := range dirs {
		info, err := os.Lstat(dir)
		if err != nil || !info.IsDir() || time.Since(info.ModTime()) < fresh {
			continue
		}
		if unlock, err := LockDir(dir); err == nil {
			_ = errors.Join(os.RemoveAll(dir), unlock()) // the next sweep tries again
		}
	}
}
