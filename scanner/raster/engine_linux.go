package raster

import "syscall"

// wipe makes b, which came from reserve, zeros that are not resident. False: it cannot.
func wipe(b []byte) bool { return syscall.Madvise(b, syscall.MADV_DONTNEED) == nil }
