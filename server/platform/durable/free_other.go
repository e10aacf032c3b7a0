//go:build !linux && !darwin

package durable

import "errors"

// Free returns an error: this system does not report free space.
func Free(string) (free, total int64, err error) { return 0, 0, errors.ErrUnsupported }
