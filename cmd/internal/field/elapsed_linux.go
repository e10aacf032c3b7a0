package field

import (
	"time"

	"golang.org/x/sys/unix"
)

// uptime is the time since this machine started, suspended time included:
// Go's own monotonic clock stands still while a handheld sleeps in a pocket.
func uptime() time.Duration {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &ts); err != nil {
		return time.Since(started)
	}
	return time.Duration(ts.Nano())
}
