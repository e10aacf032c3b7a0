//go:build unix

package durable

import (
	"errors"
	"os"
	"syscall"
)

// lockFile takes the lock of f without waiting. The error is [ErrLocked] if another process has it.
func lockFile(f *os.File) error {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, syscall.EINTR):
			continue
		case errors.Is(err, syscall.EWOULDBLOCK):
			return ErrLocked
		}
		return errors.Join(errors.ErrUnsupported, err)
	}
}
