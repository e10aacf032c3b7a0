package sandbox

import (
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// sysProcAttr makes the child lead a session of its own, without a terminal whose keys it could read or write.
func sysProcAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

func dup2(from, to int) error { return unix.Dup2(from, to) }

// noFiles is the file descriptor limit: stdio, frames, and those of the Go runtime.
const noFiles = 16

// restrict sets the resource limits of the system: processor time, no core, no data in files, few descriptors, no new
// process. It does not limit the address space: some versions refuse the limit, others count the shared library cache. The
// parent watches the resident memory instead. The sandbox of macOS is reached by C code or by a profile language whose
// maker has declared it obsolete, so a child may still read files and use the network ([Containment]).
func restrict(l limits) (string, error) {
	for _, r := range []struct {
		resource int
		value    uint64
	}{
		{unix.RLIMIT_CPU, l.cpuSeconds},
		{unix.RLIMIT_CORE, 0},
		{unix.RLIMIT_FSIZE, 0},
		{unix.RLIMIT_NOFILE, noFiles},
		{unix.RLIMIT_NPROC, 0}, // for root it has no effect
	} {
		if err := setrlimit(r.resource, r.value); err != nil {
			return "", err
		}
	}
	return "rlimits session", nil
}

// memoryOf returns the memory use of a process, zero if it is not known. It asks as libproc does (proc_info.h).
func memoryOf(p *os.Process) memory {
	const pidInfo, taskInfo = 2, 4 // PROC_INFO_CALL_PIDINFO, PROC_PIDTASKINFO
	var t struct {
		virtual, resident uint64
		rest              [80]byte
	} // struct proc_taskinfo
	n, _, errno := syscall.Syscall6(syscall.SYS_PROC_INFO, pidInfo, uintptr(p.Pid), taskInfo, 0, uintptr(unsafe.Pointer(&t)), unsafe.Sizeof(t))
	if errno != 0 || n != unsafe.Sizeof(t) {
		return memory{}
	}
	return guessMemory(t.resident)
}

// diesWithParent returns nil: the system does not end a child with its parent. A child ends by itself when its input ends.
func diesWithParent(string) error { return nil }
