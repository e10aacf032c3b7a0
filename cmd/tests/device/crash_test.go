package device_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"tcode/cmd/internal/device"
	"tcode/cmd/internal/world"
	"tcode/sync/outbox"
)

// TestCrash: tcode-scan is killed in the middle of its work, again and again.
// Every verdict that a person may have seen is in the outbox, and reaches the
// gateway exactly once.
func TestCrash(t *testing.T) {
	const documents = 50
	kills := world.Count(t, "TCODE_KILLS", 6)
	w := world.New(t, 1)
	w.Scanner("home").Close()
	home := filepath.Join(w.Dir, "home")
	var files []string
	for i := range documents {
		p := w.Stamp(w.Issuers[0], fmt.Sprint(i), world.SmallPDF(i))
		files = append(files, w.File(fmt.Sprintf("%02d.pdf", i), p.PDF))
	}
	scan := world.Program(t, "tcode-scan")

	r := rand.New(rand.NewPCG(1, 2))
	seen := map[string]bool{} // scan ids that were printed
	within := 0               // kills between the first and the last verdict
	for range kills {
		ids := killAfter(t, r.IntN(documents), append([]string{scan, "--home", home, "--json", "verify"}, files...))
		if len(ids) > 0 && len(ids) < documents {
			within++
		}
		for _, id := range ids {
			if seen[id] {
				t.Errorf("scan id %s was printed twice", id)
			}
			seen[id] = true
		}
	}
	t.Logf("%d kills, %d between the first and the last verdict, %d verdicts seen", kills, within, len(seen))
	if within*4 < kills*3 {
		t.Fatalf("only %d of %d kills hit a run at work: the test proves too little", within, kills)
	}
	checkOnce(w, home, seen)
}

// killAfter runs a verify command, kills it with SIGKILL when it has printed n
// verdicts after the first, and returns the printed scan ids.
func killAfter(t *testing.T, n int, args []string) []string {
	t.Helper()
	return killAfterIn(t, nil, n, args)
}

// killAfterIn is killAfter with more of the environment.
func killAfterIn(t *testing.T, env []string, n int, args []string) []string {
	t.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var ids []string
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			break // a person cannot have read a line that was cut off
		}
		if err != nil {
			t.Fatal(err)
		}
		var answer struct{ ScanID, Verdict string }
		if err := json.Unmarshal(line, &answer); err != nil {
			t.Fatalf("%v in %q", err, line)
		}
		if answer.Verdict != "valid" {
			t.Fatalf("verdict %s, want valid: %s", answer.Verdict, line)
		}
		ids = append(ids, answer.ScanID)
		if len(ids) == n+1 {
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	_ = cmd.Wait() // killed on purpose
	return ids
}

// checkOnce syncs the home folder's outbox and looks for every seen scan there
// and at the gateway.
func checkOnce(w *world.World, home string, seen map[string]bool) {
	t := w.T
	t.Helper()
	dev, err := device.Open(t.Context(), device.Config{Home: home})
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	for id := range seen {
		if _, err := dev.Outbox.Get(t.Context(), id); err != nil {
			t.Errorf("the verdict of scan %s was shown, but it is not in the outbox: %v", id, err)
		}
	}
	up, err := dev.Uplink(t.Context(), "", "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := up.FlushNow(t.Context()); err != nil {
		t.Fatal(err)
	}
	counts, err := dev.Outbox.Counts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if counts.Queued+counts.Inflight+counts.Dead > 0 {
		t.Errorf("after the sync: %+v, want all done", counts)
	}
	at := w.ScansAtGateway()
	for id, n := range at {
		if n != 1 {
			t.Errorf("scan %s is %d times at the gateway", id, n)
		}
	}
	for id := range seen {
		if at[id] != 1 {
			t.Errorf("scan %s is %d times at the gateway, want once", id, at[id])
		}
	}
	rows, err := dev.Outbox.History(t.Context(), outbox.Filter{Limit: 1_000_000})
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != len(at) {
		t.Errorf("%d scans in the outbox, %d at the gateway", len(rows), len(at))
	}
	t.Logf("%d scans recorded, all of them at the gateway once", len(rows))
}
