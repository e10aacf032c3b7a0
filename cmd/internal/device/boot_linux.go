package device

import (
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"tcode/offline"
)

// readBoot reads CLOCK_BOOTTIME, which includes the time for which a handheld
// sleeps, and the kernel's name for this start. A time namespace may shift that
// clock, so the name of the start includes the namespace.
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
