//go:build !linux

package pgdb

import (
	"syscall"
	"time"
)

// sendWithin returns nothing: this system has no such limit, and keep-alive must do.
func sendWithin(time.Duration) func(network, address string, c syscall.RawConn) error { return nil }
