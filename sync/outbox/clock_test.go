package outbox_test

import (
	"path/filepath"
	"testing"
	"time"

	"tcode/sync/outbox"
)

// TestCorrect: scans dated after a proof are marked and kept, and no longer
// count as a floor; a proof that contradicts nothing is not recorded; an
// operator's confirmation always is.
func TestCorrect(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "outbox.db")
	o := open(t, path)
	right := record(t, o, 2)
	ahead := scan(7)
	ahead.ScannedAt = noon.Add(400 * 24 * time.Hour)
	near := scan(8)
	near.ScannedAt = noon.Add(10 * time.Minute) // within the tolerance of clocks
	if err := o.Record(t.Context(), ahead, near); err != nil {
		t.Fatal(err)
	}
	newest := func(want time.Time) {
		t.Helper()
		if got, err := o.NewestScan(t.Context()); err != nil || !got.Equal(want) {
			t.Errorf("NewestScan = %v, %v; want %v", got, err, want)
		}
	}
	newest(ahead.ScannedAt)
	proof := outbox.ClockEvent{Kind: outbox.ClockWasAhead, At: noon}
	e, ok, err := o.Correct(t.Context(), proof)
	if err != nil || !ok || e.Scans != 1 || !e.Was.Equal(ahead.ScannedAt) || e.AfterSeq != 4 || e.ID == "" {
		t.Fatalf("Correct = %+v, %v, %v", e, ok, err)
	}
	newest(near.ScannedAt)
	if _, ok, err := o.Correct(t.Context(), proof); ok || err != nil {
		t.Errorf("the same proof again is kept: %v", err)
	}
	documents := proof
	documents.Documents, documents.Was = 12, noon.Add(300*24*time.Hour)
	if e, ok, err := o.Correct(t.Context(), documents); err != nil || !ok || e.Scans != 0 || !e.Was.Equal(documents.Was) {
		t.Errorf("documents dated ahead: %+v, %v, %v", e, ok, err)
	}
	if _, ok, err := o.Correct(t.Context(), outbox.ClockEvent{Kind: outbox.ClockConfirmed, At: noon}); err != nil || !ok {
		t.Errorf("an operator's word: %v, %v", ok, err)
	}
	o.Close()
	o = open(t, path)
	newest(near.ScannedAt)
	events, err := o.ClockEvents(t.Context(), 10)
	if err != nil || len(events) != 3 || events[0].Kind != outbox.ClockConfirmed || events[1].Documents != 12 || events[2].ID != e.ID {
		t.Fatalf("events %+v, %v", events, err)
	}
	rows, err := o.History(t.Context(), outbox.Filter{})
	if err != nil || len(rows) != 4 {
		t.Fatal(len(rows), err)
	}
	for _, row := range rows {
		if row.Damaged || row.Ahead != (row.Scan.ScanID == ahead.ScanID) {
			t.Errorf("%s: ahead %v, damaged %v", row.Scan.ScanID, row.Ahead, row.Damaged)
		}
	}
	// A marked scan is sent like any other: it is evidence.
	if got := lease(t, o, "b", noon, outbox.Limits{}); len(got.Batch.Items) != len(right)+2 {
		t.Errorf("leased %d", len(got.Batch.Items))
	}
}

// TestProvenScan: the outbox stores whether a scan's time was proven, and the
// row's checksum covers it.
func TestProvenScan(t *testing.T) {
	t.Parallel()
	o := fresh(t)
	s := scan(1)
	s.Proven = true
	if err := o.Record(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	if e, err := o.Get(t.Context(), s.ScanID); err != nil || !e.Scan.Proven || e.Damaged {
		t.Errorf("%+v, %v", e, err)
	}
	if err := outbox.Tamper(t.Context(), o, `UPDATE scans SET flags = 0`); err != nil {
		t.Fatal(err)
	}
	if e, err := o.Get(t.Context(), s.ScanID); err != nil || !e.Damaged {
		t.Errorf("a changed flag: damaged %v, %v", e.Damaged, err)
	}
}
