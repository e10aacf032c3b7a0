//go:build !linux && !windows

package raster

// wipe returns false: other systems keep the contents of memory that is not needed for a while.
func wipe([]byte) bool { return false }

func inLargePages([]byte) {}
