//go:build linux && (amd64 || arm64)

package sandbox_test

import (
	"encoding/binary"
	"testing"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"

	"tcode/offline/host/sandbox"
)

// Results of the filter (linux/seccomp.h).
const (
	allow  = 0x7fff0000
	eperm  = 0x00050000 | 1
	enosys = 0x00050000 | 38
	kill   = 0x80000000
)

// TestFilter runs the program in an interpreter. x/net's virtual machine loads big-endian words, as from a packet, so
// this test lays out struct seccomp_data in that order.
func TestFilter(t *testing.T) {
	t.Parallel()
	const pid = 4711
	vm, err := bpf.NewVM(sandbox.Filter(pid))
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		nr   uint32
		args [3]uint64
		want uint32
	}{
		{"read", unix.SYS_READ, [3]uint64{}, allow},
		{"exit_group", unix.SYS_EXIT_GROUP, [3]uint64{}, allow},
		{"socket", unix.SYS_SOCKET, [3]uint64{unix.AF_INET, unix.SOCK_STREAM}, eperm},
		{"netlink socket", unix.SYS_SOCKET, [3]uint64{unix.AF_NETLINK, unix.SOCK_RAW}, eperm},
		{"socketpair", unix.SYS_SOCKETPAIR, [3]uint64{}, eperm},
		{"connect", unix.SYS_CONNECT, [3]uint64{}, eperm},
		{"sendmsg", unix.SYS_SENDMSG, [3]uint64{}, eperm},
		{"recvmsg of files", unix.SYS_RECVMSG, [3]uint64{3}, allow},
		{"recvmsg elsewhere", unix.SYS_RECVMSG, [3]uint64{4}, eperm},
		{"openat", unix.SYS_OPENAT, [3]uint64{}, eperm},
		{"openat2", unix.SYS_OPENAT2, [3]uint64{}, eperm},
		{"open_by_handle_at", unix.SYS_OPEN_BY_HANDLE_AT, [3]uint64{}, eperm},
		{"memfd_create", unix.SYS_MEMFD_CREATE, [3]uint64{}, eperm},
		{"execve", unix.SYS_EXECVE, [3]uint64{}, eperm},
		{"execveat", unix.SYS_EXECVEAT, [3]uint64{}, eperm},
		{"ptrace", unix.SYS_PTRACE, [3]uint64{}, eperm},
		{"process_vm_readv", unix.SYS_PROCESS_VM_READV, [3]uint64{}, eperm},
		{"io_uring_setup", unix.SYS_IO_URING_SETUP, [3]uint64{}, eperm},
		{"bpf", unix.SYS_BPF, [3]uint64{}, eperm},
		{"unshare", unix.SYS_UNSHARE, [3]uint64{}, eperm},
		{"pidfd_send_signal", unix.SYS_PIDFD_SEND_SIGNAL, [3]uint64{}, eperm},
		{"ioctl", unix.SYS_IOCTL, [3]uint64{}, eperm},
		{"a call of the future", 9999, [3]uint64{}, eperm},
		{"x32 variant of read", 0x40000000 | unix.SYS_READ, [3]uint64{}, eperm},
		{"clone of a thread", unix.SYS_CLONE, [3]uint64{unix.CLONE_VM | unix.CLONE_THREAD}, allow},
		{"clone of a process", unix.SYS_CLONE, [3]uint64{unix.CLONE_VM}, eperm},
		{"clone3", unix.SYS_CLONE3, [3]uint64{}, enosys},
		{"mmap", unix.SYS_MMAP, [3]uint64{0, 4096, unix.PROT_READ | unix.PROT_WRITE}, allow},
		{"mmap of code", unix.SYS_MMAP, [3]uint64{0, 4096, unix.PROT_READ | unix.PROT_EXEC}, eperm},
		{"mprotect to code", unix.SYS_MPROTECT, [3]uint64{0, 4096, unix.PROT_EXEC}, eperm},
		{"tgkill itself", unix.SYS_TGKILL, [3]uint64{pid, pid + 3, 23}, allow},
		{"tgkill others", unix.SYS_TGKILL, [3]uint64{pid + 1, pid + 1, 23}, eperm},
		{"kill itself", unix.SYS_KILL, [3]uint64{pid, 6}, allow},
		{"kill all", unix.SYS_KILL, [3]uint64{1<<64 - 1, 9}, eperm},
		{"kill the group", unix.SYS_KILL, [3]uint64{0, 9}, eperm},
		{"prlimit read", unix.SYS_PRLIMIT64, [3]uint64{0, 7, 0}, allow},
		{"prlimit write", unix.SYS_PRLIMIT64, [3]uint64{0, 7, 0x1000}, eperm},
		{"prlimit write, pointer with a zero low half", unix.SYS_PRLIMIT64, [3]uint64{0, 7, 1 << 32}, eperm},
		{"fcntl flags", unix.SYS_FCNTL, [3]uint64{3, unix.F_GETFL}, allow},
		{"fcntl owner", unix.SYS_FCNTL, [3]uint64{3, unix.F_SETOWN}, eperm},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			data := seccompData(tt.nr, sandbox.AuditArch, tt.args)
			if got, err := vm.Run(data); err != nil || uint32(got) != tt.want {
				t.Errorf("filter = %#x, %v; want %#x", got, err, tt.want)
			}
			if got, err := vm.Run(seccompData(tt.nr, sandbox.AuditArch^1, tt.args)); err != nil || uint32(got) != kill {
				t.Errorf("with another architecture's call = %#x, %v; want %#x", got, err, uint32(kill))
			}
		})
	}
}

func seccompData(nr, arch uint32, args [3]uint64) []byte {
	b := binary.BigEndian.AppendUint32(nil, nr)
	b = binary.BigEndian.AppendUint32(b, arch)
	b = binary.BigEndian.AppendUint64(b, 0) // instruction pointer
	for _, a := range append(args[:], 0, 0, 0) {
		b = binary.BigEndian.AppendUint32(b, uint32(a))
		b = binary.BigEndian.AppendUint32(b, uint32(a>>32))
	}
	return b
}
