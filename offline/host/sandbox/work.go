package sandbox

import (
	"sync"
	"time"

	"tcode/offline/host/cputime"
)

// CPUTime returns the processor time that the child has used for this task so far. Where the system does not tell that,
// it is the wall time that the task has waited for the child. It does not run backwards. Other goroutines may call it while
// the task runs. In the child it is 0.
func (c *Conn) CPUTime() time.Duration {
	if c.used == nil {
		return 0
	}
	return c.used()
}

// A workClock counts the work of a child for one task.
type workClock struct {
	process func() (time.Duration, bool) // processor time of the child since its start

	mu     sync.Mutex
	before time.Duration // of process, when the task began
	known  bool          // process has a value
	last   time.Duration
	waits  int // calls that wait for the child now: two, if it sends and takes at the same time
	since  time.Time
	waited time.Duration
}

func newWorkClock(process func() (time.Duration, bool)) *workClock {
	k := &workClock{process: process}
	k.before, k.known = process()
	return k
}

// read returns the work so far.
func (k *workClock) read() time.Duration {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.known {
		if k.waits > 0 {
			return k.waited + time.Since(k.since)
		}
		return k.waited
	}
	if now, ok := k.process(); ok { // not when the child has ended
		k.last = max(k.last, now-k.before)
	}
	return k.last
}

// stop ends the task: the clock keeps its value.
func (k *workClock) stop() {
	k.read()
	k.mu.Lock()
	defer k.mu.Unlock()
	k.process = func() (time.Duration, bool) { return 0, false }
}

// wait marks the begin of a wait for the child. The returned function marks its end.
func (k *workClock) wait() (over func()) {
	if k.known {
		return func() {}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.waits++; k.waits == 1 {
		k.since = time.Now()
	}
	return func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		if k.waits--; k.waits == 0 {
			k.waited += time.Since(k.since)
		}
	}
}

// cpuTime returns the processor time of the child since its start.
func (w *worker) cpuTime() (time.Duration, bool) {
	if !w.alive() {
		return 0, false // the process id may belong to another process by now
	}
	return cputime.Process(w.cmd.Process)
}
