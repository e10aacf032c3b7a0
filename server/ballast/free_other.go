//go:build !linux && !darwin

package ballast

import "errors"

func freeBytes(string) (int64, error) { return 0, errors.ErrUnsupported }
