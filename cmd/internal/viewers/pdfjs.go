package viewers

import (
	"bufio"
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tcode/testdata/corpus"
)

// pdfjs draws all files in one process. If the process stops at a file, another
// one draws the rest.
func pdfjs(ctx context.Context, paths map[string]string, _ string) error {
	node, err := exec.LookPath("node")
	if err != nil {
		return fmt.Errorf("node: %w", ErrMissing)
	}
	folder := filepath.Join(corpus.Root(), "cmd", "internal", "viewers", "pdfjs")
	if _, err := os.Stat(filepath.Join(folder, "node_modules")); err != nil {
		return fmt.Errorf("pdfjs-dist (npm ci in cmd/internal/viewers/pdfjs): %w", ErrMissing)
	}
	left := slices.Sorted(maps.Values(paths))
	for len(left) > 0 {
		done, err := run(ctx, node, folder, left)
		if err != nil {
			return err
		}
		left = left[min(done+1, len(left)):] // the file at which it stopped shows nothing
	}
	return nil
}

// run returns the number of files with an answer.
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
	_ = cmd.Wait() // an exit before the last file counts as a stop
	return done, ctx.Err()
}
