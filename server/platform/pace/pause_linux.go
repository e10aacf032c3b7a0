package pace

import (
	"syscall"
	"time"
)

// pause sleeps in the kernel, on the thread that works: [time.Sleep] takes 1 ms or
// more where nothing else wakes the process.
func pause(d time.Duration) {
	ts := syscall.NsecToTimespec(int64(d))
	_ = syscall.Nanosleep(&ts, nil) // a signal may end it early, which is as good
}
