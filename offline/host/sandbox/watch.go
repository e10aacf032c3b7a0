package sandbox

import (
	"time"

	"tcode/offline/contain"
)

// watchEvery is how often the parent checks the resident memory of a working child. A child that touches 1 GB/s exceeds
// its limit by 10 MB before the parent sees it; its address space limit applies all the time.
const watchEvery = 10 * time.Millisecond

// idleShare divides the memory limit of a child: it may keep that part between two tasks, in memory of its own. Pages of
// the program's file, up to 70 MiB, belong to all its processes.
const idleShare = 4

// watch kills the working child when its resident memory exceeds the limit. The returned function stops that, and marks a
// child that keeps much memory as not reusable.
func (w *worker) watch(p phase) (stop func()) {
	end := w.check(p, func(m memory) {
		switch {
		case m.resident() > w.cfg.MemoryBytes:
			w.kill(ErrMemory)
		case !kernelCountsCPU && w.overCPU():
			w.kill(ErrTimeout)
		}
	})
	return func() {
		end()
		if m, _ := w.note(idle); m.own > w.cfg.MemoryBytes/idleShare {
			w.worn = true
		}
	}
}

// check measures the child in phase p every watchEvery until the returned function is called.
func (w *worker) check(p phase, then func(memory)) (stop func()) {
	over, done := make(chan struct{}), make(chan struct{})
	contain.StartThen("child-watch", func() error {
		tick := time.NewTicker(watchEvery)
		defer tick.Stop()
		for {
			select {
			case <-over:
				return nil
			case <-w.dead:
				return nil
			case <-tick.C:
			}
			err := contain.Do("child-measure", func() error {
				if m, ok := w.note(p); ok {
					then(m)
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
	}, func(err error) {
		if err != nil {
			w.kill(ErrCrashed) // a child that is not measured has no limit
		}
		close(done)
	})
	return func() {
		close(over)
		<-done
	}
}

// cpuSpent reports whether the CPU time limit may have ended the child. Rounding loses half a second.
func (w *worker) cpuSpent() bool {
	st := w.cmd.ProcessState
	return st.UserTime()+st.SystemTime() > time.Duration(w.cfg.CPUSeconds)*time.Second-500*time.Millisecond
}

// overCPU reports whether the child has used more CPU time than it may.
func (w *worker) overCPU() bool {
	used, ok := w.cpuTime()
	return ok && used > time.Duration(w.cfg.CPUSeconds)*time.Second
}
