package main

import (
	"testing"

	"tcode/cmd/internal/manual/manualtest"
)

// TestManual: the manual page and the completion scripts have every command and every flag.
func TestManual(t *testing.T) {
	t.Parallel()
	manualtest.Check(t, "tcode", description, &grammar{})
}
