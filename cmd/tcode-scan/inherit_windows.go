package main

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/windows"
)

// workerEnv marks a worker, and has the handles of its pipes.
const workerEnv = "TCODE_SCAN_WORKER"

// inherit gives a worker the ends of its pipes.
func inherit(cmd *exec.Cmd, in, out *os.File) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{}
	for _, f := range []*os.File{in, out} {
		h := f.Fd()
		if err := windows.SetHandleInformation(windows.Handle(h), windows.HANDLE_FLAG_INHERIT, windows.HANDLE_FLAG_INHERIT); err != nil {
			return err
		}
		cmd.SysProcAttr.AdditionalInheritedHandles = append(cmd.SysProcAttr.AdditionalInheritedHandles, syscall.Handle(h))
	}
	cmd.Env = append(cmd.Env, fmt.Sprintf("%s=%d,%d", workerEnv, in.Fd(), out.Fd()))
	return nil
}

// inherited returns them in the worker; ok is false in other processes. Children do not get them.
func inherited() (in, out *os.File, ok bool) {
	var ends [2]uintptr
	if _, err := fmt.Sscanf(os.Getenv(workerEnv), "%d,%d", &ends[0], &ends[1]); err != nil {
		return nil, nil, false
	}
	os.Unsetenv(workerEnv)
	for _, h := range ends {
		_ = windows.SetHandleInformation(windows.Handle(h), windows.HANDLE_FLAG_INHERIT, 0) // package os lists what a child inherits
	}
	return os.NewFile(ends[0], "orders"), os.NewFile(ends[1], "reports"), true
}

// wasKilled returns false: Windows does not tell who ended a process.
func wasKilled(*os.ProcessState) bool { return false }

func outOfMemory() string { return "" }
