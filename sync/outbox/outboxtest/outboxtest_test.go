package outboxtest_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"tcode/offline/host/journal"
	"tcode/sync/outbox"
	"tcode/sync/outbox/outboxtest"
)

// disk is a place in memory.
type disk struct{ *journal.Disk }

func (d disk) Open(ctx context.Context) (outboxtest.Store, error) {
	j, err := d.Disk.Open()
	if err != nil {
		return nil, err
	}
	return outbox.OpenBook(ctx, j)
}

func TestBook(t *testing.T) {
	t.Parallel()
	outboxtest.Run(t, func(*testing.T) outboxtest.Place { return disk{new(journal.Disk)} })
}

// TestEachCommitFails fails each commit of each step, in each way. After a failure whose outcome is not known the book
// refuses to read; opened again, the step is done once more, and its scans are in the states of a step without a fault.
func TestEachCommitFails(t *testing.T) {
	t.Parallel()
	for _, fault := range []journal.Fault{journal.FailBefore, journal.FailAfter, journal.Full} {
		met := 0
		for at, bad := range outboxtest.Steps() {
			for commit := range 3 {
				met += failing(t, at, commit, fault, bad.Name)
			}
		}
		if met < 10 {
			t.Errorf("fault %d met %d steps", fault, met)
		}
	}
}

// failing plays the steps, and fails one commit of step at. It returns 1 if the step met the fault.
func failing(t *testing.T, at, commit int, fault journal.Fault, name string) (met int) {
	t.Helper()
	d := disk{new(journal.Disk)}
	s, err := d.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i, step := range outboxtest.Steps() {
		if i == at {
			faults := make([]journal.Fault, commit+1)
			faults[commit] = fault
			d.Fail(faults...)
		}
		what := fmt.Sprintf("fault %d of commit %d of %q, %s", fault, commit, name, step.Name)
		err := step.Do(t.Context(), s)
		d.Fail()
		if err != nil {
			met = 1
			_, read := s.History(t.Context(), outbox.Filter{})
			if full := fault == journal.Full; outbox.IsFull(err) != full || errors.Is(read, outbox.ErrReopen) == full {
				t.Fatalf("%s: %v, then %v", what, err, read)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			if s, err = d.Open(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := step.Do(t.Context(), s); err != nil {
				t.Fatalf("%s, again: %v", what, err)
			}
		}
		rows, err := s.History(t.Context(), outbox.Filter{Limit: 10})
		if err != nil || len(rows) != len(step.States) {
			t.Fatalf("%s: %d rows, %v", what, len(rows), err)
		}
		for k, want := range step.States {
			if e := rows[len(rows)-1-k]; e.State != want || e.Scan.Seq != uint64(k+1) || e.Scan.ScanID != outboxtest.Scan(k+1).ScanID {
				t.Errorf("%s: scan %d is %s under number %d", what, k+1, e.State, e.Scan.Seq)
			}
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return met
}
