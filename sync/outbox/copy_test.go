package outbox_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"tcode/offline/host/litedb"
	"tcode/sync/outbox"
)

// TestCopyOfDamaged damages an outbox at random and reads a copy of it: each
// scan is present or listed as lost, as in an outbox that is repaired in place,
// and nothing in the folder changes.
func TestCopyOfDamaged(t *testing.T) {
	const scans = 90
	file, log := damageable(t, scans)
	salvaged := 0
	for seed := range 20 {
		r := rand.New(rand.NewPCG(uint64(seed), 4))
		path := filepath.Join(modelFolder(t), "outbox.db")
		f, l := append([]byte(nil), file...), append([]byte(nil), log...)
		what := "nothing"
		switch {
		case seed == 0:
		case seed%3 == 0:
			l, what = damage(r, l)
		default:
			f, what = damage(r, f)
		}
		files := map[string][]byte{"": f, "-wal": l, ".last": []byte(strconv.Itoa(scans) + "\n")}
		for name, raw := range files {
			if err := os.WriteFile(path+name, raw, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		o, err := outbox.OpenCopy(t.Context(), path)
		if err != nil {
			t.Fatalf("damage %d, %s: %v", seed, what, err)
		}
		found := map[uint64]bool{}
		rows, err := o.History(t.Context(), outbox.Filter{Limit: 1000})
		if err != nil && !outbox.IsDamaged(err) {
			t.Fatalf("damage %d, %s: %v", seed, what, err)
		}
		for _, row := range rows {
			found[row.Scan.Seq] = true
		}
		losses, err2 := o.Losses(t.Context(), 1000)
		for _, loss := range losses {
			found[loss.Seq] = true
		}
		if seed == 0 && (len(rows) != scans || len(losses) > 0) {
			t.Errorf("undamaged: %d scans, %d lost", len(rows), len(losses))
		}
		if len(found) < scans && err == nil && err2 == nil {
			t.Errorf("damage %d, %s: %d of %d scans are there or lost", seed, what, len(found), scans)
		}
		if repairs, err := o.Repairs(t.Context()); err == nil {
			salvaged += len(repairs)
		}
		if err := o.Close(); err != nil {
			t.Error(err)
		}
		entries, err := os.ReadDir(filepath.Dir(path))
		if err != nil || len(entries) != len(files) {
			t.Errorf("damage %d, %s: the folder holds %v (%v)", seed, what, entries, err)
		}
		again, againLog, err := litedb.ReadFiles(path)
		if err != nil || string(again) != string(f) || string(againLog) != string(l) {
			t.Errorf("damage %d, %s: the files were changed (%v)", seed, what, err)
		}
	}
	if salvaged < 5 {
		t.Errorf("%d copies were salvaged: the test proves too little", salvaged)
	}
}
