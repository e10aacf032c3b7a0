//go:build !linux && !darwin && !windows

package sandbox

import (
	"os"
	"syscall"
)

func sysProcAttr() *syscall.SysProcAttr { return nil }

func killGroup(p *os.Process) { _ = p.Kill() }

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

func closeOnExec() {}

func memoryOf(*os.Process) memory { return memory{} }
