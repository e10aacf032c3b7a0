//go:build linux || darwin || freebsd

package cputime

import (
	"time"

	"golang.org/x/sys/unix"
)

// Thread returns the processor time of the calling thread since its start. The caller must hold [runtime.LockOSThread], or else
// two calls may be about two threads. On systems without such a clock it returns the wall time since an unnamed start.
func Thread() time.Duration {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t) != nil {
		return wall()
	}
	return time.Duration(t.Nano())
}
