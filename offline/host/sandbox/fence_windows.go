package sandbox

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// kernelCountsCPU is false: a job counts the time in user mode alone, so the parent counts too.
const kernelCountsCPU = false

// A fence is a job object. The child cannot leave it and has no handle of it. Its last handle is the parent's, so the system
// ends the child with the parent, in whatever way the parent ends.
type fence struct{ job windows.Handle }

// uiLimits keep the child from the desktop, the clipboard and the settings of its user.
const uiLimits = windows.JOB_OBJECT_UILIMIT_DESKTOP | windows.JOB_OBJECT_UILIMIT_DISPLAYSETTINGS | windows.JOB_OBJECT_UILIMIT_EXITWINDOWS |
	windows.JOB_OBJECT_UILIMIT_GLOBALATOMS | windows.JOB_OBJECT_UILIMIT_HANDLES | windows.JOB_OBJECT_UILIMIT_READCLIPBOARD |
	windows.JOB_OBJECT_UILIMIT_SYSTEMPARAMETERS | windows.JOB_OBJECT_UILIMIT_WRITECLIPBOARD

// newFence puts p into a job: one process, no desktop, limited time, ended with the parent. The limit of memory follows when
// the child is ready ([fence.bound]).
func newFence(p *os.Process, c Config) (f fence, err error) {
	if f.job, err = windows.CreateJobObject(nil, nil); err != nil {
		return fence{}, fmt.Errorf("job object: %w", err)
	}
	ui := windows.JOBOBJECT_BASIC_UI_RESTRICTIONS{UIRestrictionsClass: uiLimits}
	// A system that does not know these is not an error: Containment says what is missing.
	_, _ = windows.SetInformationJobObject(f.job, windows.JobObjectBasicUIRestrictions, uintptr(unsafe.Pointer(&ui)), uint32(unsafe.Sizeof(ui)))
	err = f.limit(c, 0)
	if err == nil {
		err = withHandle(p, func(h windows.Handle) error { return windows.AssignProcessToJobObject(f.job, h) })
	}
	if err != nil {
		f.close()
		return fence{}, fmt.Errorf("job object: %w", err)
	}
	return f, nil
}

// limit sets the limits of the job. memory is in bytes; 0: none yet.
func (f fence) limit(c Config, memory uint64) error {
	var l windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	l.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | windows.JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION |
		windows.JOB_OBJECT_LIMIT_ACTIVE_PROCESS | windows.JOB_OBJECT_LIMIT_PROCESS_TIME
	l.BasicLimitInformation.ActiveProcessLimit = 1
	l.BasicLimitInformation.PerProcessUserTimeLimit = int64(time.Duration(c.CPUSeconds) * time.Second / 100) // units of 100 ns
	if memory > 0 {
		l.BasicLimitInformation.LimitFlags |= windows.JOB_OBJECT_LIMIT_PROCESS_MEMORY
		l.ProcessMemoryLimit = uintptr(memory)
	}
	_, err := windows.SetInformationJobObject(f.job, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&l)), uint32(unsafe.Sizeof(l)))
	return err
}

// bound limits the memory that the child may commit from now on, as [addressSpace] does on Linux: preparing may take more.
func (f fence) bound(p *os.Process, c Config) error {
	m := countersOf(p)
	return f.limit(c, addressSpace(uint64(m.PrivateUsage), uint64(m.WorkingSetSize), c.MemoryBytes))
}

// close ends the child, if it still runs.
func (f fence) close() {
	if f.job != 0 {
		_ = windows.CloseHandle(f.job)
	}
}

// withHandle calls do with the handle of p.
func withHandle(p *os.Process, do func(windows.Handle) error) (err error) {
	return errors.Join(p.WithHandle(func(h uintptr) { err = do(windows.Handle(h)) }), err)
}

// memoryCounters is PROCESS_MEMORY_COUNTERS_EX (psapi.h).
type memoryCounters struct {
	size, pageFaults                                         uint32
	PeakWorkingSetSize, WorkingSetSize                       uintptr
	PeakPagedPool, PagedPool, PeakNonPagedPool, NonPagedPool uintptr
	PagefileUsage, PeakPagefileUsage, PrivateUsage           uintptr
}

var getProcessMemoryInfo = windows.NewLazySystemDLL("kernel32.dll").NewProc("K32GetProcessMemoryInfo")

// countersOf returns zeros if the system does not tell.
func countersOf(p *os.Process) (m memoryCounters) {
	m.size = uint32(unsafe.Sizeof(m))
	err := withHandle(p, func(h windows.Handle) error {
		if ok, _, err := getProcessMemoryInfo.Call(uintptr(h), uintptr(unsafe.Pointer(&m)), uintptr(m.size)); ok == 0 {
			return err
		}
		return nil
	})
	if err != nil {
		return memoryCounters{}
	}
	return m
}

// memoryOf returns the memory use of a process; zero if it is not known.
func memoryOf(p *os.Process) memory { return guessMemory(uint64(countersOf(p).WorkingSetSize)) }

// sysProcAttr gives the child no console, so that it can neither read the keys of a terminal nor write to it, and so that ^C
// in the terminal reaches the parent alone. Package os lets it inherit its three pipes and no other handle.
func sysProcAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: windows.DETACHED_PROCESS | windows.CREATE_NEW_PROCESS_GROUP}
}

func killGroup(p *os.Process) { _ = p.Kill() } // the job holds one process

func closeOnExec() {} // package os names the handles that a child inherits
