// Package memory ends a process whose memory grows without end, before the machine ends another
// one for it, such as the database. Call [Watch].
package memory

import (
	"context"
	"runtime/metrics"
	"time"
)

// every is the time between two looks: an endless loop allocates some hundred MiB in it.
const every = 100 * time.Millisecond

// Used returns the memory of the Go runtime of this process in bytes, without that which it
// returned to the system, and without that of child processes and of libraries in C.
func Used() uint64 {
	s := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64() - s[1].Value.Uint64()
}

// Default returns three quarters of the memory that this process can have, in bytes: that of its
// control group or of the machine. 0: the system does not tell.
func Default() uint64 { return available() / 4 * 3 }

// Watch calls exceeded once, with the memory in bytes, when the process uses more than limit
// bytes, and returns then, or when ctx ends. A limit of 0 is none: it returns immediately.
func Watch(ctx context.Context, limit uint64, exceeded func(used uint64)) {
	if limit == 0 {
		return
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if used := Used(); used > limit {
			exceeded(used)
			return
		}
	}
}
