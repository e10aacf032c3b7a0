package keep_test

import (
	"errors"
	"fmt"
	"testing"

	"tcode/offline/host/journal"
	"tcode/sync/outbox"
)

// TestSessionKeepsItsBook: after a failed commit a sender that is at work does not go on with a book whose lock it does not have,
// and the next session finds its scans in the queue.
func TestSessionKeepsItsBook(t *testing.T) {
	t.Parallel()
	d := new(journal.Disk)
	s, _ := openScans(t, d)
	if err := s.Record(t.Context(), scan(1)); err != nil {
		t.Fatal(err)
	}
	settled := 0
	session := s.Session(func(outbox.Settlement) { settled++ })
	stop, err := session.StartSync(t.Context(), "dev")
	if err != nil {
		t.Fatal(err)
	}
	if l, err := session.Lease(t.Context(), "b", noon, outbox.Limits{}); err != nil || len(l.Batch.Items) != 1 {
		t.Fatal(l, err)
	}
	d.Fail(journal.FailAfter)
	if err := s.Record(t.Context(), scan(2)); !errors.Is(err, outbox.ErrReopen) {
		t.Fatal(err)
	}
	if got := fmt.Sprint(states(t, s)); got != "[inflight queued]" { // another book from here on
		t.Errorf("after the failure %s", got)
	}
	retry := outbox.Settlement{BatchID: "b", Answers: []outbox.Answer{{ScanID: scan(1).ScanID, Event: outbox.Retry}}}
	if err := session.Settle(t.Context(), retry); !errors.Is(err, outbox.ErrReopen) || settled != 0 {
		t.Errorf("settle: %v, told %d times", err, settled)
	}
	if _, err := session.Lease(t.Context(), "c", noon, outbox.Limits{}); !errors.Is(err, outbox.ErrReopen) {
		t.Errorf("lease: %v", err)
	}
	if got := fmt.Sprint(states(t, s)); got != "[inflight queued]" {
		t.Errorf("the session changed another book: %s", got)
	}
	next := s.Session(nil)
	if err := stop(); err != nil {
		t.Error(err)
	}
	if stop, err = next.StartSync(t.Context(), "dev"); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(states(t, s)); got != "[queued queued]" {
		t.Errorf("the next session finds %s", got)
	}
	if _, err := session.StartSync(t.Context(), "dev"); !errors.Is(err, outbox.ErrSyncing) {
		t.Errorf("two senders: %v", err)
	}
	if err := errors.Join(stop(), s.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := session.StartSync(t.Context(), "dev"); !errors.Is(err, journal.ErrClosed) {
		t.Errorf("after close: %v", err)
	}
}

// TestSessionTellsAfterCommit: Settled is called for a settlement that is durable, and for no other.
func TestSessionTellsAfterCommit(t *testing.T) {
	t.Parallel()
	for fault, want := range map[journal.Fault]int{journal.NoFault: 1, journal.FailBefore: 0, journal.FailAfter: 0, journal.Full: 0} {
		d := new(journal.Disk)
		s, _ := openScans(t, d)
		if err := s.Record(t.Context(), scan(1)); err != nil {
			t.Fatal(err)
		}
		told := 0
		session := s.Session(func(outbox.Settlement) { told++ })
		stop, err := session.StartSync(t.Context(), "dev")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := session.Lease(t.Context(), "b", noon, outbox.Limits{}); err != nil {
			t.Fatal(err)
		}
		d.Fail(fault)
		err = session.Settle(t.Context(), outbox.Settlement{BatchID: "b", Answers: []outbox.Answer{{ScanID: scan(1).ScanID, Event: outbox.Release}}})
		if told != want || (err == nil) != (want == 1) {
			t.Errorf("fault %d: told %d times, %v", fault, told, err)
		}
		if err := errors.Join(stop(), s.Close()); err != nil {
			t.Fatal(err)
		}
	}
}
