package raster

import "syscall"

// wipe replaces b, which came from reserve, by zeros that are not resident. It returns false if it cannot.
func wipe(b []byte) bool { return syscall.Madvise(b, syscall.MADV_DONTNEED) == nil }

// inLargePages requests pages of 2 MiB for b: a drawn page touches some megabytes, and a fault for each 4 KiB of them
// takes longer than the drawing. A failure does no harm.
func inLargePages(b []byte) { _ = syscall.Madvise(b, syscall.MADV_HUGEPAGE) }
