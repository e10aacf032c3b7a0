package outbox_test

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"tcode/sync/outbox"
)

// TestEvidenceWithoutRoom: without room for a temporary file, an auditor reads
// the same from an outbox in memory, also from a damaged one.
func TestEvidenceWithoutRoom(t *testing.T) {
	const scans = 90
	file, log := damageable(t, scans)
	type read struct {
		damaged  bool
		seqs     []uint64
		receipts int
		lost     int
		last     uint64
	}
	evidence := func(path string) (r read) {
		e, err := outbox.OpenEvidence(t.Context(), path)
		if err != nil {
			return r
		}
		defer e.Close()
		r.damaged, r.lost, r.last = e.Damaged != "", len(e.Lost()), e.Last()
		err = e.Entries(t.Context(), func(entry outbox.Entry) error { r.seqs = append(r.seqs, entry.Scan.Seq); return nil })
		if err != nil {
			t.Error(err)
		}
		err = e.Receipts(t.Context(), func(outbox.ReceiptRow) error { r.receipts++; return nil })
		if err != nil {
			t.Error(err)
		}
		return r
	}
	damaged := 0
	for seed := range 12 {
		r := rand.New(rand.NewPCG(uint64(seed), 5))
		path := filepath.Join(modelFolder(t), "outbox.db")
		f := append([]byte(nil), file...)
		what := "nothing"
		if seed > 0 {
			f, what = damage(r, f)
		}
		for name, raw := range map[string][]byte{"": f, "-wal": log} {
			if err := os.WriteFile(path+name, raw, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		t.Setenv("TMPDIR", t.TempDir())
		want := evidence(path)
		t.Setenv("TMPDIR", filepath.Join(path, "none"))
		got := evidence(path)
		if got.damaged != want.damaged || got.receipts != want.receipts || got.lost != want.lost || got.last != want.last || !slices.Equal(got.seqs, want.seqs) {
			t.Errorf("damage %d, %s: %+v in memory, %+v in a file", seed, what, got, want)
		}
		if seed == 0 && (len(got.seqs) != scans || got.receipts != 1 || got.damaged) {
			t.Errorf("undamaged: %+v", got)
		}
		if got.damaged {
			damaged++
		}
	}
	if damaged < 3 {
		t.Errorf("%d were damaged: the test proves too little", damaged)
	}
	if _, err := outbox.OpenEvidence(t.Context(), filepath.Join(t.TempDir(), "none.db")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("none: %v", err)
	}
}
