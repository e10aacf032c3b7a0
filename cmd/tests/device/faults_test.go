package device_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"tcode/cmd/internal/world"
	"tcode/sync/outbox"
)

// manyCalls is the number of failing calls of each kind in the full size of
// TestFailingCalls.
const manyCalls = 60

// TestFailingCalls makes one system call on the files of a scanner's home
// folder fail, for each kind the first of a thread, the second and so on.
// Afterwards a scan whose verdict was shown is in the outbox, and the next run
// needs no help. TCODE_FAILING_CALLS=60 is the number of each kind; fewer are a
// sample of the first 60.
func TestFailingCalls(t *testing.T) {
	strace := world.Need(t, "strace")
	w := world.New(t, 1)
	w.Scanner("enrolled").Close()
	pdf := w.File("a.pdf", w.Stamp(w.Issuers[0], "a", world.SmallPDF(1)).PDF)
	home := filepath.Join(w.Dir, "home")
	args := []string{
		world.Program(t, "tcode-scan"), "--home", home, "--json", "verify", pdf, pdf, pdf,
	}
	most, runs, failed, shown := world.Count(t, "TCODE_FAILING_CALLS", 1), 0, 0, 0
	for i, kind := range []string{
		"pwrite64:error=EIO", "pwrite64:error=ENOSPC", "pwrite64:error=EINTR", shortWrite,
		"write:error=EIO", "write:error=ENOSPC", "fsync:error=EIO", "fdatasync:error=EIO", "fsync:error=ENOSPC",
		"ftruncate:error=EIO", "ftruncate:error=ENOSPC", "rename,renameat,renameat2:error=EIO", "unlink,unlinkat:error=EIO",
		"open,openat:error=EIO", "open,openat:error=ENOSPC", "open,openat:error=EINTR", "open,openat:error=EMFILE",
		"mmap:error=ENOMEM", "pread64:error=EIO", "pread64:error=EINTR", "fcntl:error=EIO", "flock:error=EINTR", "fallocate:error=ENOSPC",
	} {
		first, step := 1, 1
		if most < manyCalls { // a sample: different ones of each kind
			first, step = 1+i*5%9, 1+manyCalls/most
		}
		for call := first; call <= max(manyCalls, most); call += step {
			if err := os.RemoveAll(home); err != nil {
				t.Fatal(err)
			}
			if err := os.CopyFS(home, os.DirFS(filepath.Join(w.Dir, "enrolled"))); err != nil {
				t.Fatal(err)
			}
			trace := filepath.Join(w.Dir, "trace")
			calls, _, _ := strings.Cut(kind, ":")
			under := []string{"-f", "-qq", "--seccomp-bpf", "-o", trace, "-e", "trace=" + calls, "-e", fmt.Sprintf("inject=%s:when=%d", kind, call)}
			for _, name := range []string{"", "outbox.db", "outbox.db-wal", "outbox.db-shm", "outbox.db-journal", "outbox.db.use", "outbox.db.last", "trust.db", "trust.db-wal", "trust.db-shm", "device.key"} {
				under = append(under, "-P", filepath.Join(home, name))
			}
			cmd := exec.Command(strace, append(under, args...)...)
			var stderr strings.Builder
			cmd.Stderr = &stderr
			out, err := cmd.Output()
			code := world.ExitCode(t, err)
			n := strings.Count(string(world.ReadFile(t, trace)), "(INJECTED)")
			if n == 0 {
				break // there are no more calls
			}
			runs, failed = runs+1, failed+n
			seen := ids([][]byte{out})
			shown += len(seen)
			if code == 0 && len(seen) != 3 || code != 0 && stderr.Len() == 0 || strings.Contains(stderr.String(), "panic") {
				t.Errorf("%s of call %d: %d scans shown, exit code %d: %s", kind, call, len(seen), code, stderr.String())
			}
			for _, msg := range lostAfterFault(t, filepath.Join(home, "outbox.db"), seen, kind == shortWrite) {
				t.Errorf("%s of call %d: %s (exit code %d: %s)", kind, call, msg, code, stderr.String())
			}
		}
	}
	t.Logf("%d calls failed in %d runs; %d scans were shown in spite of it", failed, runs, shown)
	if runs < 6 || shown == 0 {
		t.Error("the test proves too little")
	}
}

// shortWrite is a write that reports seven written bytes but wrote none: the
// disk lies, and the data that SQLite writes later is damaged.
const shortWrite = "pwrite64:retval=7"

// lostAfterFault describes the shown scans that are missing in an outbox, now
// that all calls succeed. On a disk that lies it may be damaged, and the next
// program that opens it must repair it, as after a sync that finds the damage.
func lostAfterFault(t *testing.T, path string, shown map[string]bool, lies bool) (out []string) {
	t.Helper()
	o, err := outbox.Open(t.Context(), path)
	if err != nil {
		return []string{err.Error()}
	}
	defer func() { o.Close() }()
	err = o.Check(t.Context())
	if lies && outbox.IsDamaged(err) {
		o.Close()
		if o, err = outbox.Open(t.Context(), path); err != nil {
			t.Fatal(err)
		}
		err = o.Check(t.Context())
	}
	if err != nil {
		out = append(out, err.Error())
	}
	for id := range shown {
		if row, err := o.Get(t.Context(), id); err != nil || row.Damaged {
			out = append(out, fmt.Sprintf("scan %s: damaged %v, %v", id, row.Damaged, err))
		}
	}
	return out
}
