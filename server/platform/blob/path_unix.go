//go:build !windows

package blob

// fileURLPath returns the folder that the path of a file URL names.
func fileURLPath(p string) string { return p }
