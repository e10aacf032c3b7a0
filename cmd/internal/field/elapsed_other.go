//go:build !linux

package field

import "time"

// uptime is the time since the program started by Go's monotonic clock, which
// counts sleep on Windows but not everywhere.
func uptime() time.Duration { return time.Since(started) }
