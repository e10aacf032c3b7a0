package raster

import "syscall"

// wipe makes b, which came from reserve, zeros that are not resident. False: it cannot.
func wipe(b []byte) bool { return syscall.Madvise(b, syscall.MADV_DONTNEED) == nil }

// inLargePages asks for b in pages of 2 MiB: a drawn page touches some megabytes, and a fault for each 4 KiB of them takes
// longer than to draw it. The advice needs no success.
func inLargePages(b []byte) { _ = syscall.Madvise(b, syscall.MADV_HUGEPAGE) }
