package durable

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/windows"
)

// LockDir takes the lock of a folder. unlock ends the lock, and so does the end of the process, in whatever way. LockDir
// writes nothing. The error is [ErrLocked] if another process has the lock or has just moved the folder away. It does not
// see processes of other machines.
//
// The lock is a kernel object with the identity of the folder in its name: it exists as long as a handle to it is open.
func LockDir(dir string) (unlock func() error, err error) {
	id, err := identity(dir)
	if err != nil {
		return nil, err
	}
	name, err := windows.UTF16PtrFromString(`Global\tcode-folder-` + id)
	if err != nil {
		return nil, err
	}
	lock, err := windows.CreateEvent(nil, 1, 0, name)
	if lock == 0 {
		if errors.Is(err, windows.ERROR_ACCESS_DENIED) { // it is another user's
			err = ErrLocked
		}
		return nil, err
	}
	unlock = func() error { return windows.CloseHandle(lock) }
	if errors.Is(err, windows.ERROR_ALREADY_EXISTS) {
		return nil, errors.Join(ErrLocked, unlock())
	}
	if err == nil {
		var now string
		if now, err = identity(dir); err == nil && now != id {
			err = ErrLocked // by the process that moved it
		}
	}
	if err != nil {
		return nil, errors.Join(err, unlock())
	}
	return unlock, nil
}

// identity returns the numbers of a folder that a new name does not change: volume and file.
func identity(dir string) (string, error) {
	d, err := os.Open(dir)
	if err != nil {
		return "", err
	}
	var info windows.ByHandleFileInformation
	if err := errors.Join(windows.GetFileInformationByHandle(windows.Handle(d.Fd()), &info), d.Close()); err != nil {
		return "", fmt.Errorf("identify folder %s: %w", dir, err)
	}
	return fmt.Sprintf("%08x-%08x%08x", info.VolumeSerialNumber, info.FileIndexHigh, info.FileIndexLow), nil
}
