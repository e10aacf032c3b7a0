//go:build !linux && !darwin

package sandbox

import (
	"os"
	"syscall"
)

func executable() (string, error) { return os.Executable() }

func sysProcAttr() *syscall.SysProcAttr { return nil }

func killGroup(p *os.Process) { _ = p.Kill() }

// run runs jobs. A child sees that its parent has ended when its stdin ends.
func (s *starter) run() {
	for {
		select {
		case job := <-s.jobs:
			job()
		case <-s.done:
			return
		}
	}
}

func widenPipe(*os.File) {}

func residentBytes(int) uint64 { return 0 }

func cpuSecondsUsed() uint64 { return 0 }

// wasKilled returns false, because these systems do not tell.
func wasKilled(*os.ProcessState) bool { return false }

// takeStdout returns stdout for the frames and makes Go code print to stderr.
func takeStdout() (*os.File, error) {
	frames := os.Stdout
	os.Stdout = os.Stderr
	return frames, nil
}

// restrict does nothing: on these systems a child is only a crash barrier with
// a deadline.
func restrict(limits) (string, error) { return "none", nil }
