//go:build unix

package readers

import (
	"syscall"
	"time"
)

// processCPU returns the user and system time of this process, all threads.
func processCPU() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
