package device_test

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"tcode/cmd/internal/world"
)

// TestDamagedHome damages the databases of a scanner's home folder: verify of a
// genuine file says valid, or that it cannot tell, and never that it is forged;
// sync ends and names lost scans.
func TestDamagedHome(t *testing.T) {
	w := world.New(t, 1)
	w.Scanner("home").Close()
	home := filepath.Join(w.Dir, "home")
	p := w.Stamp(w.Issuers[0], "a", world.SmallPDF(1))
	file := w.File("a.pdf", p.PDF)
	scan := world.Program(t, "tcode-scan")
	run := func(home string, args ...string) (out, errs string, code int) {
		cmd := exec.Command(scan, append([]string{"--home", home, "--json"}, args...)...)
		var stderr strings.Builder
		cmd.Stderr = &stderr
		raw, _ := cmd.Output()
		return string(raw), stderr.String(), cmd.ProcessState.ExitCode()
	}
	for range 3 {
		if out, errs, code := run(home, "verify", file); code != 0 {
			t.Fatalf("before any damage: exit %d\n%s%s", code, out, errs)
		}
	}
	names := []string{"outbox.db", "trust.db"}
	for i := range world.Count(t, "TCODE_HOME_DAMAGES", 8) {
		r := rand.New(rand.NewPCG(uint64(i), 9))
		hurt := filepath.Join(w.Dir, "hurt")
		if err := os.RemoveAll(hurt); err != nil {
			t.Fatal(err)
		}
		if err := os.CopyFS(hurt, os.DirFS(home)); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(filepath.Join(hurt, "pdfium"), 0o700); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		name := filepath.Join(hurt, names[i%2])
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		switch at := r.IntN(len(raw)/4096) * 4096; i / 2 % 4 {
		case 0:
			clear(raw[at : at+4096])
		case 1:
			raw = raw[:r.IntN(len(raw))]
		case 2:
			for range 8 {
				raw[r.IntN(len(raw))] ^= 1 << r.IntN(8)
			}
		case 3:
			raw = raw[:0]
		}
		if err := os.WriteFile(name, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		out, errs, code := run(hurt, "verify", file)
		var v struct{ Verdict string }
		if err := json.Unmarshal([]byte(out), &v); err != nil && code == 0 || out != "" && v.Verdict != "valid" && v.Verdict != "unverified" {
			t.Errorf("damage %d to %s: exit %d, %s%s", i, names[i%2], code, out, errs)
		}
		if names[i%2] == "outbox.db" && code != 0 {
			t.Errorf("damage %d to the outbox ends verification: exit %d, %s", i, code, errs)
		}
		out, errs, _ = run(hurt, "sync", "--gateway", w.URL())
		var s struct{ Sent, Waiting, Lost int }
		if err := json.Unmarshal([]byte(lastLine(out)), &s); err != nil {
			if names[i%2] == "outbox.db" {
				t.Errorf("damage %d: sync says %q, %s", i, out, errs)
			}
			continue // no longer enrolled, and the program said so
		}
		// Without trust documents sync sends nothing: the scans wait.
		if s.Waiting != 0 && names[i%2] == "outbox.db" || s.Sent+s.Lost+s.Waiting < 4 {
			t.Errorf("damage %d to %s: %+v of 4 scans\n%s", i, names[i%2], s, errs)
		}
	}
}

func lastLine(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return lines[len(lines)-1]
}
