package device_test

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"tcode/cmd/internal/world"
)

// watched is one line of tcode-scan watch.
type watched struct {
	File, Outcome, Reason string
	Findings              []json.RawMessage
}

// watching is a running tcode-scan watch.
type watching struct {
	t     testing.TB
	cmd   *exec.Cmd
	lines chan watched
	errs  strings.Builder
	waits atomic.Int32 // lines that name a document which is waited for
}

// watch starts tcode-scan watch with a home.
func watch(w *world.World, home string, args ...string) *watching {
	w.T.Helper()
	t := w.T
	h := &watching{t: t, lines: make(chan watched, 100)}
	args = append([]string{
		"--home", filepath.Join(w.Dir, home), "--json", "watch", "--settle", "300ms",
	}, args...)
	h.cmd = exec.Command(world.Program(t, "tcode-scan"), args...)
	h.cmd.Stderr = &h.errs
	out, err := h.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := h.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.cmd.Process.Kill() })
	go func() {
		defer close(h.lines)
		for s := bufio.NewScanner(out); s.Scan(); {
			var line watched
			if err := json.Unmarshal(s.Bytes(), &line); err != nil {
				t.Errorf("%q: %v", s.Text(), err)
			}
			if line.Outcome == "waiting" {
				h.waits.Add(1)
				continue // no outcome: a busy machine is slow to close a file
			}
			h.lines <- line
		}
	}()
	return h
}

// next waits for a line about this document.
func (h *watching) next(file, outcome string) {
	h.t.Helper()
	select {
	case line, ok := <-h.lines:
		if !ok || filepath.Base(line.File) != file || line.Outcome != outcome {
			h.t.Errorf("%s is %s: %s, want %s %s", line.File, line.Outcome, line.Reason, file, outcome)
		}
	case <-time.After(time.Minute):
		h.t.Fatalf("no line for %s, %s\n%s", file, outcome, h.errs.String())
	}
}

// end sends a signal and returns the remaining lines, the exit code, and the
// error output.
func (h *watching) end(sig os.Signal) (left []watched, code int, said string) {
	h.t.Helper()
	if sig != nil {
		if err := h.cmd.Process.Signal(sig); err != nil {
			h.t.Fatal(err)
		}
	}
	for line := range h.lines {
		left = append(left, line)
	}
	code = world.ExitCode(h.t, h.cmd.Wait())
	return left, code, h.errs.String()
}

// TestWatch: each document of a folder is judged once it is complete, once,
// even if the process is killed; it is judged again when it changes.
func TestWatch(t *testing.T) {
	t.Parallel()
	w := world.New(t, 1)
	paper := w.Stamp(w.Issuers[0], "paper", world.SmallPDF(1))
	if out, code := w.Scan("home")("enrol", "--gateway", w.URL()); code != 0 {
		t.Fatal(out)
	}
	dir := filepath.Join(w.Dir, "in")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	put := func(name string, data []byte) {
		t.Helper()
		world.WriteFile(t, filepath.Join(dir, name), data)
	}
	put("there.pdf", paper.PDF)
	put("plain.PDF", world.SmallPDF(3))
	put("notes.txt", paper.PDF)
	h := watch(w, "home", dir)
	h.next("plain.PDF", "not-valid")
	h.next("there.pdf", "valid")

	// A document scanner writes slowly: the program judges nothing before the end.
	slow, err := os.Create(filepath.Join(dir, "slow.pdf"))
	if err != nil {
		t.Fatal(err)
	}
	for part := range 5 {
		n := len(paper.PDF) / 5
		piece := paper.PDF[part*n:]
		if part < 4 {
			piece = piece[:n]
		}
		if _, err := slow.Write(piece); err != nil {
			t.Fatal(err)
		}
		time.Sleep(150 * time.Millisecond)
	}
	if err := slow.Close(); err != nil {
		t.Fatal(err)
	}
	h.next("slow.pdf", "valid")
	put("broken.pdf", paper.PDF[:200])
	h.next("broken.pdf", "unreadable")
	put("broken.pdf", paper.PDF)
	h.next("broken.pdf", "valid")
	time.Sleep(time.Second) // the outcome is stored after its line
	if left, _, _ := h.end(syscall.SIGKILL); len(left) > 0 {
		t.Errorf("more lines: %+v", left)
	}

	// A judged document is not judged again, but is moved now.
	put("new.pdf", world.SmallPDF(4))
	put("new.jpg", []byte("no picture"))
	drawn := world.Render(t, world.Need(t, "pdftoppm"), w.File("paper.pdf", paper.PDF), "200")
	put("photo.png", world.ReadFile(t, drawn)) // a copy of a genuine symbol can be on any picture
	sorted := filepath.Join(w.Dir, "sorted")
	if err := os.MkdirAll(filepath.Join(sorted, "valid"), 0o700); err != nil {
		t.Fatal(err)
	}
	world.WriteFile(t, filepath.Join(sorted, "valid", "slow.pdf"), []byte("another"))
	h = watch(w, "home", "--once", "--sync", "--move", sorted, dir)
	h.next("new.pdf", "not-valid")
	h.next("photo.png", "compare")
	h.next("new.jpg", "unreadable") // it may be a part of a file, until it stays so
	if left, code, said := h.end(nil); len(left) > 0 || code != 3 || !strings.Contains(said, "3 documents: 0 valid, 1 to compare, 1 not, 1 could not be read") {
		t.Errorf("%+v, exit code %d, %s", left, code, said)
	}
	for _, name := range []string{"valid/there.pdf", "valid/slow.pdf", "valid/slow-2.pdf", "valid/broken.pdf", "not-valid/new.pdf", "not-valid/plain.PDF", "compare/photo.png", "unreadable/new.jpg"} {
		if _, err := os.Stat(filepath.Join(sorted, name)); err != nil {
			t.Error(err)
		}
	}
	if rest, err := os.ReadDir(dir); err != nil || len(rest) != 1 {
		t.Errorf("left in the folder: %v, %v", rest, err)
	}

	// Ctrl-C ends the program with its sum; each document with a stamp is on
	// record once.
	h = watch(w, "home", dir)
	time.Sleep(500 * time.Millisecond)
	if left, code, said := h.end(os.Interrupt); len(left) > 0 || code != 0 || !strings.Contains(said, "0 documents") {
		t.Errorf("%+v, exit code %d, %s", left, code, said)
	}
	if out, code := w.Scan("home")("history"); code != 0 ||
		strings.Count(out, paper.Reference) != 4 {
		t.Errorf("exit code %d\n%s", code, out)
	}
}
