package outbox_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"tcode/offline/host/journal"
	"tcode/sync/outbox"
	"tcode/sync/wire"
)

// A store is an outbox of either kind.
type store interface {
	Record(ctx context.Context, scans ...*outbox.Scan) error
	Bind(ctx context.Context, scannerID string) error
	StartSync(ctx context.Context, scannerID string) (stop func() error, err error)
	Lease(ctx context.Context, batchID string, now time.Time, l outbox.Limits) (outbox.Leased, error)
	Settle(ctx context.Context, s outbox.Settlement) error
	Requeue(ctx context.Context, scanIDs ...string) error
	Pause(ctx context.Context, until time.Time) error
	Paused(ctx context.Context, now time.Time) (bool, error)
	RetryNow(ctx context.Context) error
	NextDue(ctx context.Context, now time.Time) (at time.Time, ok bool, err error)
	Correct(ctx context.Context, e outbox.ClockEvent) (kept outbox.ClockEvent, ok bool, err error)
	ClockEvents(ctx context.Context, limit int) ([]outbox.ClockEvent, error)
	Untold(ctx context.Context) ([]wire.ClockEvent, error)
	Counts(ctx context.Context) (outbox.Counts, error)
	History(ctx context.Context, f outbox.Filter) ([]outbox.Entry, error)
	Get(ctx context.Context, scanID string) (outbox.Entry, error)
	Receipts(ctx context.Context, after int64, limit int) ([]outbox.ReceiptRow, error)
	NewestScan(ctx context.Context) (time.Time, error)
	BoundTo(ctx context.Context) (string, error)
	Repairs(ctx context.Context) ([]outbox.Repair, error)
	Losses(ctx context.Context, limit int) ([]outbox.Loss, error)
	MarkSeen(ctx context.Context) error
	Close() error
}

func openBook(t *testing.T, d *journal.Disk) *outbox.Book {
	t.Helper()
	j, err := d.Open()
	if err != nil {
		t.Fatal(err)
	}
	b, err := outbox.OpenBook(t.Context(), j)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// A pair plays the same on both stores, and compares.
type pair struct {
	r      *rand.Rand
	file   store
	book   store
	path   string
	disk   journal.Disk
	now    time.Time
	scans  []*outbox.Scan // of the file
	leased []outbox.Leased
	n      int
}

// TestSameRules plays random scripts on a file and on a journal: both say the same at each step.
func TestSameRules(t *testing.T) {
	t.Parallel()
	dead, scripts := 0, 12
	if testing.Short() {
		scripts = 4
	}
	for seed := range uint64(scripts) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			p := &pair{r: rand.New(rand.NewPCG(seed, 3)), path: filepath.Join(t.TempDir(), "o.db"), now: noon}
			p.open(t)
			for range 150 {
				p.step(t)
				p.compare(t)
				if t.Failed() {
					t.FailNow()
				}
			}
			c, err := p.file.Counts(t.Context())
			if err != nil || c.Done < 5 || c.Queued+c.Inflight < 5 {
				t.Errorf("the script reaches too little: %+v, %v", c, err)
			}
			dead += c.Dead
			p.close(t)
		})
	}
	if dead < scripts/2 {
		t.Errorf("%d dead scans in all, the scripts reach too little", dead)
	}
}

func (p *pair) open(t *testing.T) {
	o, err := outbox.Open(t.Context(), p.path)
	if err != nil {
		t.Fatal(err)
	}
	p.file, p.book = o, openBook(t, &p.disk)
}

func (p *pair) close(t *testing.T) {
	if err := errors.Join(p.file.Close(), p.book.Close()); err != nil {
		t.Fatal(err)
	}
}

// both compares the errors of one call on both stores.
func (p *pair) both(t *testing.T, what string, call func(s store) error) error {
	t.Helper()
	a, b := call(p.file), call(p.book)
	for _, kind := range []error{
		outbox.ErrConflict, outbox.ErrScan, outbox.ErrOtherDevice, outbox.ErrTransition, outbox.ErrReceipt, outbox.ErrNoScan, outbox.ErrSyncing,
	} {
		if errors.Is(a, kind) != errors.Is(b, kind) {
			t.Errorf("%s: file %v, journal %v", what, a, b)
		}
	}
	if (a == nil) != (b == nil) || outbox.IsDamaged(a) != outbox.IsDamaged(b) {
		t.Errorf("%s: file %v, journal %v", what, a, b)
	}
	return a
}

