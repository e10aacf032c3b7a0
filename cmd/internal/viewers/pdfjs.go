package viewers

import (
	"bufio"
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// pdfjs draws all files in one process, and in another one what is left after a
// file at which it stops.
func pdfjs(ctx context.Context, paths map[string]string, _ string) error {
	node, err := exec.LookPath("node")
	if err != nil {
		return fmt.Errorf("node: %w", ErrMissing)
	}
	_, here, _, _ := runtime.Caller(0)
	folder := filepath.Join(filepath.Dir(here), "pdfjs")
	if _, err := os.Stat(filepath.Join(folder, "node_modules")); err != nil {
		return fmt.Errorf("pdfjs-dist (npm ci in cmd/internal/viewers/pdfjs): %w", ErrMissing)
	}
	left := slices.Sorted(maps.Values(paths))
	for len(left) > 0 {
		done, err := run(ctx, node, folder, left)
		if err != nil {
			return err
		}
		left = left[min(done+1, len(left)):] // the one it stopped at shows nothing
	}
	return nil
}

// run returns the number of files that were answered for.
func run(ctx context.Context, node, folder string, paths []string) (int, error) {
	limited, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd := exec.CommandContext(limited, node, "view.mjs", fmt.Sprint(DPI))
	cmd.Dir = folder
	cmd.Stdin = strings.NewReader(strings.Join(paths, "\n"))
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	watchdog := time.AfterFunc(Patience, cancel)
	defer watchdog.Stop()
	done := 0
	for lines := bufio.NewScanner(out); lines.Scan(); done++ {
		watchdog.Reset(Patience)
	}
	_ = cmd.Wait() // an end before the last file counts as a stop
	return done, ctx.Err()
}
