package pace

import (
	"syscall"
	"time"
)

// pause sleeps in the kernel, on the present thread: [time.Sleep] takes 1 ms or more if
// nothing else wakes the process.
func pause(d time.Duration) {
	ts := syscall.NsecToTimespec(int64(d))
	_ = syscall.Nanosleep(&ts, nil) // a signal may end it early, which does no harm
}
