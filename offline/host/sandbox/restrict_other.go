//go:build !linux && !darwin

package sandbox

import (
	"os"
	"syscall"
)

func sysProcAttr() *syscall.SysProcAttr { return nil }

func killGroup(p *os.Process) { _ = p.Kill() }

func cpuSecondsUsed() uint64 { return 0 }

// wasKilled cannot tell here.
func wasKilled(*os.ProcessState) bool { return false }

// takeStdout returns stdout for the frames and lets what Go code prints go to stderr.
func takeStdout() (*os.File, error) {
	frames := os.Stdout
	os.Stdout = os.Stderr
	return frames, nil
}

// restrict has nothing to restrict with: here a child is only a crash barrier with a deadline.
func restrict(limits) (string, error) { return "none", nil }
