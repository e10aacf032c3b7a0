package outbox_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
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

// TestClockEventsSurviveDamage: a repair keeps clock events with correct checksums, under
// their old ids, and their marks on scans; the gateway receives them again.
func TestClockEventsSurviveDamage(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		damage     func(raw []byte) []byte
		kept, lost int
	}{
		"the header and the schema": {func(raw []byte) []byte { clear(raw[:512]); return raw }, 3, 0},
		"an event": {func(raw []byte) []byte {
			return bytes.ReplaceAll(raw, []byte("clock_confirmed"), []byte("clock_confirmee"))
		}, 2, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "outbox.db")
			o := open(t, path)
			right := record(t, o, 1)
			for _, at := range []time.Duration{400 * 24 * time.Hour, 500 * 24 * time.Hour} {
				ahead := scan(7)
				ahead.ScannedAt = noon.Add(at)
				if err := o.Record(t.Context(), ahead); err != nil {
					t.Fatal(err)
				}
				if _, ok, err := o.Correct(t.Context(), outbox.ClockEvent{Kind: outbox.ClockWasAhead, At: noon}); !ok || err != nil {
					t.Fatal(ok, err)
				}
			}
			if _, ok, err := o.Correct(t.Context(), outbox.ClockEvent{Kind: outbox.ClockConfirmed, At: noon}); !ok || err != nil {
				t.Fatal(ok, err)
			}
			before, err := o.ClockEvents(t.Context(), 10)
			if err != nil {
				t.Fatal(err)
			}
			if err := o.Close(); err != nil {
				t.Fatal(err)
			}
			raw, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, c.damage(raw), 0o600); err != nil {
				t.Fatal(err)
			}
			if o, err = outbox.Open(t.Context(), path); err != nil {
				t.Fatal(err)
			}
			if err := o.Check(t.Context()); err != nil {
				o = again(t, o, path, name, err)
			}
			defer func() { o.Close() }()
			repairs, err := o.Repairs(t.Context())
			if err != nil || len(repairs) != 1 || repairs[0].Kept != 3 || repairs[0].Events != c.kept || repairs[0].EventsLost != c.lost {
				t.Fatalf("repairs %+v, %v", repairs, err)
			}
			after, err := o.ClockEvents(t.Context(), 10)
			if err != nil || !slices.Equal(after, before[c.lost:]) { // the newest one was damaged
				t.Errorf("events %+v, %v; they were %+v", after, err, before)
			}
			if newest, err := o.NewestScan(t.Context()); err != nil || !newest.Equal(right[0].ScannedAt) {
				t.Errorf("NewestScan = %v, %v: scans dated ahead are a floor again", newest, err)
			}
			if untold, err := o.Untold(t.Context()); err != nil || len(untold) != c.kept {
				t.Errorf("%d events to tell, %v", len(untold), err)
			}
		})
	}
}
