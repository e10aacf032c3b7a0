package blob

import (
	"path/filepath"
	"strings"
)

// fileURLPath returns the folder that the path of a file URL names: /C:/x is C:\x.
func fileURLPath(p string) string { return filepath.FromSlash(strings.TrimPrefix(p, "/")) }
