package raster

import (
	"fmt"
	"io/fs"
	"os"
	"unsafe"

	"golang.org/x/sys/windows"
)

// ownedByUser accepts any folder: its access list is that of the user's profile.
func ownedByUser(string, fs.FileInfo) error { return nil }

// lock waits for the lock of the file name, which it creates. The lock ends with the process at the latest.
func lock(name string) (unlock func(), err error) {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK, 0, 1, 0, new(windows.Overlapped)); err != nil {
		f.Close()
		return nil, fmt.Errorf("lock %s: %w", name, err)
	}
	return func() { f.Close() }, nil
}

// reserve returns n bytes of zeros that become resident when they are used.
func reserve(n int) ([]byte, error) {
	at, err := windows.VirtualAlloc(0, uintptr(n), windows.MEM_RESERVE|windows.MEM_COMMIT, windows.PAGE_READWRITE)
	if err != nil {
		return nil, fmt.Errorf("reserve %d bytes: %w", n, err)
	}
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&at)), n), nil // the memory is not the garbage collector's, so it does not move
}

// wipe replaces b, which came from reserve, by zeros that are not resident. It returns false if it cannot.
func wipe(b []byte) bool {
	at := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	if windows.VirtualFree(at, uintptr(len(b)), windows.MEM_DECOMMIT) != nil {
		return false
	}
	again, err := windows.VirtualAlloc(at, uintptr(len(b)), windows.MEM_COMMIT, windows.PAGE_READWRITE)
	return err == nil && again == at
}

// release releases memory from reserve.
func release(b []byte) {
	_ = windows.VirtualFree(uintptr(unsafe.Pointer(unsafe.SliceData(b))), 0, windows.MEM_RELEASE)
}
