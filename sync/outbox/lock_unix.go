//go:build unix

package outbox

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// lock takes a lock of f's open file description without waiting, exclusive if
// alone is true and shared otherwise.
func lock(f *os.File, alone bool) error {
	how := unix.LOCK_SH
	if alone {
		how = unix.LOCK_EX
	}
	for {
		err := unix.Flock(int(f.Fd()), how|unix.LOCK_NB)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.EWOULDBLOCK):
			return ErrSyncing
		}
		return err
	}
}
