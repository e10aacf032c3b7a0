//go:build linux || darwin

package durable

import "syscall"

// Free returns the space that this process may use on the disk of a folder, and the size
// of that disk, in bytes. The error is [errors.ErrUnsupported] where it is unknown.
func Free(dir string) (free, total int64, err error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return 0, 0, err
	}
	size := int64(s.Bsize) //nolint:unconvert // other systems have other types
	return int64(s.Bavail) * size, int64(s.Blocks) * size, nil
}
