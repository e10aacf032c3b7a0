//go:build !windows

package cli

import "os"

// obeysEscapes reports whether the terminal f obeys escape sequences: all do.
func obeysEscapes(*os.File) bool { return true }
