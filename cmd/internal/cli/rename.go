package cli

import (
	"errors"
	"os"
	"runtime"
	"syscall"
	"time"
)

// Errors of Windows (winerror.h).
const (
	accessDenied     = syscall.Errno(5)
	sharingViolation = syscall.Errno(32)
	lockViolation    = syscall.Errno(33)
)

// InUse reports whether err says that another program has the file open in a way that excludes this one. That happens on
// Windows alone: while a document scanner writes a file, or a virus scanner reads it.
func InUse(err error) bool {
	return runtime.GOOS == "windows" && (errors.Is(err, sharingViolation) || errors.Is(err, lockViolation))
}

// Rename is [os.Rename]. On Windows it waits up to a second for a program that has one of the files open: virus scanners and
// indexers open each new file for a moment.
func Rename(from, to string) error {
	for wait := time.Millisecond; ; wait *= 2 {
		err := os.Rename(from, to)
		// The error for a file to replace is that of a missing permission.
		if !InUse(err) && (runtime.GOOS != "windows" || !errors.Is(err, accessDenied)) || wait > time.Second/2 {
			return err
		}
		time.Sleep(wait)
	}
}
