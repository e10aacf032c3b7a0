package sandbox

import (
	"fmt"
	"os"
	"strings"
	"unsafe"

	"golang.org/x/sys/windows"

	"tcode/offline/host/cputime"
)

// restrict gives up, for the whole process and permanently, what Windows lets a process give up while it runs: privileges, new
// executable memory, the window system, and the right to change anything that belongs to a program of its user (integrity
// level). The job of the parent adds the rest (see fence). What the system refuses is missing from the result and is no
// error: [Containment] names it. A child may still read files and use the network. A token that prevents the first would
// also prevent the loading of the system's own libraries, and the second needs an AppContainer, which cannot
// run a program from the folder of a user.
func restrict(limits) (string, error) {
	have := []string{"job"}
	for _, m := range mitigations {
		if m.set() {
			have = append(have, m.name)
		}
	}
	if dropPrivileges() == nil {
		have = append(have, "no_privileges")
	}
	for _, level := range []struct {
		name string
		sid  windows.WELL_KNOWN_SID_TYPE
	}{{"integrity:untrusted", windows.WinUntrustedLabelSid}, {"integrity:low", windows.WinLowLabelSid}} {
		if lowerIntegrity(level.sid) == nil {
			have = append(have, level.name)
			break
		}
	}
	return strings.Join(have, " "), nil
}

// A mitigation is a policy of SetProcessMitigationPolicy (winnt.h) that cannot be taken back.
type mitigation struct {
	name   string
	policy uintptr // PROCESS_MITIGATION_POLICY
	flags  uint32
}

var mitigations = []mitigation{
	{"no_dynamic_code", 2, 1},     // ProcessDynamicCodePolicy: ProhibitDynamicCode
	{"no_win32k", 4, 1},           // ProcessSystemCallDisablePolicy: DisallowWin32kSystemCalls
	{"no_extension_points", 6, 1}, // ProcessExtensionPointDisablePolicy: DisableExtensionPoints
	{"no_remote_images", 10, 3},   // ProcessImageLoadPolicy: NoRemoteImages, NoLowMandatoryLabelImages
}

var (
	kernel32            = windows.NewLazySystemDLL("kernel32.dll")
	setMitigationPolicy = kernel32.NewProc("SetProcessMitigationPolicy")
	getMitigationPolicy = kernel32.NewProc("GetProcessMitigationPolicy")
)

// set sets the policy and reads it back.
func (m mitigation) set() bool {
	if setMitigationPolicy.Find() != nil || getMitigationPolicy.Find() != nil {
		return false
	}
	flags := m.flags
	if ok, _, _ := setMitigationPolicy.Call(m.policy, uintptr(unsafe.Pointer(&flags)), unsafe.Sizeof(flags)); ok == 0 {
		return false
	}
	flags = 0
	ok, _, _ := getMitigationPolicy.Call(uintptr(windows.CurrentProcess()), m.policy, uintptr(unsafe.Pointer(&flags)), unsafe.Sizeof(flags))
	return ok != 0 && flags&m.flags == m.flags
}

// ownToken opens the token of this process.
func ownToken(access uint32) (t windows.Token, err error) {
	err = windows.OpenProcessToken(windows.CurrentProcess(), access, &t)
	return t, err
}

// dropPrivileges removes all privileges of the token, which no later call brings back. It keeps the right to pass folders,
// which every user has.
func dropPrivileges() error {
	t, err := ownToken(windows.TOKEN_QUERY | windows.TOKEN_ADJUST_PRIVILEGES)
	if err != nil {
		return err
	}
	defer t.Close()
	var n uint32
	if err = windows.GetTokenInformation(t, windows.TokenPrivileges, nil, 0, &n); n == 0 {
		return fmt.Errorf("privileges: %w", err)
	}
	raw := make([]uint64, n/8+1) // aligned
	if err := windows.GetTokenInformation(t, windows.TokenPrivileges, (*byte)(unsafe.Pointer(&raw[0])), n, &n); err != nil {
		return err
	}
	list := (*windows.Tokenprivileges)(unsafe.Pointer(&raw[0]))
	all := list.AllPrivileges()
	for i := range all {
		if all[i].Attributes&windows.SE_PRIVILEGE_ENABLED_BY_DEFAULT == 0 || all[i].Luid.LowPart != changeNotify {
			all[i].Attributes = windows.SE_PRIVILEGE_REMOVED
		}
	}
	return windows.AdjustTokenPrivileges(t, false, list, 0, nil, nil)
}

// changeNotify is SE_CHANGE_NOTIFY_PRIVILEGE (wdm.h).
const changeNotify = 23

// lowerIntegrity lowers the integrity level of this process. A process cannot raise it again, and cannot change objects of a
// higher level, which are nearly all files and processes of its user.
func lowerIntegrity(level windows.WELL_KNOWN_SID_TYPE) error {
	t, err := ownToken(windows.TOKEN_QUERY | windows.TOKEN_ADJUST_DEFAULT)
	if err != nil {
		return err
	}
	defer t.Close()
	sid, err := windows.CreateWellKnownSid(level)
	if err != nil {
		return err
	}
	label := windows.Tokenmandatorylabel{Label: windows.SIDAndAttributes{Sid: sid, Attributes: windows.SE_GROUP_INTEGRITY}}
	return windows.SetTokenInformation(t, windows.TokenIntegrityLevel, (*byte)(unsafe.Pointer(&label)), label.Size())
}

// cpuSecondsUsed returns the CPU time of this process so far.
func cpuSecondsUsed() uint64 {
	p, err := os.FindProcess(os.Getpid())
	if err != nil {
		return 0
	}
	defer p.Release() //nolint:errcheck // nothing to do about it
	used, _ := cputime.Process(p)
	return uint64(used.Seconds())
}

// wasKilled returns false, because Windows does not tell who ended a process.
func wasKilled(*os.ProcessState) bool { return false }

// takeStdout returns stdout for the frames and makes Go code print to stderr.
func takeStdout() (*os.File, error) {
	frames := os.Stdout
	os.Stdout = os.Stderr
	return frames, windows.SetStdHandle(windows.STD_OUTPUT_HANDLE, windows.Handle(os.Stderr.Fd()))
}
