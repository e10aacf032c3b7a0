package jobs

import "syscall"

// dieWithParent makes a work process end with its gateway, and keeps it from the signals of
// the gateway's terminal.
func dieWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
