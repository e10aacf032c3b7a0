//go:build unix

package keyring

import "io/fs"

func modeTooWide(info fs.FileInfo) bool { return info.Mode().Perm()&0o077 != 0 }
