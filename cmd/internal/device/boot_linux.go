package device

import (
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"tcode/offline"
)

// readBoot reads CLOCK_BOOTTIME, which counts the time that a handheld sleeps in
// a pocket, and the kernel's name for this start. A time namespace may shift that
// clock, so its name belongs to the start's.
func readBoot() offline.Boot {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil || len(strings.TrimSpace(string(id))) == 0 {
		return ownBoot()
	}
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &ts); err != nil {
		return ownBoot()
	}
	name := strings.TrimSpace(string(id))
	if space, err := os.Readlink("/proc/self/ns/time"); err == nil {
		name += " " + space
	}
	return offline.Boot{ID: name, At: time.Duration(ts.Nano())}
}
