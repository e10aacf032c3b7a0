package devicetime_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"tcode/offline"
	"tcode/offline/host/journal"
	"tcode/offline/host/trustjournal"
	"tcode/offline/trust"
	"tcode/offline/trust/trusttest"
	"tcode/offline/trustbook"
	"tcode/sync/devicetime"
	"tcode/sync/outbox"
)

// newClock returns the clock of an enrolled device whose own clock says now.
func newClock(t *testing.T, now time.Time) devicetime.Clock {
	t.Helper()
	var disk journal.Disk
	book, err := trustjournal.Open(t.Context(), func(context.Context) (journal.Journal, error) { return disk.Open() }, nil)
	if err != nil {
		t.Fatal(err)
	}
	history, err := outbox.Open(t.Context(), filepath.Join(t.TempDir(), "outbox.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { history.Close(); book.Close() })
	a := trusttest.New(t, "a")
	root, err := trust.Pin(a.Roots, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := book.Pin(t.Context(), root); err != nil {
		t.Fatal(err)
	}
	if _, err := book.Apply(t.Context(), a.Set(10, 0)); err != nil {
		t.Fatal(err)
	}
	return devicetime.Clock{
		Book: book.Book, History: history, Now: func() time.Time { return now },
		Boot: func() offline.Boot { return offline.Boot{ID: "boot 1", At: time.Minute} },
	}
}

func report(t *testing.T, c devicetime.Clock) devicetime.Report {
	t.Helper()
	r, err := c.Report(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A proof of an earlier time lowers the floor of the documents, marks them, and is an
// event for the gateway; a zero proof is none.
func TestProofs(t *testing.T) {
	t.Parallel()
	ahead := trusttest.Day0.Add(time.Hour)
	c := newClock(t, ahead)
	if err := c.Refreshed(t.Context(), offline.Proof{}, trustbook.Correction{Version: 9}); err != nil {
		t.Fatal(err)
	}
	if r := report(t, c); len(r.Events) != 0 || r.Basis != offline.DeviceClock || !r.Floor.Equal(trusttest.Day0) || !r.StatusAsOf.Equal(trusttest.Day0) {
		t.Errorf("before: %+v", r)
	}
	s, err := c.Book.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	right := trusttest.Day0.AddDate(0, -1, 0)
	p := offline.Proof{Time: right, Boot: offline.Boot{ID: "boot 1", At: 30 * time.Second}}
	if err := c.Proved(t.Context(), trust.VerifierKey{}, p); !errors.Is(err, trustbook.ErrOldKey) {
		t.Errorf("a proof of another key: %v", err)
	}
	if err := c.Proved(t.Context(), s.State().Root.Online, p); err != nil {
		t.Fatal(err)
	}
	r := report(t, c)
	if r.Basis != offline.Proven || !r.Timing.Now.Equal(right.Add(30*time.Second)) || !r.Floor.Equal(right) {
		t.Errorf("after the proof: %+v", r)
	}
	if len(r.Events) != 1 || r.Events[0].Kind != outbox.ClockWasAhead || !r.Events[0].At.Equal(right) || !r.Events[0].Was.Equal(trusttest.Day0) || r.Events[0].Documents != 10 {
		t.Errorf("events %+v", r.Events)
	}
	// A word below the proof is refused, and kept as an event with despite.
	below := right.AddDate(0, -1, 0)
	if err := c.Confirm(t.Context(), below, false); !errors.Is(err, trustbook.ErrBelowProof) {
		t.Errorf("Confirm = %v, want ErrBelowProof", err)
	}
	if err := c.Confirm(t.Context(), below, true); err != nil {
		t.Fatal(err)
	}
	if r := report(t, c); len(r.Events) != 2 || r.Events[0].Kind != outbox.ClockConfirmed || r.Basis == offline.Proven {
		t.Errorf("after the word: %+v", r)
	}
}

// A scan is a floor of the clock until a proof shows that it is dated ahead.
func TestNewestScan(t *testing.T) {
	t.Parallel()
	now := trusttest.Day0.Add(time.Hour)
	c := newClock(t, now)
	late := now.AddDate(1, 0, 0)
	scan := &outbox.Scan{Payload: []byte("x"), ScannedAt: late, Verdict: "unverified", Assurance: "none", Binding: "not_checked"}
	if err := c.History.(*outbox.Outbox).Record(t.Context(), scan); err != nil {
		t.Fatal(err)
	}
	if r := report(t, c); !r.NewestScan.Equal(late) || !r.Suspect {
		t.Errorf("with a scan that is dated ahead: %+v", r)
	}
	p := offline.Proof{Time: now, Boot: offline.Boot{ID: "boot 0", At: 0}}
	if err := c.Refreshed(t.Context(), p, trustbook.Correction{}); err != nil {
		t.Fatal(err)
	}
	if r := report(t, c); !r.NewestScan.IsZero() || len(r.Events) != 1 || r.Events[0].Scans != 1 {
		t.Errorf("after a proof: %+v", r)
	}
}
