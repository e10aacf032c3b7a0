package durable

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// scratchSuffix is the end of the names of folders of [Scratch]; fresh is the age up to
// which a folder's maker may not have locked it yet.
const (
	scratchSuffix = ".tcode-work"
	fresh         = time.Minute
)

// Scratch makes a folder next to path, for its owner only, for large unfinished files
// of path, and removes those that killed processes left there, whatever their path was. The
// caller calls remove at the end.
func Scratch(path string) (dir string, remove func() error, err error) {
	sweepScratch(filepath.Dir(path))
	if dir, err = os.MkdirTemp(filepath.Dir(path), filepath.Base(path)+".*"+scratchSuffix); err != nil {
		return "", nil, err
	}
	unlock, err := LockDir(dir)
	if err != nil { // without locks, nothing is removed
		unlock = func() error { return nil }
	}
	return dir, func() error { return errors.Join(os.RemoveAll(dir), unlock()) }, nil
}

// sweepScratch removes such folders in parent whose makers have ended. The system
// releases the lock of a process that is killed.
func sweepScratch(parent string) {
	entries, _ := os.ReadDir(parent) // MkdirTemp says what is wrong with it
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), scratchSuffix) {
			continue
		}
		dir := filepath.Join(parent, e.Name())
		info, err := e.Info()
		if err != nil || !info.IsDir() || time.Since(info.ModTime()) < fresh {
			continue
		}
		if unlock, err := LockDir(dir); err == nil {
			_ = errors.Join(os.RemoveAll(dir), unlock()) // the next sweep tries again
		}
	}
}
