//go:build !unix

package keyring

import "io/fs"

// modeTooWide is always false on this system, which has no mode bits.
func modeTooWide(fs.FileInfo) bool { return false }
