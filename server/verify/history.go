package verify

import (
	"context"
	"log/slog"
	"time"

	"tcode/server/fault"
	"tcode/server/stamp"
)

// The history is written in groups: one commit, and so one wait for the disk,
// holds many verifications. A line of it may be lost with the power; a scan
// never is, it has its own row.
const (
	// flushEvery is how long a line waits.
	flushEvery = 200 * time.Millisecond
	// flushAt is how many lines wait at most; the request that brings the next
	// one writes them all, so that memory is bounded by the disk's pace.
	flushAt = 1000
)

// remember adds a line to the history. That it could not be written is logged
// and is no reason to withhold the answer.
func (s *Service) remember(ctx context.Context, e Entry) {
	s.mu.Lock()
	s.pending = append(s.pending, e)
	full := len(s.pending) >= flushAt
	s.mu.Unlock()
	if full {
		s.flush(ctx)
	}
}

// Flush writes the history so far.
func (s *Service) Flush(ctx context.Context) error {
	s.mu.Lock()
	entries := s.pending
	s.pending = nil
	s.mu.Unlock()
	if len(entries) == 0 {
		return nil
	}
	return s.c.Store.AddVerifications(ctx, entries)
}

func (s *Service) flush(ctx context.Context) {
	if err := s.Flush(context.WithoutCancel(ctx)); err != nil {
		s.c.Log.ErrorContext(ctx, "write verification history", slog.Any("err", err))
	}
}

// Run writes the history several times a second until ctx ends, and once more
// then.
func (s *Service) Run(ctx context.Context) error {
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			s.flush(ctx)
			return nil
		case <-tick.C:
			s.flush(ctx)
		}
	}
}

// History returns one page of the verifications of the viewer's own documents,
// newest first; a viewer without a tenant has none.
func (s *Service) History(ctx context.Context, v Viewer, p Page) (HistoryPage, error) {
	var bad fault.Fields
	p.Number, p.Size = stamp.CheckPage(&bad, p.Number, p.Size)
	if err := bad.Err(); err != nil {
		return HistoryPage{}, err
	}
	if v.Tenant == "" {
		return HistoryPage{Page: p}, nil
	}
	return s.c.Store.Verifications(ctx, v.Tenant, p)
}
