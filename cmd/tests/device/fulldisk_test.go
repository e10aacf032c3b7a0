//go:build linux

package device_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"tcode/cmd/internal/world"
)

// TestFullDisk: a scan that cannot be stored gets no verdict, and the message
// says why. Earlier scans are still stored afterwards.
func TestFullDisk(t *testing.T) {
	dir := smallDisk(t)
	scan := world.Program(t, "tcode-scan")
	w := world.New(t, 1)
	pdf := w.File("paper.pdf", w.Stamp(w.Issuers[0], "paper", world.SmallPDF(1)).PDF)
	home := filepath.Join(dir, "home")
	verify := func() (string, int) {
		out, err := exec.Command(scan, "--home", home, "verify", pdf).CombinedOutput()
		return string(out), world.ExitCode(t, err)
	}
	if out, err := exec.Command(scan, "--home", home, "enrol", "--gateway",
		w.URL()).CombinedOutput(); err != nil {
		t.Fatalf("enrol: %v\n%s", err, out)
	}
	if out, code := verify(); code != 0 {
		t.Fatalf("with room: exit code %d\n%s", code, out)
	}
	fill(t, filepath.Join(dir, "fill"))
	out, code := verify()
	if code != 1 || !strings.Contains(out, "the disk is full") || strings.Contains(out, "VALID") {
		t.Errorf("on a full disk: exit code %d, want 1, no verdict and the reason:\n%s", code, out)
	}
	if !strings.Contains(out, "--no-record") {
		t.Errorf("no way out is named:\n%s", out)
	}
	if out, err := exec.Command(scan, "--home", home, "verify", "--no-record",
		pdf).CombinedOutput(); world.ExitCode(t, err) != 4 ||
		!strings.Contains(string(out), "✓ VALID") {
		t.Errorf("on a full disk with --no-record: %v\n%s", err, out)
	}
	for _, args := range [][]string{{"history"}, {"clock"}, {"trust", "show"}} {
		if out, err := exec.Command(scan, append([]string{"--home", home}, args...)...).CombinedOutput(); err != nil {
			t.Errorf("%v on a full disk: %v\n%s", args, err, out)
		}
	}
	if err := os.Remove(filepath.Join(dir, "fill")); err != nil {
		t.Fatal(err)
	}
	if out, code := verify(); code != 0 {
		t.Errorf("with room again: exit code %d\n%s", code, out)
	}
	history, err := exec.Command(scan, "--home", home, "--json", "history").Output()
	if n := strings.Count(string(history), "\n"); err != nil || n != 2 {
		t.Errorf("%d scans on record (%v), want the 2 that were shown", n, err)
	}
}

// TestFullDiskOfKeys: if not all root keys fit, none remains, and the same
// command makes them when there is room.
func TestFullDiskOfKeys(t *testing.T) {
	dir := smallDisk(t)
	keys, full := filepath.Join(dir, "keys"), filepath.Join(dir, "fill")
	if err := os.Mkdir(keys, 0o700); err != nil {
		t.Fatal(err)
	}
	make3 := func() ([]byte, error) {
		cmd := exec.Command(world.Program(t, "tcode-gateway"), "root", "init", "--threshold", "2",
			"--keys", "3", "--scrypt-work", "10", "--out", keys)
		cmd.Env = append(os.Environ(), "TCODE_ROOT_PASSPHRASE=correct horse battery staple")
		return cmd.CombinedOutput()
	}
	fill(t, full)
	info, err := os.Stat(full)
	if err == nil {
		err = os.Truncate(full, info.Size()-8<<10) // room for two files
	}
	if err != nil {
		t.Fatal(err)
	}
	if out, err := make3(); world.ExitCode(t, err) != 1 ||
		!strings.Contains(string(out), "no space left") {
		t.Errorf("on a full disk: %v\n%s", err, out)
	}
	if left, err := os.ReadDir(keys); err != nil || len(left) != 0 {
		t.Errorf("left: %v, %v", left, err)
	}
	if err := os.Remove(full); err != nil {
		t.Fatal(err)
	}
	if out, err := make3(); err != nil {
		t.Errorf("with room again: %v\n%s", err, out)
	}
}

// smallDisk mounts a disk of 2 MiB.
func smallDisk(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=2m"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("mount a small disk: %v", err)
		}
		t.Skipf("mount a small disk: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// fill writes a file until the disk has no room left.
func fill(t *testing.T, name string) {
	t.Helper()
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for {
		if _, err := f.Write(make([]byte, 512)); errors.Is(err, syscall.ENOSPC) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
	}
}
