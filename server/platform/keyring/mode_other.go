//go:build !unix

package keyring

import "io/fs"

// modeTooWide is always false where access is not told by mode bits.
func modeTooWide(fs.FileInfo) bool { return false }
