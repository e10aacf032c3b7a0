//go:build unix

package durable

import (
	"errors"
	"os"
	"syscall"
)

// LockDir takes the lock of a folder. unlock ends the lock, and so does the end of the process, in whatever
// way. LockDir writes nothing. The error is [ErrLocked] if another process has the lock or has just moved the
// folder away, and [errors.ErrUnsupported] if the file system has no locks.
func LockDir(dir string) (unlock func() error, err error) {
	d, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	for {
		err = syscall.Flock(int(d.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			if is, err := d.Stat(); err == nil {
				if named, err := os.Stat(dir); err == nil && os.SameFile(is, named) {
					return d.Close, nil
				}
			}
			err = ErrLocked // by the process that moved or removed it
		case errors.Is(err, syscall.EINTR):
			continue
		case errors.Is(err, syscall.EWOULDBLOCK):
			err = ErrLocked
		default: // a network file system that does not lock files open for reading
			err = errors.Join(errors.ErrUnsupported, err)
		}
		return nil, errors.Join(err, d.Close())
	}
}
