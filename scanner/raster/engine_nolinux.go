//go:build !linux

package raster

// wipe cannot: other systems keep the contents of memory that is not needed for a while.
func wipe([]byte) bool { return false }

func inLargePages([]byte) {}
