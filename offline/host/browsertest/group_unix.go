//go:build unix

package browsertest

import (
	"os/exec"
	"syscall"
)

// OwnGroup makes cmd the first process of a group, which its children join.
func OwnGroup(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid = true
}

// KillGroup kills the group that OwnGroup made of the process with this number, unless it has ended.
func KillGroup(first int) {
	_ = syscall.Kill(-first, syscall.SIGKILL)
}
