package keep_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"tcode/offline/host/journal"
	"tcode/scanner/web/engine/keep"
	"tcode/sync/outbox"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// scan returns scan i, always the same.
func scan(i int) *outbox.Scan {
	return &outbox.Scan{
		ScanID: fmt.Sprintf("%08x-0190-7000-8000-000000000000", i), Payload: fmt.Appendf(nil, "\xd7\x11payload %d", i),
		ScannedAt: noon.Add(time.Duration(i) * time.Second), Verdict: "valid", Assurance: "signature_and_status", Binding: "match", TrustVersion: 1,
	}
}

// window is a window of the app: it opens journals on a disk, and counts.
type window struct {
	disk  *journal.Disk
	mu    sync.Mutex
	opens int
}

func (w *window) open(context.Context) (journal.Journal, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.opens++
	return w.disk.Open()
}

func openScans(t *testing.T, d *journal.Disk) (*keep.Scans, *window) {
	t.Helper()
	w := &window{disk: d}
	s, err := keep.OpenScans(t.Context(), w.open)
	if err != nil {
		t.Fatal(err)
	}
	return s, w
}

// states returns the states of all scans, the oldest first.
func states(t *testing.T, s *keep.Scans) (all []outbox.State) {
	t.Helper()
	err := s.Do(t.Context(), func(b *outbox.Book) error {
		rows, err := b.History(t.Context(), outbox.Filter{})
		for i := len(rows) - 1; i >= 0; i-- {
			all = append(all, rows[i].State)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestScansReopen: what is recorded is there in the next window, and a window that has closed does nothing.
func TestScansReopen(t *testing.T) {
	t.Parallel()
	d := new(journal.Disk)
	s, _ := openScans(t, d)
	if err := s.Record(t.Context(), scan(1), scan(2)); err != nil {
		t.Fatal(err)
	}
	e, ok, err := s.Correct(t.Context(), outbox.ClockEvent{Kind: outbox.ClockConfirmed, At: noon})
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	if err := errors.Join(s.Close(), s.Close()); err != nil {
		t.Fatal(err)
	}
	if err := s.Record(t.Context(), scan(3)); !errors.Is(err, journal.ErrClosed) {
		t.Errorf("record after close: %v", err)
	}
	s, _ = openScans(t, d)
	events, err := s.ClockEvents(t.Context(), 10)
	if got := fmt.Sprint(states(t, s)); got != "[queued queued]" || err != nil || len(events) != 1 || events[0].ID != e.ID {
		t.Errorf("opened again: %s, %+v, %v", got, events, err)
	}
	if at, err := s.NewestScan(t.Context()); err != nil || !at.Equal(scan(2).ScannedAt) {
		t.Errorf("newest scan %v, %v", at, err)
	}
}

// TestScansUnknown: a commit whose outcome is unknown is told, the next call reads, and the same scans again are stored once.
func TestScansUnknown(t *testing.T) {
	t.Parallel()
	for fault, kept := range map[journal.Fault]int{journal.FailBefore: 1, journal.FailAfter: 2, journal.Full: 1} {
		d := new(journal.Disk)
		s, w := openScans(t, d)
		if err := s.Record(t.Context(), scan(1)); err != nil {
			t.Fatal(err)
		}
		d.Fail(fault)
		err := s.Record(t.Context(), scan(2))
		if full := fault == journal.Full; err == nil || outbox.IsFull(err) != full || errors.Is(err, outbox.ErrReopen) == full {
			t.Errorf("fault %d: %v", fault, err)
		}
		if n := len(states(t, s)); n != kept {
			t.Errorf("fault %d: %d scans, want %d", fault, n, kept)
		}
		again := scan(2)
		if err := s.Record(t.Context(), again); err != nil || again.Seq != 2 || len(states(t, s)) != 2 {
			t.Errorf("fault %d: again: number %d, %v", fault, again.Seq, err)
		}
		if opens := map[bool]int{true: 1, false: 2}[fault == journal.Full]; w.opens != opens {
			t.Errorf("fault %d: opened %d times, want %d", fault, w.opens, opens)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := d.Open(); err != nil {
			t.Errorf("fault %d: a journal stays open: %v", fault, err)
		}
	}
}

// TestScansTwoWindows: one window at a time has the scans. After a failed commit, in which another window may take them, the first
// one reports that, and stores nothing.
func TestScansTwoWindows(t *testing.T) {
	t.Parallel()
	d := new(journal.Disk)
	first, _ := openScans(t, d)
	if _, err := keep.OpenScans(t.Context(), (&window{disk: d}).open); !errors.Is(err, journal.ErrOwned) {
		t.Errorf("a second window: %v", err)
	}
	d.Fail(journal.FailBefore)
	if err := first.Record(t.Context(), scan(1)); !errors.Is(err, outbox.ErrReopen) {
		t.Fatal(err)
	}
	second, _ := openScans(t, d)
	if err := first.Record(t.Context(), scan(1)); !errors.Is(err, journal.ErrOwned) {
		t.Errorf("the first window: %v", err)
	}
	if err := errors.Join(second.Record(t.Context(), scan(2)), second.Close(), first.Record(t.Context(), scan(1))); err != nil {
		t.Error(err)
	}
	if n := len(states(t, first)); n != 2 {
		t.Errorf("%d scans", n)
	}
}

// TestScansDamage damages a record between windows: the others are there, and the loss is listed.
func TestScansDamage(t *testing.T) {
	t.Parallel()
	for key, lost := range map[string]int{"s0000000000000001": 1, "f": 0, "s0000000000000002": 1} {
		d := new(journal.Disk)
		s, _ := openScans(t, d)
		if err := errors.Join(s.Record(t.Context(), scan(1), scan(2), scan(3)), s.Close()); err != nil {
			t.Fatal(err)
		}
		records := d.Records()
		records[key][5] ^= 1
		d.Set(records)
		d.Fail(journal.Full, journal.Full) // opening has no room, and the first scan has none
		s, w := openScans(t, d)
		if n := len(states(t, s)); n != 3-lost || w.opens != 1 {
			t.Errorf("%s: %d scans, %d openings", key, n, w.opens)
		}
		if err := s.Record(t.Context(), scan(4)); !outbox.IsFull(err) {
			t.Errorf("%s: without room: %v", key, err)
		}
		if err := s.Record(t.Context(), scan(4)); err != nil {
			t.Errorf("%s: with room: %v", key, err)
		}
		err := s.Do(t.Context(), func(b *outbox.Book) error {
			losses, err := b.Losses(t.Context(), 10)
			if len(losses) != lost {
				t.Errorf("%s: losses %+v", key, losses)
			}
			return err
		})
		if err := errors.Join(err, s.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

// TestScansConcurrently records while commits fail: each scan is stored once, whichever worker opens the journal again.
func TestScansConcurrently(t *testing.T) {
	t.Parallel()
	d := new(journal.Disk)
	s, _ := openScans(t, d)
	var all sync.WaitGroup
	const workers, each = 4, 20
	for worker := range workers {
		all.Go(func() {
			for i := range each {
				if i%4 == 0 {
					d.Fail([]journal.Fault{journal.FailBefore, journal.FailAfter, journal.Full}[(worker+i/4)%3])
				}
				one := scan(1 + worker*each + i)
				for err := s.Record(t.Context(), one); err != nil; err = s.Record(t.Context(), one) {
					if !outbox.IsFull(err) && !errors.Is(err, outbox.ErrReopen) && !errors.Is(err, journal.ErrOwned) {
						t.Error(err)
						return
					}
				}
			}
		})
	}
	all.Wait()
	d.Fail()
	if n := len(states(t, s)); n != workers*each {
		t.Errorf("%d scans", n)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}
