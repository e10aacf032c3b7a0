package durable_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"tcode/server/platform/durable"
)

func TestHold(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "serving")
	since := time.Date(2026, 11, 24, 1, 58, 0, 0, time.UTC)
	release, err := durable.Hold(path, since)
	if err != nil {
		t.Fatal(err)
	}
	var held *durable.HeldError
	if _, err := durable.Hold(path, since.Add(time.Hour)); !errors.As(err, &held) || held.PID != os.Getpid() || !held.Since.Equal(since) || held.Host == "" {
		t.Errorf("a second hold: %v", err)
	}
	if err := os.WriteFile(path, []byte("no line of ours\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := durable.Hold(path, since); !errors.As(err, &held) || held.PID != 0 {
		t.Errorf("a second hold of a file without its line: %v", err)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
	release, err = durable.Hold(path, since)
	if err != nil {
		t.Fatalf("after the release: %v", err)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file: %v, %v", info, err)
	}
}
