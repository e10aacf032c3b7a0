//go:build unix

package main

import (
	"fmt"
	"log/slog"

	"golang.org/x/sys/unix"

	"tcode/cmd/internal/cli"
)

// Limits that the operating system must grant a gateway. Below the first number
// it does not start, below the second one it warns. A request holds up to 20
// files and pipes; the address space counts reserved memory, not used memory.
const (
	leastFiles, goodFiles = 256, 4096
	leastSpace            = 8 << 30 // bytes
)

// checkLimits checks the limits of this process. The Go runtime has already
// raised the number of open files to its hard limit.
func checkLimits(log *slog.Logger) error {
	var files, space unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &files); err != nil {
		return fmt.Errorf("read the limit of open files: %w", err)
	}
	if err := unix.Getrlimit(unix.RLIMIT_AS, &space); err != nil {
		return fmt.Errorf("read the limit of the address space: %w", err)
	}
	if files.Cur < leastFiles {
		return cli.WithHint(fmt.Errorf("this process may open %d files, and a gateway needs %d", files.Cur, leastFiles),
			fmt.Sprintf(`raise the hard limit, to %d or more: "ulimit -n %d", or LimitNOFILE= of systemd`, goodFiles, goodFiles))
	}
	if space.Cur < leastSpace {
		return cli.WithHint(fmt.Errorf("the address space of this process is limited to %d MiB, and a gateway reserves more", space.Cur>>20),
			`lift the limit: "ulimit -v unlimited", or LimitAS=infinity of systemd. To bound memory use a control group (MemoryMax=)`)
	}
	if files.Cur < goodFiles {
		log.Warn("this process may open few files: the gateway answers 503 when none are left", slog.Uint64("limit", files.Cur), slog.Int("advised", goodFiles))
	}
	return nil
}
