//go:build unix

package raster

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// ownedByUser returns an error unless the folder dir belongs to the user of this process and to no other.
func ownedByUser(dir string, info fs.FileInfo) error {
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		return fmt.Errorf("folder %s has mode %#o: other users must have no access, set it to 0700", dir, mode)
	}
	if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Geteuid() {
		return fmt.Errorf("folder %s belongs to user %d", dir, st.Uid)
	}
	return nil
}

// lock waits for the lock of the file name, which it creates. The lock ends with the process at the latest.
func lock(name string) (unlock func(), err error) {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
		if err != syscall.EINTR {
			break
		}
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("lock %s: %w", name, err)
	}
	return func() { f.Close() }, nil
}

// reserve returns n bytes of zeros that become resident when they are used.
func reserve(n int) ([]byte, error) {
	b, err := syscall.Mmap(-1, 0, n, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err == nil {
		inLargePages(b)
	}
	return b, err
}

// release releases memory from reserve.
func release(b []byte) { _ = syscall.Munmap(b) }
