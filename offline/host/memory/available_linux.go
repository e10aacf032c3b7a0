package memory

import (
	"os"
	"path"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// available returns the least limit of the control groups of this process, and of the machine.
func available() uint64 {
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) != nil {
		return 0
	}
	least := uint64(info.Totalram) * uint64(info.Unit) //nolint:unconvert // 32 bits on some systems
	groups, _ := os.ReadFile("/proc/self/cgroup")      // without groups there is no file
	for line := range strings.Lines(string(groups)) {
		if part := strings.SplitN(strings.TrimSpace(line), ":", 3); len(part) == 3 && part[1] == "" {
			for dir := path.Clean("/" + part[2]); ; dir = path.Dir(dir) {
				least = min(least, limitOf("/sys/fs/cgroup"+dir, least))
				if dir == "/" {
					break
				}
			}
		}
	}
	return least
}

// limitOf returns the limit of the control group dir, or otherwise if it has none.
func limitOf(dir string, otherwise uint64) uint64 {
	text, err := os.ReadFile(path.Join(dir, "memory.max"))
	if err != nil {
		return otherwise
	}
	n, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64)
	if err != nil { // "max"
		return otherwise
	}
	return n
}
