//go:build linux

package ballast_test

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"tcode/server/ballast"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestBallast(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=16m"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("mount a small disk: %v", err)
		}
		t.Skipf("mount a small disk: %v", err)
	}
	t.Cleanup(func() { must(t, syscall.Unmount(dir, 0)) })
	f := ballast.New(dir, 64<<20, slog.New(slog.DiscardHandler))
	want := func(bytes int64, low bool) {
		t.Helper()
		held, _ := f.Bytes()
		info, err := os.Stat(filepath.Join(dir, ballast.Name))
		if held != bytes || errors.Is(f.Room(), ballast.ErrLow) != low || (err == nil) != (bytes > 0) || err == nil && info.Size() != bytes {
			t.Errorf("%d bytes, low %v, file %v; want %d, %v", held, f.Room(), err, bytes, low)
		}
	}
	must(t, f.Fill())
	want(2<<20, false) // an eighth of a small disk
	must(t, os.WriteFile(filepath.Join(dir, "full"), make([]byte, 14<<20), 0o600))
	must(t, f.Fill())
	want(2<<20, false)
	if !f.Release() {
		t.Error("nothing was released")
	}
	want(0, true)
	must(t, os.WriteFile(filepath.Join(dir, "revocations"), make([]byte, 1<<20), 0o600))
	must(t, f.Fill()) // it does not take back the freed space
	want(0, true)
	if f.Release() {
		t.Error("released twice")
	}
	must(t, os.Truncate(filepath.Join(dir, "full"), 7<<20))
	must(t, f.Fill())
	want(1<<20, false)
	if again := ballast.New(dir, 64<<20, slog.New(slog.DiscardHandler)); !again.Release() {
		t.Error("another process cannot release it")
	}
	for _, none := range []*ballast.File{nil, ballast.New(dir, 0, slog.New(slog.DiscardHandler))} {
		must(t, none.Fill())
		if none.Release() || none.Room() != nil {
			t.Error("no ballast is something")
		}
	}
	must(t, f.Fill())
	if none := ballast.New(dir, 0, slog.New(slog.DiscardHandler)); !none.Release() || none.Room() != nil {
		t.Error("a process that fills no file cannot release that of another, or is low")
	}
}
