//go:build !race

package raster_test

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"tcode/offline/host/sandbox"
	"tcode/scanner/raster"
)

// code returns the files with machine code in the folder dir.
func code(t *testing.T, dir string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*", "wazero-*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// drawTwice draws with two children concurrently that keep their code in dir, and returns the log.
// The decoder of the picture is compiled in a fraction of the time of PDFium.
func drawTwice(t *testing.T, dir string) string {
	t.Helper()
	file, err := os.ReadFile("testdata/color.heic")
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	c := sandbox.Config{Size: 2, Log: slog.New(slog.NewTextHandler(&log, nil))}
	r := raster.New(c, raster.Limits{}, raster.WithEngine(raster.PDFium), raster.WithCache(dir))
	defer r.Close()
	var children sync.WaitGroup
	for range 2 {
		children.Go(func() {
			if _, err := pages(t, r, file, 72); err != nil {
				t.Error(err)
			}
		})
	}
	children.Wait()
	return log.String()
}

// TestCache: children that start together with an empty cache leave one result, and a damaged result is made again.
func TestCache(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "code")
	drawTwice(t, dir)
	names := code(t, dir)
	if len(names) == 0 {
		t.Fatal("no machine code was kept")
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("the folder is %v, %v; others must have no access", info.Mode(), err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, ".tmp") {
			t.Errorf("%s was left", name)
		}
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(name, info.Size()/2); err != nil {
			t.Fatal(err)
		}
	}
	drawTwice(t, dir)
}

// TestCacheOfOthers: a child does not run machine code that other users may have written.
func TestCacheOfOthers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if log := drawTwice(t, dir); !strings.Contains(log, "mode 0777") {
		t.Errorf("log %q does not say why there is no cache", log)
	}
	if names := code(t, dir); len(names) != 0 {
		t.Errorf("%v were written", names)
	}
}
