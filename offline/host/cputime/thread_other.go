//go:build !linux && !darwin && !freebsd && !windows

package cputime

import "time"

// Thread returns the processor time of the calling thread since its start. The caller must hold [runtime.LockOSThread], or else
// two calls may be about two threads. On systems without such a clock it returns the wall time since an unnamed start.
func Thread() time.Duration { return wall() }
