//go:build unix

package main

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
)

// workerEnv marks a worker, whose file descriptors 3 and 4 are its pipes.
const workerEnv = "TCODE_SCAN_WORKER"

// inherit gives a worker the ends of its pipes.
func inherit(cmd *exec.Cmd, in, out *os.File) error {
	cmd.ExtraFiles = []*os.File{in, out}
	cmd.Env = append(cmd.Env, workerEnv+"=1")
	return nil
}

// inherited returns them in the worker; ok is false in other processes. Children do not get them.
func inherited() (in, out *os.File, ok bool) {
	if os.Getenv(workerEnv) == "" {
		return nil, nil, false
	}
	os.Unsetenv(workerEnv)
	syscall.CloseOnExec(3)
	syscall.CloseOnExec(4)
	return os.NewFile(3, "orders"), os.NewFile(4, "reports"), true
}

// wasKilled reports whether a process ended by SIGKILL.
func wasKilled(s *os.ProcessState) bool {
	w, ok := s.Sys().(syscall.WaitStatus)
	return ok && w.Signaled() && w.Signal() == syscall.SIGKILL
}

// outOfMemory returns a text that changes when the system kills a process for want of memory;
// "" if it does not tell.
func outOfMemory() string {
	text, _ := os.ReadFile("/proc/vmstat")
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "oom_kill ") {
			return line
		}
	}
	return ""
}
