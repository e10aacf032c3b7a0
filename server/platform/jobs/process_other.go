//go:build !linux

package jobs

import "syscall"

// dieWithParent does nothing here: a work process ends when its input does.
func dieWithParent() *syscall.SysProcAttr { return nil }
