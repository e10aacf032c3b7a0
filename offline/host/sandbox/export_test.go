package sandbox

import (
	"errors"
	"os/exec"
	"runtime"
	"time"
)

var (
	ReadFrame  = readFrame
	WriteFrame = writeFrame
)

// KnowsCPUTime says that the system tells the processor time of a child.
const KnowsCPUTime = runtime.GOOS == "linux" || runtime.GOOS == "windows"

// MemoryScale is the factor of all limits of memory with the race detector.
const MemoryScale = memoryScale

// NewWaitClock returns the clock of a task on a system that does not tell it.
func NewWaitClock() *workClock { return newWorkClock(func() (time.Duration, bool) { return 0, false }) }

// Read returns the work so far.
func (k *workClock) Read() time.Duration { return k.read() }

// Wait marks the begin of a wait for the child.
func (k *workClock) Wait() (over func()) { return k.wait() }

// TryAll makes the attempts of Containment in this process.
func TryAll(dir string) map[string]error {
	found := map[string]error{}
	noteParent()
	for name, try := range attempts {
		found[name] = try(dir)
	}
	return found
}

// Dying makes the process of cmd a working child in the account of [LimitTogether]. Nothing says that it has ended before
// end is called.
func Dying(cmd *exec.Cmd) (end func() error) {
	w := &worker{cmd: cmd, dead: make(chan struct{})}
	stop := w.check(working, func(memory) {})
	return func() error {
		close(w.dead)
		stop()
		killGroup(cmd.Process)
		if err := cmd.Wait(); !wasKilled(cmd.ProcessState) {
			return errors.Join(errors.New("the process was not killed"), err)
		}
		return nil
	}
}

// SetCloseTime sets how long Close waits for running tasks. Call it before any task.
func (p *Pool) SetCloseTime(d time.Duration) { p.closeTime = d }
