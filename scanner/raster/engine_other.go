//go:build !unix && !windows

package raster

import "io/fs"

// ownedByUser accepts any folder: its access list is that of the user's profile.
func ownedByUser(string, fs.FileInfo) error { return nil }

// lock does nothing: two children that start with an empty cache both compile, and one of the results stays.
func lock(string) (unlock func(), err error) { return func() {}, nil }

// reserve returns n bytes of zeros. The Go runtime requests fresh memory from the system, which becomes resident when
// it is used.
func reserve(n int) ([]byte, error) { return make([]byte, n), nil }

// release leaves the memory to the garbage collector.
func release([]byte) {}
