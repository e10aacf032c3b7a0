package scanner_test

import (
	"os"
	"path/filepath"
	"testing"
)

// corpusDir returns the folder of pictures that others made, or skips.
func corpusDir(tb testing.TB) string {
	tb.Helper()
	dir := os.Getenv("TCODE_CORPUS")
	if dir == "" {
		dir = filepath.Join("..", "..", "shared", "corpus")
	}
	if _, err := os.Stat(dir); err != nil {
		if os.Getenv("CI") == "true" {
			tb.Fatalf("no corpus at %s: set TCODE_CORPUS", dir)
		}
		tb.Skipf("no corpus at %s: set TCODE_CORPUS", dir)
	}
	return dir
}
