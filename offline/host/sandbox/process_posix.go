//go:build linux || darwin

package sandbox

import (
	"os"
	"strconv"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// killGroup ends p and every process that it started: it leads its own process group.
func killGroup(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }

// wasKilled reports whether a process ended by SIGKILL. The kernel kills a child that way if its CPU time is used up,
// which the caller checks first, or if memory is short.
func wasKilled(st *os.ProcessState) bool {
	s, ok := st.Sys().(syscall.WaitStatus)
	return ok && s.Signaled() && s.Signal() == syscall.SIGKILL
}

// takeStdout returns a private copy of stdout and makes file descriptor 1 point to stderr, so that a C library that
// prints cannot corrupt the frames.
func takeStdout() (*os.File, error) {
	fd, err := unix.FcntlInt(1, unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, err
	}
	if err := dup2(2, 1); err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), "frames"), nil
}

// cpuSecondsUsed returns the CPU time of this process so far.
func cpuSecondsUsed() uint64 {
	var ru unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &ru) != nil {
		return 0
	}
	return uint64(ru.Utime.Sec) + uint64(ru.Stime.Sec)
}

// setrlimit sets the soft and the hard limit.
func setrlimit(resource int, value uint64) error {
	lim := syscall.Rlimit{Cur: value, Max: value}
	var now syscall.Rlimit
	if syscall.Getrlimit(resource, &now) == nil && now.Max < value { // only root may raise
		lim = syscall.Rlimit{Cur: now.Max, Max: now.Max}
	}
	return syscall.Setrlimit(resource, &lim)
}

// closeOnExec keeps from all children what this process itself has inherited open, for example from a shell: package os
// marks only the files that it opens.
var closeOnExec = sync.OnceFunc(func() {
	names, _ := os.ReadDir("/dev/fd") // without it, nothing is known
	for _, n := range names {
		fd, err := strconv.Atoi(n.Name())
		if err != nil || fd <= 2 {
			continue
		}
		if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err == nil {
			_, _ = unix.FcntlInt(uintptr(fd), unix.F_SETFD, flags|unix.FD_CLOEXEC)
		}
	}
})
