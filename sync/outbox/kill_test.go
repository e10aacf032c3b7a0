package outbox_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"tcode/sync/outbox"
)

// childEnv makes the test binary a scanner that never stops.
const childEnv = "TCODE_OUTBOX_CHILD"

// recordForEver prints the id of each scan after Record has returned, in one
// write(2): a printed id was acknowledged.
func recordForEver(path string) {
	ctx := context.Background()
	o, err := outbox.Open(ctx, path)
	if err != nil {
		fmt.Println("error", err)
		os.Exit(3)
	}
	for i := 0; ; i++ {
		scans := make([]*outbox.Scan, 1+i%3)
		for j := range scans {
			scans[j] = scan(i)
		}
		if err := o.Record(ctx, scans...); err != nil {
			fmt.Println("error", err)
			os.Exit(3)
		}
		var ids []string
		for _, s := range scans {
			ids = append(ids, s.ScanID)
		}
		fmt.Println("ack", strings.Join(ids, " "))
	}
}

// A scanner killed at any moment has lost no acknowledged scan, and its numbers
// continue without a gap.
func TestKillLosesNothing(t *testing.T) {
	rounds := 12
	if testing.Short() {
		rounds = 3
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "outbox.db")
	acked := map[string]bool{}
	for round := range rounds {
		cmd := exec.CommandContext(t.Context(), self)
		cmd.Env = append(os.Environ(), childEnv+"="+path)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for n := 0; lines.Scan(); n++ {
			words := strings.Fields(lines.Text())
			if len(words) < 2 || words[0] != "ack" {
				t.Errorf("child says %q", lines.Text())
				continue
			}
			for _, id := range words[1:] {
				acked[id] = true
			}
			if n == 5+7*round {
				// Lines that the scanner still prints before the signal arrives
				// count too.
				if err := cmd.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := cmd.Wait(); err == nil || cmd.ProcessState.Exited() {
			t.Fatalf("child ended by itself: %v", cmd.ProcessState)
		}
	}
	if len(acked) < 20*rounds {
		t.Fatalf("only %d acknowledged: the run proves nothing", len(acked))
	}
	o := open(t, path)
	all, err := o.History(t.Context(), outbox.Filter{Limit: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range all {
		if want := uint64(len(all) - i); e.Scan.Seq != want || e.Damaged {
			t.Fatalf("row %d has number %d, damaged %v", want, e.Scan.Seq, e.Damaged)
		}
		delete(acked, e.Scan.ScanID)
	}
	if len(acked) != 0 {
		t.Errorf("%d acknowledged scans lost", len(acked))
	}
	t.Logf("%d kills, %d rows", rounds, len(all))
}
