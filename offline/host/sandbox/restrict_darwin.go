package sandbox

import (
	"syscall"

	"golang.org/x/sys/unix"
)

func sysProcAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func dup2(from, to int) error { return unix.Dup2(from, to) }

// restrict sets the resource limits of the system. It does not limit the address space: some of these systems refuse
// the limit, others count the shared library cache.
func restrict(l limits) (string, error) {
	for _, r := range []struct {
		resource int
		value    uint64
	}{{syscall.RLIMIT_CPU, l.cpuSeconds}, {syscall.RLIMIT_CORE, 0}, {syscall.RLIMIT_FSIZE, 0}} {
		if err := setrlimit(r.resource, r.value); err != nil {
			return "", err
		}
	}
	return "rlimits", nil
}
