//go:build !unix && !windows

package durable

import "errors"

// LockDir has no lock on this system: the error is [errors.ErrUnsupported].
func LockDir(string) (unlock func() error, err error) { return nil, errors.ErrUnsupported }
