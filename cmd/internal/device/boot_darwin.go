package device

import (
	"time"

	"golang.org/x/sys/unix"

	"tcode/offline"
)

// readBoot reads CLOCK_MONOTONIC_RAW, which on macOS counts while the machine
// sleeps and is never adjusted (clock_gettime(3)), and the kernel's name for
// this start.
func readBoot() offline.Boot {
	id, err := unix.Sysctl("kern.bootsessionuuid")
	if err != nil || id == "" {
		return ownBoot()
	}
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC_RAW, &ts); err != nil {
		return ownBoot()
	}
	return offline.Boot{ID: id, At: time.Duration(ts.Nano())}
}
