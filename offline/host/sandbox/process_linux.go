package sandbox

import (
	"bytes"
	"errors"
	"os"
	"runtime"
	"strconv"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// executable returns the path of this very program, even after an upgrade has replaced its file.
func executable() (string, error) { return "/proc/self/exe", nil }

// sysProcAttr makes the child lead a process group and die with the thread that started it (see starter). After it has
// set the signal, the runtime checks that the parent still lives.
func sysProcAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// run runs jobs on one thread. The thread stays locked, so it ends with the goroutine.
func (s *starter) run() {
	runtime.LockOSThread()
	for {
		select {
		case job := <-s.jobs:
			job()
		case <-s.done:
			return
		}
	}
}

// pause makes the child stand still until resume. It has no effect on a process that has ended.
func (w *worker) pause() { _ = w.cmd.Process.Signal(syscall.SIGSTOP) }

func (w *worker) resume() { _ = w.cmd.Process.Signal(syscall.SIGCONT) }

// widenPipe gives a pipe 1 MiB where the system allows it: a page of 2 MB then takes 2 switches instead of 33.
func widenPipe(f *os.File) {
	raw, err := f.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Control(func(fd uintptr) { _, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, 1<<20) })
}

// memoryOf returns the memory use of a process; zero if it is not known.
func memoryOf(p *os.Process) memory {
	n := statm("/proc/" + strconv.Itoa(p.Pid) + "/statm")
	return memory{own: n[1] - min(n[1], n[2]), files: min(n[1], n[2])}
}

// statm reads the first fields of a statm file in bytes: address space, resident memory, and the part of that which is pages
// of files. What is not known is 0.
func statm(path string) (n [3]uint64) {
	b, _ := os.ReadFile(path) // nothing is known of a process that has ended
	fields := bytes.Fields(b)
	for i := range min(len(n), len(fields)) {
		pages, _ := strconv.ParseUint(string(fields[i]), 10, 64) // the kernel writes numbers
		n[i] = pages * uint64(os.Getpagesize())
	}
	return n
}

func dup2(from, to int) error { return unix.Dup3(from, to, 0) }

// deathSignal is the signal that the system sends to this process when its parent ends; 0: not known.
var deathSignal int32

// noteParent asks for it. A restricted child may not.
func noteParent() {
	_ = unix.Prctl(unix.PR_GET_PDEATHSIG, uintptr(unsafe.Pointer(&deathSignal)), 0, 0, 0) // else it stays 0
}

// diesWithParent returns an error, which says so, if the system ends this process with its parent.
func diesWithParent(string) error {
	if syscall.Signal(deathSignal) == syscall.SIGKILL {
		return errors.New("the system ends it")
	}
	return nil
}
