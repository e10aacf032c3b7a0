//go:build !race

package raster_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// peaks reports whether the system records the peak of a process's memory.
func peaks() bool { return runtime.GOOS == "linux" }

// watchPeak begins to watch the children of this process. stop returns the largest peak of resident memory of one of
// them, and the largest sum seen over all of them, in bytes.
func watchPeak(t *testing.T) (stop func() (one, all uint64)) {
	t.Helper()
	var one, all uint64
	end, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			sum, files := uint64(0), uint64(0)
			for _, status := range children() {
				one = max(one, kiB(status, "VmHWM:")<<10)
				sum += (kiB(status, "RssAnon:") + kiB(status, "RssShmem:")) << 10
				files = max(files, kiB(status, "RssFile:")<<10) // they have the pages of the program's file in common
			}
			all = max(all, sum+files)
			select {
			case <-end:
				return
			case <-time.After(10 * time.Millisecond):
			}
		}
	}()
	return func() (uint64, uint64) {
		close(end)
		<-done
		return one, all
	}
}

// children returns the status files of the sandboxed children of this process.
func children() (out []string) {
	lists, _ := filepath.Glob("/proc/self/task/*/children") // the pattern is well formed
	for _, name := range lists {
		pids, err := os.ReadFile(name)
		if err != nil {
			continue // the thread has ended
		}
		for _, pid := range strings.Fields(string(pids)) {
			// Before it executes its program, a child has the memory of its parent.
			name, err := os.ReadFile(filepath.Join("/proc", pid, "cmdline"))
			if err != nil || !strings.HasPrefix(string(name), "tcode-sandbox") {
				continue
			}
			if b, err := os.ReadFile(filepath.Join("/proc", pid, "status")); err == nil {
				out = append(out, string(b))
			}
		}
	}
	return out
}

// kiB returns the number behind key in a status file, or 0 if there is none.
func kiB(status, key string) (n uint64) {
	_, after, _ := strings.Cut(status, key)
	_, _ = fmt.Sscan(after, &n) // 0 without a number
	return n
}
