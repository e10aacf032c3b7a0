//go:build linux || darwin

package ballast

import "syscall"

// freeBytes is the room that this process may use on the disk of a folder.
func freeBytes(dir string) (int64, error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return 0, err
	}
	return int64(s.Bavail) * int64(s.Bsize), nil //nolint:unconvert // other systems have other types
}
