//go:build linux && (amd64 || arm64)

package sandbox

import (
	"fmt"
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// Offsets in struct seccomp_data (linux/seccomp.h). An argument is 8 bytes; both architectures are little-endian, so
// its low half comes first.
const (
	offNr   = 0
	offArch = 4
	offArgs = 16
)

// Results of the filter, from linux/seccomp.h.
const (
	retAllow = unix.SECCOMP_RET_ALLOW
	retEPERM = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
	// retENOSYS makes glibc use clone instead of clone3, because the filter cannot read the flags of clone3, which lie
	// in memory.
	retENOSYS = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
	retKill   = unix.SECCOMP_RET_KILL_PROCESS
)

// allowed lists the calls that the Go runtime, glibc's malloc and threads, and computing on open pipes need, with any
// arguments. A call that is neither here nor in [filter] fails with EPERM: opening, sockets, exec, ptrace, io_uring,
// memfd, mounts, keys, setrlimit and all calls of future kernels.
var allowed = append([]uint32{
	unix.SYS_READ, unix.SYS_READV, unix.SYS_WRITE, unix.SYS_WRITEV, unix.SYS_CLOSE, unix.SYS_FSTAT, unix.SYS_LSEEK,
	unix.SYS_MUNMAP, unix.SYS_MREMAP, unix.SYS_MADVISE, unix.SYS_MINCORE, unix.SYS_BRK,
	unix.SYS_FUTEX, unix.SYS_SET_ROBUST_LIST, unix.SYS_GET_ROBUST_LIST, unix.SYS_RSEQ, unix.SYS_SET_TID_ADDRESS,
	unix.SYS_RT_SIGACTION, unix.SYS_RT_SIGPROCMASK, unix.SYS_RT_SIGRETURN, unix.SYS_SIGALTSTACK,
	unix.SYS_RESTART_SYSCALL, unix.SYS_SCHED_YIELD, unix.SYS_SCHED_GETAFFINITY,
	unix.SYS_NANOSLEEP, unix.SYS_CLOCK_NANOSLEEP, unix.SYS_CLOCK_GETTIME, unix.SYS_CLOCK_GETRES, unix.SYS_GETTIMEOFDAY,
	unix.SYS_GETPID, unix.SYS_GETTID, unix.SYS_GETPPID, unix.SYS_GETUID, unix.SYS_GETEUID, unix.SYS_GETGID,
	unix.SYS_GETEGID, unix.SYS_UNAME, unix.SYS_SYSINFO, unix.SYS_GETRUSAGE, unix.SYS_GETRANDOM,
	unix.SYS_EPOLL_CREATE1, unix.SYS_EPOLL_CTL, unix.SYS_EPOLL_PWAIT, unix.SYS_EVENTFD2, unix.SYS_PIPE2, unix.SYS_PPOLL,
	unix.SYS_EXIT, unix.SYS_EXIT_GROUP,
}, allowedHere...)

// filter returns the system call filter of a child with process id pid.
func filter(pid uint32) []bpf.Instruction {
	p := []bpf.Instruction{
		bpf.LoadAbsolute{Off: offArch, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: auditArch, SkipTrue: 1},
		bpf.RetConstant{Val: retKill},
		bpf.LoadAbsolute{Off: offNr, Size: 4},
	}
	// on appends: if the call is nr, run body, which ends in a return.
	on := func(nr uint32, body ...bpf.Instruction) {
		p = append(p, bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: nr, SkipTrue: uint8(len(body))})
		p = append(p, body...)
	}
	low := func(arg uint32) bpf.Instruction { return bpf.LoadAbsolute{Off: offArgs + 8*arg, Size: 4} }
	high := func(arg uint32) bpf.Instruction { return bpf.LoadAbsolute{Off: offArgs + 8*arg + 4, Size: 4} }
	allow, deny := bpf.RetConstant{Val: retAllow}, bpf.RetConstant{Val: retEPERM}

	for _, nr := range []uint32{unix.SYS_MMAP, unix.SYS_MPROTECT} { // no new code
		on(nr, low(2), bpf.JumpIf{Cond: bpf.JumpBitsSet, Val: unix.PROT_EXEC, SkipTrue: 1}, allow, deny)
	}
	// The child may create threads, but no processes.
	on(unix.SYS_CLONE, low(0), bpf.JumpIf{Cond: bpf.JumpBitsNotSet, Val: unix.CLONE_THREAD, SkipTrue: 1}, allow, deny)
	on(unix.SYS_CLONE3, bpf.RetConstant{Val: retENOSYS})
	// The child may send signals to itself: the runtime preempts and aborts that way.
	for _, nr := range []uint32{unix.SYS_TGKILL, unix.SYS_KILL} {
		on(nr, low(0), bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: pid, SkipTrue: 1}, allow, deny)
	}
	// The child may read limits but not set them: the new_limit pointer is null.
	on(unix.SYS_PRLIMIT64,
		low(2), bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: 0, SkipTrue: 3},
		high(2), bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: 0, SkipTrue: 1}, allow, deny)
	// The child may read and set file descriptor flags, but not locks, leases, owners or pipe sizes.
	on(unix.SYS_FCNTL, low(1), bpf.JumpIf{Cond: bpf.JumpGreaterThan, Val: unix.F_SETFL, SkipTrue: 1}, allow, deny)
	// The descriptors of files to map come over one socket.
	on(unix.SYS_RECVMSG, low(0), bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: shareFD, SkipTrue: 1}, allow, deny)
	for _, nr := range allowed {
		on(nr, allow)
	}
	return append(p, deny)
}

// installFilter installs the filter on all threads of the process.
func installFilter() (bool, error) {
	raw, err := bpf.Assemble(filter(uint32(os.Getpid())))
	if err != nil {
		return false, fmt.Errorf("assemble: %w", err)
	}
	prog := make([]unix.SockFilter, len(raw))
	for i, r := range raw {
		prog[i] = unix.SockFilter{Code: r.Op, Jt: r.Jt, Jf: r.Jf, K: r.K}
	}
	fprog := unix.SockFprog{Len: uint16(len(prog)), Filter: &prog[0]}
	// no_new_privs must be set on the thread that installs the filter; TSYNC copies both to all others.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return false, fmt.Errorf("no_new_privs: %w", err)
	}
	r, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC,
		uintptr(unsafe.Pointer(&fprog)))
	if errno == unix.ENOSYS && mayLackFilter {
		return false, nil
	}
	if errno != 0 {
		return false, errno
	}
	if r != 0 {
		return false, fmt.Errorf("thread %d could not be restricted: %w", r, unix.EPERM)
	}
	return true, nil
}
