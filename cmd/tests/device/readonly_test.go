//go:build linux

package device_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"tcode/cmd/internal/device"
	"tcode/cmd/internal/world"
	"tcode/offline"
)

// readOnly mounts dir on itself, read-only for root too, until the test ends.
func readOnly(t *testing.T, dir string) {
	t.Helper()
	err := syscall.Mount(dir, dir, "", syscall.MS_BIND, "")
	if err == nil {
		t.Cleanup(func() {
			if err := syscall.Unmount(dir, 0); err != nil {
				t.Error(err)
			}
		})
		err = syscall.Mount("", dir, "", syscall.MS_BIND|syscall.MS_REMOUNT|syscall.MS_RDONLY, "")
	}
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("mount read-only: %v", err)
		}
		t.Skipf("mount read-only: %v", err)
	}
}

// TestReadOnlyHome: a home folder that no user can write is still readable,
// including the data in the write-ahead logs. A scan that cannot be stored gets
// a verdict only with --no-record, which each answer and the exit code show.
func TestReadOnlyHome(t *testing.T) {
	w := world.New(t, 1)
	good := w.Stamp(w.Issuers[0], "good", world.SmallPDF(1))
	pdf := w.File("good.pdf", good.PDF)
	changed := w.File("changed.pdf", append(slices.Clip(good.PDF), "\n% more"...))
	live := w.Scanner("live")
	defer live.Close()
	if _, err := live.Verify(t.Context(), pdf, world.ReadFile(t, pdf),
		device.VerifyOptions{}); err != nil {
		t.Fatal(err)
	}
	mount := filepath.Join(w.Dir, "medium")
	home := filepath.Join(mount, "home")
	if err := os.Mkdir(mount, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(home, os.DirFS(live.Home())); err != nil { // with the scan only in the log
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(home, "outbox.db-shm")); err != nil {
		t.Fatal(err)
	}
	w.File("medium/file", []byte("no folder"))
	live.Close()
	readOnly(t, mount)

	scan := world.Program(t, "tcode-scan")
	run := func(t *testing.T, home string, want int, words string, args ...string) string {
		t.Helper()
		out, err := exec.Command(scan, append([]string{"--home", home}, args...)...).CombinedOutput()
		if code := world.ExitCode(t, err); code != want {
			t.Errorf("%v: exit code %d, want %d:\n%s", args, code, want, out)
		}
		for _, word := range strings.Split(words, "|") {
			if no, is := strings.CutPrefix(word, "!"); strings.Contains(string(out), strings.TrimPrefix(word, "!")) == is && no != "" {
				t.Errorf("%v: about %q:\n%s", args, word, out)
			}
		}
		return string(out)
	}
	run(t, home, 1, "nothing can be kept|read-only file system|--no-record|!VALID", "verify", pdf)
	run(t, home, 4, "✓ VALID|by the proven time|not kept (--no-record)", "verify", "--no-record", pdf)
	run(t, home, 4, `"notKept":true|"basis":"proven"|"scanId":""|!tcode-scan:`, "--json", "verify", "--no-record", pdf)
	run(t, home, 1, "✓ VALID|ADDED TO|2 documents: 1 valid, 1 not", "verify", "--no-record", pdf, changed)
	run(t, home, 4, "✓ VALID", "verify", "--no-record", "--refresh", "--require-proven-time", pdf)
	run(t, home, 0, good.Reference+"|queued|only read", "history")
	run(t, home, 1, "read-only file system", "history", "--seen")
	run(t, home, 0, "proven time     20|newest scan     20", "clock")
	run(t, home, 0, live.ScannerID()+"|"+w.URL(), "trust", "show")
	run(t, home, 1, "read-only file system", "clock", "confirm", "--yes")
	run(t, home, 1, "read-only file system", "sync")
	run(t, home, 0, "1 are waiting", "audit")
	t.Setenv("TMPDIR", filepath.Join(mount, "none")) // and there is no room for a copy
	run(t, home, 0, "1 are waiting", "audit")
	run(t, home, 0, "1 scans", "report")
	run(t, home, 4, "✓ VALID", "verify", "--no-record", pdf)

	run(t, filepath.Join(mount, "none"), 1, "--no-record|!UNVERIFIED", "verify", pdf)
	run(t, filepath.Join(mount, "none"), 1, "UNVERIFIED|not kept", "verify", "--no-record", pdf)
	run(t, filepath.Join(mount, "none"), 1, "read-only file system", "history")
	run(t, filepath.Join(mount, "file"), 1, "not a directory|!VALID", "verify", pdf)
	run(t, filepath.Join(mount, "file"), 1, "it is not a folder|!VALID", "verify", "--no-record", pdf)
	run(t, filepath.Join(mount, "file"), 1, "not a directory", "history")
	if _, err := os.Stat(filepath.Join(mount, "none")); err == nil {
		t.Error("a home folder came to be")
	}
}

// TestReadOnlyClock: the clock rule is the same for a copy of a home folder.
func TestReadOnlyClock(t *testing.T) {
	w := world.New(t, 1)
	pdf := w.File("good.pdf", w.Stamp(w.Issuers[0], "good", world.SmallPDF(1)).PDF)
	w.Scanner("home").Close()
	open := func(c device.Config) *device.Device {
		c.Home = filepath.Join(w.Dir, "home")
		s, err := device.Open(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		return s
	}
	verify := func(s *device.Device) offline.Result {
		found, err := s.Verify(t.Context(), pdf, world.ReadFile(t, pdf), device.VerifyOptions{})
		if err != nil || len(found) != 1 {
			t.Fatal(found, err)
		}
		if found[0].NotKept == s.Keeps() || (found[0].ScanID == "") == s.Keeps() {
			t.Errorf("kept: %v, in the answer: %v, scan %q", s.Keeps(), !found[0].NotKept, found[0].ScanID)
		}
		return found[0].Result
	}
	restarted := func() offline.Boot { return offline.Boot{ID: "another start", At: time.Minute} }
	now := func() time.Time { return time.Now().Add(time.Minute) } // a proof is not truncated to its second
	ahead := func() time.Time { return time.Now().Add(3 * time.Hour) }

	copied := open(device.Config{Copy: true, Boot: restarted, Now: now})
	if r := verify(copied); r.Verdict != offline.Valid || r.Basis != offline.DeviceClock || r.ClockSuspect {
		t.Errorf("after a restart: %s on %s, suspect %v", r.Verdict, r.Basis, r.ClockSuspect)
	}
	verify(open(device.Config{Copy: true, Boot: restarted, Now: ahead}))
	if r := verify(copied); r.Verdict != offline.Valid {
		t.Errorf("a scan that is not kept has raised a floor: %s", r.Verdict)
	}
	kept := open(device.Config{Boot: restarted, Now: ahead})
	verify(kept)
	behind := open(device.Config{Copy: true, Boot: restarted, Now: now}) // the scan above is in the log
	if r := verify(behind); r.Basis != offline.DeviceClock || !r.ClockSuspect || r.Verdict == offline.Valid && !r.Stale {
		t.Errorf("with the clock below a scan on record: %s on %s, suspect %v, stale %v", r.Verdict, r.Basis, r.ClockSuspect, r.Stale)
	}
}

// TestOtherUsersHome: the program names unreadable files; the readable ones are enough.
func TestOtherUsersHome(t *testing.T) {
	if os.Geteuid() != 0 {
		if os.Getenv("CI") == "true" {
			t.Fatal("only root can be another user")
		}
		t.Skip("only root can be another user")
	}
	t.Setenv("TMPDIR", "/tmp") // which all users can reach, unlike the folder of this run
	w := world.New(t, 1)
	pdf := w.File("good.pdf", w.Stamp(w.Issuers[0], "good", world.SmallPDF(1)).PDF)
	live := w.Scanner("home")
	if _, err := live.Verify(t.Context(), pdf, world.ReadFile(t, pdf),
		device.VerifyOptions{}); err != nil {
		t.Fatal(err)
	}
	live.Close()
	home, scan := live.Home(), filepath.Join(w.Dir, "tcode-scan")
	program := world.ReadFile(t, world.Program(t, "tcode-scan"))
	if err := os.WriteFile(scan, program, 0o755); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) (string, int) {
		cmd := exec.Command(scan, append([]string{"--home", home}, args...)...)
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		out, err := cmd.CombinedOutput()
		return string(out), world.ExitCode(t, err)
	}
	open := func(mode fs.FileMode, names ...string) {
		t.Helper()
		for _, name := range names {
			if err := os.Chmod(name, mode); err != nil {
				t.Fatal(err)
			}
		}
	}
	open(0o755, scan, w.Dir, filepath.Dir(w.Dir))
	open(0o644, pdf)
	if out, code := run("history"); code != 1 || !strings.Contains(out, "permission denied") {
		t.Errorf("history of a closed folder: exit code %d\n%s", code, out)
	}
	open(0o755, home)
	open(0o644, filepath.Join(home, "outbox.db"), filepath.Join(home, "trust.db")) // device.key stays closed
	before := listing(t, home)
	if out, code := run("verify", pdf); code != 1 || !strings.Contains(out, "--no-record") || strings.Contains(out, "VALID") {
		t.Errorf("verify: exit code %d\n%s", code, out)
	}
	if out, code := run("verify", "--no-record", pdf); code != 4 || !strings.Contains(out, "✓ VALID") {
		t.Errorf("verify --no-record: exit code %d\n%s", code, out)
	}
	if out, code := run("history"); code != 0 || !strings.Contains(out, "good.pdf") {
		t.Errorf("history: exit code %d\n%s", code, out)
	}
	if out, code := run("trust", "show"); code != 0 || !strings.Contains(out, live.ScannerID()) {
		t.Errorf("trust show: exit code %d\n%s", code, out)
	}
	for _, name := range []string{"trust.db", "outbox.db"} {
		open(0o600, filepath.Join(home, name))
		if out, code := run("verify", "--no-record", pdf); code != 1 || !strings.Contains(out, name+": permission denied") || strings.Contains(out, "VALID") {
			t.Errorf("verify --no-record with %s closed: exit code %d\n%s", name, code, out)
		}
		open(0o644, filepath.Join(home, name))
	}
	if after := listing(t, home); after != before {
		t.Errorf("the folder was changed:\n%s\nbefore:\n%s", after, before)
	}
}

// listing returns the content of a folder, with sizes and times.
func listing(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		all.WriteString(e.Name() + " " + info.ModTime().String() + " " + fs.FormatFileInfo(info) + "\n")
	}
	return all.String()
}
