package verify

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"tcode/offline/contain"
	"tcode/server/fault"
	"tcode/server/issue/stamp"
	"tcode/server/platform/round"
)

// The history is written in groups: one commit, and so one wait for the disk, for many
// verifications. A power failure may lose those of the last second. It never loses a scan,
// which has its own row before its answer.
const (
	// flushEvery is the longest wait of a line.
	flushEvery = 200 * time.Millisecond
	// flushAt is the largest number of waiting lines; the request with the next one writes
	// them all, so that the disk's speed limits the memory.
	flushAt = 1000
	// claimsEvery is the interval for deleting old claims.
	claimsEvery = time.Minute
	// roundTime bounds one writing, and one deletion of old claims.
	roundTime = 2 * time.Minute
	// keepAtMost is the number of lines that wait while the store refuses them.
	keepAtMost = 10 * flushAt
)

// remember adds a line to the history. An error of the write is logged and does not
// prevent the answer.
//
// A client without a key adds a bounded number of lines of one stamp or document a day.
func (s *Service) remember(ctx context.Context, e Entry) {
	if e.ViewerKey == "" {
		use := stampUse{e.Reference, ofLookUps}
		if s.stamps.left(use, e.VerifiedAt) < lookUpSize {
			return
		}
		s.stamps.add(map[stampUse]int64{use: lookUpSize})
	}
	s.mu.Lock()
	s.pending = append(s.pending, e)
	full := len(s.pending)%flushAt == 0
	s.mu.Unlock()
	if full {
		s.flush(ctx)
	}
}

// Pending returns the number of lines of the history that are not written yet.
func (s *Service) Pending() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.pending)
}

// Flush writes the history so far. Lines that could not be written wait for the next time,
// up to ten thousand lines; the oldest are dropped first.
func (s *Service) Flush(ctx context.Context) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	s.mu.Lock()
	entries := s.pending
	if len(entries) > 0 {
		s.pending = make([]Entry, 0, min(len(entries), flushAt)) // as many are likely to follow
	}
	s.mu.Unlock()
	if len(entries) == 0 {
		return nil
	}
	err := s.c.Room()
	if err == nil {
		entries, err = s.write(ctx, entries)
	}
	if err != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.pending = append(entries, s.pending...)
		if lost := len(s.pending) - keepAtMost; lost > 0 {
			s.pending = slices.Clone(s.pending[lost:])
			return fmt.Errorf("%d lines of history are lost: %w", lost, err)
		}
	}
	return err
}

// write writes lines, and returns those that are left after an error. A line that the store refuses
// for a reason of its own is dropped: it would hold up the others forever.
func (s *Service) write(ctx context.Context, entries []Entry) ([]Entry, error) {
	err := s.add(ctx, entries)
	if err == nil || s.c.Outage(err) || ctx.Err() != nil {
		return entries, err
	}
	for i, e := range entries {
		switch err := s.add(ctx, []Entry{e}); {
		case err == nil:
		case s.c.Outage(err) || ctx.Err() != nil:
			return entries[i:], err
		default:
			s.c.Log.ErrorContext(ctx, "a line of the verification history is lost", slog.String("tenant", e.Tenant), slog.Any("err", err))
		}
	}
	return nil, nil
}

// add stores lines. A panic of the store is the error of these lines.
func (s *Service) add(ctx context.Context, entries []Entry) error {
	return contain.Do("history", func() error { return s.c.Store.AddVerifications(ctx, entries) })
}

func (s *Service) flush(ctx context.Context) {
	ctx = context.WithoutCancel(ctx)
	s.unwritten.Tell(ctx, s.Flush(ctx))
}

// Run writes the history several times a second until ctx ends, and once more then. It
// also deletes old claims. Neither can end a gateway again and again: lines are in memory only, and
// claims are deleted by their age alone.
func (s *Service) Run(ctx context.Context) error {
	tick, sweep := time.NewTicker(flushEvery), time.NewTicker(claimsEvery)
	defer tick.Stop()
	defer sweep.Stop()
	for {
		select {
		case <-ctx.Done():
			s.flush(ctx)
			return nil
		case <-tick.C:
			_ = round.Do(ctx, roundTime, func(ctx context.Context) error { s.flush(ctx); return nil })
		case <-sweep.C:
			_ = round.Do(ctx, roundTime, func(ctx context.Context) error { s.sweep(ctx); return nil })
		}
	}
}

// A HistoryFilter selects verifications of one kind of thing.
type HistoryFilter struct {
	Kind     Kind
	Test     bool      // only test documents
	From, To time.Time // not before From, and before To; zero: any time
}

// History returns one page of the verifications of the viewer's own stamps or Trust documents,
// newest first; a viewer without a tenant has none, and one with a test key those of test documents.
func (s *Service) History(ctx context.Context, v Viewer, f HistoryFilter, p Page) (HistoryPage, error) {
	var bad fault.Fields
	p.Number, p.Size = stamp.CheckPage(&bad, p.Number, p.Size)
	if err := bad.Err(); err != nil {
		return HistoryPage{}, err
	}
	if v.Tenant == "" {
		return HistoryPage{Page: p}, nil
	}
	f.Test = f.Test || v.Test
	return s.c.Store.Verifications(ctx, v.Tenant, f, p)
}

// MostTallied is the number of verifications that [Service.Tallies] counts.
const MostTallied = 1000

// A Tally is the number of verifications of one reference with one verdict.
type Tally struct {
	Verdict Verdict
	Count   int
	Last    time.Time
}

// Tallies counts the newest [MostTallied] verifications of one of a tenant's stamps or
// documents by verdict.
func (s *Service) Tallies(ctx context.Context, tenantRef string, kind Kind, reference [10]byte) ([]Tally, error) {
	return s.c.Store.Tallies(ctx, tenantRef, kind, reference, MostTallied)
}