func (p *pair) step(t *testing.T) {
	p.now = p.now.Add(time.Duration(p.r.IntN(90)) * time.Second)
	switch p.r.IntN(17) {
	case 0, 1, 2:
		p.record(t)
	case 3, 4:
		p.lease(t)
	case 14, 15, 16:
		p.lease(t)
		p.settle(t)
	case 5, 6, 7:
		p.settle(t)
	case 8:
		id := p.anyID()
		_ = p.both(t, "requeue", func(s store) error { return s.Requeue(t.Context(), id) })
	case 9:
		until := p.now.Add(time.Duration(p.r.IntN(7000)-1000) * time.Second)
		_ = p.both(t, "pause", func(s store) error { return s.Pause(t.Context(), until) })
	case 10:
		_ = p.both(t, "retry now", func(s store) error { return s.RetryNow(t.Context()) })
	case 11:
		p.correct(t)
	case 12:
		id := []string{"dev", "dev", "dev", "other"}[p.r.IntN(4)]
		_ = p.both(t, "start", func(s store) error {
			stop, err := s.StartSync(t.Context(), id)
			if err != nil {
				return err
			}
			_, err = s.StartSync(t.Context(), id)
			return errors.Join(err, stop())
		})
	default:
		p.close(t)
		p.open(t)
	}
}

// copies returns s twice, for a store each.
func copies(s *outbox.Scan) [2]*outbox.Scan {
	a, b := *s, *s
	return [2]*outbox.Scan{&a, &b}
}

func (p *pair) record(t *testing.T) {
	var lists [2][]*outbox.Scan
	for range 1 + p.r.IntN(4) {
		p.n++
		s := scan(p.n)
		s.ScanID = fmt.Sprintf("%08x-0190-7000-8000-%012x", p.n, p.r.Uint64()&0xffffffffffff)
		s.ScannedAt = p.now.Add(time.Duration(p.r.IntN(200_000)-1000) * time.Second)
		switch p.r.IntN(8) {
		case 0:
			s.Payload, s.Reference = nil, "TCR-0123456789ABCDEF"
		case 1:
			s.Context = wire.Context{Location: "Gate é", Coordinates: true, LatitudeE6: -1, LongitudeE6: 180000000, Note: "n"}
			s.Stale, s.Proven, s.Test = true, true, true
		case 2:
			if len(p.scans) > 0 { // again, the same or another
				*s = *p.scans[p.r.IntN(len(p.scans))]
				if p.r.IntN(2) == 0 {
					s.Verdict = "revoked"
				}
			}
		case 3:
			s.Verdict = "" // not valid
		}
		c := copies(s)
		lists[0], lists[1] = append(lists[0], c[0]), append(lists[1], c[1])
	}
	i := -1
	err := p.both(t, "record", func(s store) error { i++; return s.Record(t.Context(), lists[i]...) })
	if err == nil {
		p.scans = append(p.scans, lists[0]...)
	} else if !errors.Is(err, outbox.ErrConflict) && !errors.Is(err, outbox.ErrScan) {
		t.Error(err)
	}
}

func (p *pair) anyID() string {
	if len(p.scans) == 0 || p.r.IntN(10) == 0 {
		return "none"
	}
	return p.scans[p.r.IntN(len(p.scans))].ScanID
}

func (p *pair) lease(t *testing.T) {
	l := outbox.Limits{Items: 1 + p.r.IntN(6), Bytes: 400 + p.r.IntN(3000), Lease: time.Duration(p.r.IntN(900)) * time.Second}
	p.n++
	var got [2]outbox.Leased
	i := -1
	err := p.both(t, "lease", func(s store) (err error) {
		i++
		got[i], err = s.Lease(t.Context(), fmt.Sprintf("b-%d", p.n), p.now, l)
		return err
	})
	if !reflect.DeepEqual(got[0], got[1]) {
		t.Errorf("leased by file: %+v\nby journal: %+v", got[0], got[1])
	}
	if err == nil && len(got[0].Batch.Items) > 0 {
		p.leased = append(p.leased, got[0])
	}
}

