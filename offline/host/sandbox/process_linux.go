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

// residentBytes returns the resident memory of a process, 0 if it is not known.
func residentBytes(p *os.Process) uint64 { return statm("/proc/"+strconv.Itoa(p.Pid)+"/statm", 1) }

// ownBytes returns the part of that which is no page of a file, such as the program's.
func ownBytes(p *os.Process) uint64 {
	path := "/proc/" + strconv.Itoa(p.Pid) + "/statm"
	return statm(path, 1) - min(statm(path, 1), statm(path, 2))
}

// statm reads one field of a statm file (pages; 0: address space, 1: resident, 2: of these, of files) in bytes.
func statm(path string, field int) uint64 {
	b, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	fields := bytes.Fields(b)
	if field >= len(fields) {
		return 0
	}
	n, err := strconv.ParseUint(string(fields[field]), 10, 64)
	if err != nil {
		return 0
	}
	return n * uint64(os.Getpagesize())
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
