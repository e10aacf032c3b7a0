//go:build !unix

package main

import "log/slog"

// checkLimits returns nil, because there are no such limits.
func checkLimits(*slog.Logger) error { return nil }