func (p *pair) settle(t *testing.T) {
	if len(p.leased) == 0 {
		return
	}
	b := p.leased[len(p.leased)-1]
	if p.r.IntN(4) == 0 {
		b = p.leased[p.r.IntN(len(p.leased))] // again, or after its lease
	}
	s := outbox.Settlement{BatchID: b.Batch.ID, At: p.now, ReceivedAt: p.now.Add(time.Second)}
	if p.r.IntN(6) > 0 {
		s.Receipt = receipt(b.Batch)
		s.Receipt.Note, s.Receipt.Answers = fmt.Sprintf("note %s %d", b.Batch.ID, p.r.IntN(12)/11), []byte("answers")
	}
	events := []outbox.Event{outbox.Accepted, outbox.Accepted, outbox.Duplicate, outbox.Conflict, outbox.Rejected, outbox.Retry, outbox.Release, outbox.Lease}
	for _, it := range b.Batch.Items {
		e := events[p.r.IntN(len(events)-p.r.IntN(2))]
		a := outbox.Answer{ScanID: it.ScanID, Event: e, Code: "c" + string(e), Message: "m", Result: wire.ItemResult{
			Result: wire.ItemOutcome(e), Verdict: "revoked", VerdictAtScan: "valid", Changed: p.r.IntN(2) == 0, Reference: "R", Status: "active",
		}}
		if e == outbox.Retry {
			a.NextAt = p.now.Add(time.Duration(p.r.IntN(5000)) * time.Second)
		}
		if p.r.IntN(8) > 0 {
			s.Answers = append(s.Answers, a)
		}
	}
	tell := p.r.IntN(3) == 0
	_ = p.both(t, "settle", func(o store) error {
		s.Told = nil
		if untold, err := o.Untold(t.Context()); err != nil {
			return err
		} else if tell {
			for _, e := range untold {
				s.Told = append(s.Told, e.ID)
			}
		}
		return o.Settle(t.Context(), s)
	})
}

// correct makes the same event in both: the ids are made anew by each.
func (p *pair) correct(t *testing.T) {
	e := outbox.ClockEvent{Kind: outbox.ClockWasAhead, At: p.now.Add(time.Duration(p.r.IntN(100_000)) * time.Second)}
	if p.r.IntN(3) == 0 {
		e.Kind = outbox.ClockConfirmed
	}
	var kept [2]outbox.ClockEvent
	var ok [2]bool
	i := -1
	_ = p.both(t, "correct", func(s store) (err error) {
		i++
		kept[i], ok[i], err = s.Correct(t.Context(), e)
		return err
	})
	kept[0].ID, kept[1].ID = "", ""
	if kept[0] != kept[1] || ok[0] != ok[1] {
		t.Errorf("corrected in file: %+v %t\nin journal: %+v %t", kept[0], ok[0], kept[1], ok[1])
	}
}

// compare compares all that both stores show.
func (p *pair) compare(t *testing.T) {
	t.Helper()
	var shown [2][]any
	for i, s := range []store{p.file, p.book} {
		keep := func(v any, err error) {
			if err != nil {
				t.Errorf("store %d: %v", i, err)
			}
			shown[i] = append(shown[i], v)
		}
		counts, err := s.Counts(t.Context())
		keep(counts, err)
		all, err := s.History(t.Context(), outbox.Filter{Limit: 10_000})
		keep(all, err)
		for _, state := range outbox.States() {
			some, err := s.History(t.Context(), outbox.Filter{State: state, Before: uint64(1 + p.n/2), Limit: 3})
			keep(some, err)
		}
		if len(all) > 0 {
			one, err := s.Get(t.Context(), all[0].Scan.ScanID)
			keep(one, err)
		}
		receipts, err := s.Receipts(t.Context(), 1, 5)
		keep(receipts, err)
		at, ok, err := s.NextDue(t.Context(), p.now)
		keep([]any{at, ok}, err)
		paused, err := s.Paused(t.Context(), p.now)
		keep(paused, err)
		newest, err := s.NewestScan(t.Context())
		keep(newest, err)
		bound, err := s.BoundTo(t.Context())
		keep(bound, err)
		events, err := s.ClockEvents(t.Context(), 100)
		for k := range events {
			events[k].ID = ""
			if events[k].Receipt != "" {
				events[k].Receipt = "some"
			}
		}
		keep(events, err)
	}
	for k := range shown[0] {
		if !reflect.DeepEqual(shown[0][k], shown[1][k]) {
			t.Errorf("%d of what they show, file: %+v\njournal: %+v", k, shown[0][k], shown[1][k])
		}
	}
}
