package main

import (
	"os"
	"os/exec"
	"runtime"
)

// workVariable is set for a process that "serve" starts for background work which may end its
// process. It has the flags of "serve".
const workVariable = "TCODE_WORK"

// isWork reports whether this process is one of those.
func isWork() bool { return os.Getenv(workVariable) != "" }

// workProcess returns the command of such a process.
func workProcess() *exec.Cmd {
	cmd := exec.Command(os.Args[0], os.Args[1:]...)
	if runtime.GOOS == "linux" {
		cmd.Path = "/proc/self/exe" // this very program, also after an upgrade has replaced its file
	} else if path, err := os.Executable(); err == nil {
		cmd.Path = path
	}
	cmd.Err = nil // of the search for Args[0]
	cmd.Env = append(os.Environ(), workVariable+"=1")
	cmd.Stderr = os.Stderr
	return cmd
}
