//go:build !unix && !windows

package durable

import (
	"errors"
	"os"
)

// lockFile has no lock on this system.
func lockFile(*os.File) error { return errors.ErrUnsupported }
