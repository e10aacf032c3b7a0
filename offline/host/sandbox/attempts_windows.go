package sandbox

import (
	"errors"
	"os"
	"unsafe"

	"golang.org/x/sys/windows"
)

// attempts has what the child tries for each measure. A limit that it would die of is read instead.
var attempts = map[string]func(dir string) error{
	"memory":   func(string) error { return tryAlloc(64<<30, windows.PAGE_READWRITE) },
	"time":     func(string) error { return jobHas(windows.JOB_OBJECT_LIMIT_PROCESS_TIME) },
	"code":     func(string) error { return tryAlloc(uintptr(os.Getpagesize()), windows.PAGE_EXECUTE_READ) },
	"programs": tryStart,
	"processes": func(string) error {
		h, err := windows.OpenProcess(windows.PROCESS_TERMINATE|windows.PROCESS_VM_WRITE, false, uint32(os.Getppid()))
		if err == nil {
			err = windows.CloseHandle(h)
		}
		return err
	},
	"write": tryWrite,
	"read":  tryRead,
	"network": func(string) error { // connecting a datagram socket sends nothing
		var d windows.WSAData
		if err := windows.WSAStartup(0x202, &d); err != nil {
			return err
		}
		s, err := windows.Socket(windows.AF_INET, windows.SOCK_DGRAM, 0)
		if err != nil {
			return err
		}
		return errors.Join(windows.Connect(s, &windows.SockaddrInet4{Port: 9, Addr: [4]byte{127, 0, 0, 1}}), windows.Closesocket(s))
	},
	"terminal": func(string) error {
		f, err := os.OpenFile("CONIN$", os.O_RDWR, 0)
		if err == nil {
			f.Close()
		}
		return err
	},
	"outlive": func(string) error { return jobHas(windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE) },
}

func tryAlloc(n uintptr, protect uint32) error {
	at, err := windows.VirtualAlloc(0, n, windows.MEM_RESERVE|windows.MEM_COMMIT, protect)
	if err == nil {
		err = windows.VirtualFree(at, 0, windows.MEM_RELEASE)
	}
	return err
}

// jobHas returns an error, which says so, if the job of this process has a limit.
func jobHas(limit uint32) error {
	var l windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	err := windows.QueryInformationJobObject(0, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&l)), uint32(unsafe.Sizeof(l)), nil)
	if err != nil || l.BasicLimitInformation.LimitFlags&limit == 0 {
		return nil //nolint:nilerr // not known to be limited
	}
	return errors.New("the job of the process limits it")
}
