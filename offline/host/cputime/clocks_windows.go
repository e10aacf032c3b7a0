package cputime

import (
	"os"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

var getThreadTimes = windows.NewLazySystemDLL("kernel32.dll").NewProc("GetThreadTimes")

// Thread returns the processor time of the calling thread since its start. The caller must hold [runtime.LockOSThread], or else
// two calls may be about two threads. On systems without such a clock it returns the wall time since an unnamed start.
func Thread() time.Duration {
	var created, exited, kernel, user windows.Filetime
	ok, _, _ := getThreadTimes.Call(uintptr(windows.CurrentThread()), uintptr(unsafe.Pointer(&created)),
		uintptr(unsafe.Pointer(&exited)), uintptr(unsafe.Pointer(&kernel)), uintptr(unsafe.Pointer(&user)))
	if ok == 0 {
		return wall()
	}
	return span(kernel) + span(user)
}

// Process returns the processor time of all threads of p since its start. ok is false if the system does not tell, or if p
// has ended.
func Process(p *os.Process) (used time.Duration, ok bool) {
	err := p.WithHandle(func(handle uintptr) {
		var created, exited, kernel, user windows.Filetime
		if windows.GetProcessTimes(windows.Handle(handle), &created, &exited, &kernel, &user) == nil {
			used, ok = span(kernel)+span(user), true
		}
	})
	return used, ok && err == nil
}

// span returns a length of time in units of 100 ns.
func span(t windows.Filetime) time.Duration {
	return time.Duration(uint64(t.HighDateTime)<<32|uint64(t.LowDateTime)) * 100
}
