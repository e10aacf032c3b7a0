package device_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"tcode/cmd/internal/world"
)

// inFolder makes a folder for watch, with a device that knows the gateway's keys.
func inFolder(w *world.World) (in, sorted string) {
	w.T.Helper()
	if out, code := w.Scan("home")("enrol", "--gateway", w.URL()); code != 0 {
		w.T.Fatal(out)
	}
	in, sorted = filepath.Join(w.Dir, "in"), filepath.Join(w.Dir, "sorted")
	if err := os.Mkdir(in, 0o700); err != nil {
		w.T.Fatal(err)
	}
	return in, sorted
}

// closedAfterReading waits until a program that read the file has closed it.
func closedAfterReading(t *testing.T, path string) (wait func()) {
	t.Helper()
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := unix.InotifyAddWatch(fd, path, unix.IN_ACCESS|unix.IN_CLOSE_NOWRITE); err != nil {
		t.Fatal(err)
	}
	return func() {
		defer unix.Close(fd)
		read := false
		for events := make([]byte, 4096); ; {
			n, err := unix.Read(fd, events)
			if err != nil {
				t.Fatal(err)
			}
			for at := 0; at+unix.SizeofInotifyEvent <= n; at += unix.SizeofInotifyEvent {
				mask := events[at+4]
				read = read || mask&unix.IN_ACCESS != 0
				if read && mask&unix.IN_CLOSE_NOWRITE != 0 {
					return
				}
			}
		}
	}
}

// TestWatchMovesJudgedBytes: whatever other programs do with a file while and after it is judged,
// valid/ has the bytes that were judged, and other bytes are judged too.
func TestWatchMovesJudgedBytes(t *testing.T) {
	t.Parallel()
	forged := world.SmallPDF(7)
	for _, tt := range []struct {
		name string
		// change changes the file when it was read. It returns false if that was too late.
		change func(t *testing.T, path string, genuine []byte) bool
	}{
		{"another file takes its name", func(t *testing.T, path string, _ []byte) bool {
			world.WriteFile(t, path+".new", forged)
			if err := os.Rename(path+".new", path); err != nil {
				t.Error(err)
			}
			return true
		}},
		{"size and time are restored", func(t *testing.T, path string, genuine []byte) bool {
			info, err := os.Stat(path)
			if err != nil {
				return false // it was moved
			}
			same := append(bytes.Clone(forged), make([]byte, len(genuine)-len(forged))...)
			world.WriteFile(t, path, same)
			if err := os.Chtimes(path, info.ModTime(), info.ModTime()); err != nil {
				t.Error(err)
			}
			return true
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := world.New(t, 1)
			genuine := w.Stamp(w.Issuers[0], "diploma", world.SmallPDF(1)).PDF
			in, sorted := inFolder(w)
			path := filepath.Join(in, "diploma.pdf")
			world.WriteFile(t, path, genuine)
			read := closedAfterReading(t, path)
			h := watch(w, "home", "--move", sorted, in)
			read()
			changed := tt.change(t, path, genuine)
			h.next("diploma.pdf", "valid")
			if changed {
				h.next("diploma.pdf", "not-valid")
			}
			_, _, said := h.end(os.Interrupt)
			all, _ := filepath.Glob(filepath.Join(sorted, "valid", "*"))
			for _, name := range all {
				if raw, err := os.ReadFile(name); err != nil || !bytes.Equal(raw, genuine) {
					t.Errorf("%s was never judged: %v\n%s", name, err, said)
				}
			}
		})
	}
}

// beingWritten makes the file open.pdf in a folder, and keeps it open.
func beingWritten(t *testing.T, dir string) *os.File {
	t.Helper()
	open, err := os.Create(filepath.Join(dir, "open.pdf"))
	if err != nil {
		t.Fatal(err)
	}
	return open
}

// TestWatchWaitsForWriters: a file that a program has open for writing is not judged, and parts
// of a file that arrive with pauses between them are no unreadable document.
func TestWatchWaitsForWriters(t *testing.T) {
	t.Parallel()
	w := world.New(t, 1)
	genuine := w.Stamp(w.Issuers[0], "diploma", world.SmallPDF(1)).PDF
	in, sorted := inFolder(w)
	open := beingWritten(t, in)
	h := watch(w, "home", "--move", sorted, in)
	if _, err := open.Write(genuine[:len(genuine)/2]); err != nil {
		t.Fatal(err)
	}
	time.Sleep(1500 * time.Millisecond) // five times --settle
	if _, err := open.Write(genuine[len(genuine)/2:]); err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Second)
	if err := open.Close(); err != nil {
		t.Fatal(err)
	}
	h.next("open.pdf", "valid")
	h.end(os.Interrupt)

	parts := filepath.Join(in, "parts.pdf")
	world.WriteFile(t, parts, genuine[:len(genuine)/3])
	h = watch(w, "home", "--settle", "2s", "--move", sorted, in)
	time.Sleep(4 * time.Second) // a judgement begins at 2 s
	world.WriteFile(t, parts, genuine)
	h.next("parts.pdf", "valid")
	if left, _, said := h.end(os.Interrupt); len(left) > 0 || strings.Contains(said, "stays") {
		t.Errorf("%+v\n%s", left, said)
	}
	for _, name := range []string{"open.pdf", "parts.pdf"} {
		raw, err := os.ReadFile(filepath.Join(sorted, "valid", name))
		if err != nil || !bytes.Equal(raw, genuine) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if left, err := os.ReadDir(in); err != nil || len(left) > 0 {
		t.Errorf("left in the folder: %v, %v", left, err)
	}
}

// TestWatchOnceWaits: a document that a program keeps open is named, given up after --wait, and
// judged by the next run.
func TestWatchOnceWaits(t *testing.T) {
	t.Parallel()
	w := world.New(t, 1)
	genuine := w.Stamp(w.Issuers[0], "diploma", world.SmallPDF(1)).PDF
	in, sorted := inFolder(w)
	open := beingWritten(t, in)
	defer open.Close()
	if _, err := open.Write(genuine); err != nil {
		t.Fatal(err)
	}
	world.WriteFile(t, filepath.Join(in, "closed.pdf"), genuine)
	h := watch(w, "home", "--once", "--settle", "100ms", "--wait", "3s", "--move", sorted, in)
	h.next("closed.pdf", "valid")
	h.next("open.pdf", "unreadable")
	left, code, said := h.end(nil)
	if len(left) > 0 || code != 3 || h.waits.Load() != 1 || strings.Count(said, "open.pdf is waited for: another program has it open for writing") != 1 {
		t.Errorf("exit code %d, %d lines of waiting, %+v\n%s", code, h.waits.Load(), left, said)
	}
	if err := open.Close(); err != nil {
		t.Fatal(err)
	}
	h = watch(w, "home", "--once", "--move", sorted, in)
	h.next("open.pdf", "valid")
	if _, code, said := h.end(nil); code != 0 {
		t.Errorf("exit code %d\n%s", code, said)
	}
}

// TestWatchPutsBack: a file that a killed run took away is judged.
func TestWatchPutsBack(t *testing.T) {
	t.Parallel()
	w := world.New(t, 1)
	genuine := w.Stamp(w.Issuers[0], "diploma", world.SmallPDF(1)).PDF
	in, sorted := inFolder(w)
	world.WriteFile(t, filepath.Join(in, ".tcode-taken-ABCDEFGH-diploma.pdf"), genuine)
	h := watch(w, "home", "--once", "--move", sorted, in)
	h.next("diploma.pdf", "valid")
	if _, code, said := h.end(nil); code != 0 {
		t.Errorf("exit code %d\n%s", code, said)
	}
}
