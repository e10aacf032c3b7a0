package outbox

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// lock takes a lock of f's first byte without waiting, exclusive if alone is
// true and shared otherwise.
func lock(f *os.File, alone bool) error {
	flags := uint32(windows.LOCKFILE_FAIL_IMMEDIATELY)
	if alone {
		flags |= windows.LOCKFILE_EXCLUSIVE_LOCK
	}
	err := windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, new(windows.Overlapped))
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return ErrSyncing
	}
	return err
}
