//go:build unix

package phonetest

import (
	"os/exec"
	"syscall"
)

// ownGroup makes cmd the first process of a group, which its children join.
func ownGroup(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid = true
}

// killGroup kills the group that ownGroup made, unless it has ended.
func killGroup(first int) {
	_ = syscall.Kill(-first, syscall.SIGKILL)
}
