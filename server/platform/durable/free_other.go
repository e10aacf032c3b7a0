//go:build !linux && !darwin

package durable

import "errors"

// Free is not known here.
func Free(string) (free, total int64, err error) { return 0, 0, errors.ErrUnsupported }
