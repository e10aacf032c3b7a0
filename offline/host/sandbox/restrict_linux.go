package sandbox

import (
	"fmt"
	"strings"

	"github.com/landlock-lsm/go-landlock/landlock"
	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// noFiles is the file descriptor limit: stdio, the socket for files and one file from it, frames, epoll and its wake-up
// event, and a descriptor that Landlock needs once.
const noFiles = 16

// restrict gives up, for the whole process and permanently, everything but computing. It returns the protections in
// force. A kernel without Landlock is not an error, but one that refuses the system call filter is.
func restrict(l limits) (string, error) {
	now := statm(self)
	rlimits := []struct {
		resource int
		value    uint64
	}{
		{unix.RLIMIT_AS, addressSpace(now[0], now[1], l.memoryBytes)},
		{unix.RLIMIT_CPU, l.cpuSeconds},
		{unix.RLIMIT_CORE, 0},
		{unix.RLIMIT_FSIZE, 0},
		{unix.RLIMIT_NOFILE, noFiles},
	}
	for _, r := range rlimits {
		if err := setrlimit(r.resource, r.value); err != nil {
			return "", fmt.Errorf("rlimit %d: %w", r.resource, err)
		}
	}
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return "", fmt.Errorf("not dumpable: %w", err)
	}
	have := []string{"rlimits"}
	// Landlock comes before the filter, because it needs system calls that the filter forbids. Without rules it allows
	// no path, no TCP or UDP port, no abstract socket and no signal to another process.
	if err := landlock.V11.BestEffort().Restrict(); err != nil {
		return "", fmt.Errorf("landlock: %w", err)
	}
	if abi, err := ll.LandlockGetABIVersion(); err == nil && abi > 0 {
		have = append(have, fmt.Sprintf("landlock:%d", abi))
	}
	ok, err := installFilter()
	if err != nil {
		return "", fmt.Errorf("seccomp: %w", err)
	}
	if ok {
		have = append(have, "no_new_privs", "seccomp")
	}
	return strings.Join(have, " "), nil
}

// self is the file with the memory use of this process.
const self = "/proc/self/statm"
