//go:build linux || darwin

package sandbox

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// attempts has what the child tries for each measure. A limit that it would die of is read instead.
var attempts = map[string]func(dir string) error{
	"memory": func(string) error {
		b, err := unix.Mmap(-1, 0, 16<<30, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE|unix.MAP_NORESERVE)
		if err == nil {
			err = unix.Munmap(b)
		}
		return err
	},
	"time": func(string) error {
		var l syscall.Rlimit
		if err := syscall.Getrlimit(unix.RLIMIT_CPU, &l); err != nil || l.Cur > 1<<32 {
			return nil //nolint:nilerr // not known to be limited
		}
		return errors.New("the system limits it")
	},
	"code": func(string) error {
		b, err := unix.Mmap(-1, 0, os.Getpagesize(), unix.PROT_READ|unix.PROT_EXEC, unix.MAP_ANON|unix.MAP_PRIVATE)
		if err == nil {
			err = unix.Munmap(b)
		}
		return err
	},
	"programs":  tryStart,
	"processes": func(string) error { return unix.Kill(os.Getppid(), 0) },
	"write":     tryWrite,
	"read":      tryRead,
	"network": func(string) error { // connecting a datagram socket sends nothing
		s, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM, 0)
		if err != nil {
			return err
		}
		return errors.Join(unix.Connect(s, &unix.SockaddrInet4{Port: 9, Addr: [4]byte{127, 0, 0, 1}}), unix.Close(s))
	},
	"terminal": func(string) error {
		f, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
		if err == nil {
			f.Close()
		}
		return err
	},
	"outlive": diesWithParent,
}
