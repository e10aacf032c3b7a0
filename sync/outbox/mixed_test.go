package outbox_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"tcode/sync/outbox"
)

// TestMixedRestore restores a file from an older copy and leaves the newer log
// and side file, as a restore of one file does. Each scan is then sent under
// its old id or listed as lost.
func TestMixedRestore(t *testing.T) {
	t.Parallel()
	n, lost, repaired := damages(t, 15), 0, 0
	for _, seed := range seeds(n) {
		r := rand.New(rand.NewPCG(uint64(seed), 15))
		path := filepath.Join(modelFolder(t), "outbox.db")
		scans := 0
		add := func(o *outbox.Outbox, limit int) {
			n := 1 + r.IntN(limit)
			scans += n
			record(t, o, n)
			if b := lease(t, o, fmt.Sprint("b", scans), noon, outbox.Limits{Items: 1 + r.IntN(limit)}); len(b.Batch.Items) > 0 && r.IntN(2) == 0 {
				settle(t, o, b, outbox.Accepted, time.Time{})
			}
		}
		most := []int{8, 40, 200}[seed%3]
		o := open(t, path)
		add(o, most)
		if err := o.Close(); err != nil {
			t.Fatal(err)
		}
		older, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		o = open(t, path)
		add(o, most)
		if err := o.Close(); err != nil {
			t.Fatal(err)
		}
		o = open(t, path)
		add(o, most)
		log, err := os.ReadFile(path + "-wal")
		if err != nil {
			t.Fatal(err)
		}
		mixed := filepath.Join(modelFolder(t), "outbox.db")
		for name, raw := range map[string][]byte{"": older, "-wal": log, ".last": []byte(strconv.Itoa(scans) + "\n")} {
			if err := os.WriteFile(mixed+name, raw, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		o.Close()
		re, lo := drain(t, mixed, scans, fmt.Sprintf("seed %d, %d scans", seed, scans))
		repaired, lost = repaired+re, lost+lo
	}
	t.Logf("%d mixed restores, %d repaired, %d scans listed as lost, 0 in silence", n, repaired, lost)
	if repaired < n/5 {
		t.Errorf("only %d of %d were noticed: the test proves too little", repaired, n)
	}
}
