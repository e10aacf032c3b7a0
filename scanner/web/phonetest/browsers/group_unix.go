//go:build unix

package browsers

import (
	"os/exec"
	"syscall"
)

// ownGroup makes cmd the first process of a group, which its children join.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup kills the group that ownGroup made, unless it has ended.
func killGroup(first int) { _ = syscall.Kill(-first, syscall.SIGKILL) }
