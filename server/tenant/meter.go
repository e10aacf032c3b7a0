package tenant

import (
	"context"
	"sync"
	"time"
)

// meterEvery is the interval for writing counted requests. A crash loses at most the counts of
// one interval, and several gateways together may exceed a quota by the requests of one interval.
const meterEvery = time.Second

// lastFlush is the time for the last write at the end: a busy disk must not cost the
// counts of the last second.
const lastFlush = 10 * time.Second

// meter counts requests that need an API key. They are written once a second and not each
// in a transaction: most requests only read, and a write to disk for each would cost more
// than the reading. Requests that make something are also counted exactly, under their own
// kind, in their own transaction.
type meter struct {
	flushing sync.Mutex // held while counts are written, so that none is written twice

	mu     sync.Mutex // guards counts; never held during a call to the store
	counts map[metered]*requestCount
}

// metered is the tenant whose requests are counted, and their kind.
type metered struct {
	tenant string
	kind   Kind
}

// requestCount is the count of one month.
type requestCount struct {
	month   Month
	written int64 // by all gateways, at the last write; -1: not known yet
	pending int64 // ours, since then
}

// of returns the count of a month. mu is held.
func (m *meter) of(whose metered, month Month) *requestCount {
	if m.counts == nil {
		m.counts = make(map[metered]*requestCount)
	}
	c := m.counts[whose]
	if c == nil {
		c = &requestCount{month: month, written: -1}
		m.counts[whose] = c
	}
	if c.month != month && c.pending == 0 {
		*c = requestCount{month: month, written: -1}
	}
	return c
}

// CountRequest counts a request that id sent. If the month's quota of requests is used up,
// it returns the Forbidden fault quota_exceeded and counts nothing; free requests are
// always counted. The requests that several gateways get within a second may exceed the
// quota.
func (s *Service) CountRequest(ctx context.Context, id Identity, free bool) error {
	month, whose := MonthOf(s.now()), metered{id.Tenant.Reference, KindRequests.Of(id.Test)}
	quota, limited := id.Tenant.Plan.Quotas[KindRequests]
	if limited = limited && !free; limited {
		if err := s.learnRequests(ctx, whose, month); err != nil {
			return err
		}
	}
	s.meter.mu.Lock()
	defer s.meter.mu.Unlock()
	c := s.meter.of(whose, month)
	if limited && c.written+c.pending >= quota {
		return QuotaExceeded(whose.kind, quota, month)
	}
	c.pending++
	return nil
}

// learnRequests reads the count so far if it is not known.
func (s *Service) learnRequests(ctx context.Context, whose metered, month Month) error {
	s.meter.mu.Lock()
	known := s.meter.of(whose, month).written >= 0
	s.meter.mu.Unlock()
	if known {
		return nil
	}
	used, err := s.store.Usage(ctx, whose.tenant, month)
	if err != nil {
		return err
	}
	s.meter.mu.Lock()
	defer s.meter.mu.Unlock()
	c := s.meter.of(whose, month)
	c.written = max(c.written, 0)
	for _, u := range used {
		if u.Kind == whose.kind {
			c.written = max(c.written, u.Used)
		}
	}
	return nil
}

// FlushRequests writes the counted requests.
func (s *Service) FlushRequests(ctx context.Context) error {
	s.meter.flushing.Lock()
	defer s.meter.flushing.Unlock()
	var add []Usage
	s.meter.mu.Lock()
	for whose, c := range s.meter.counts {
		if c.pending > 0 {
			add = append(add, Usage{Tenant: whose.tenant, Month: c.month, Kind: whose.kind, Used: c.pending})
		} else if c.month != MonthOf(s.now()) {
			delete(s.meter.counts, whose)
		}
	}
	s.meter.mu.Unlock()
	if len(add) == 0 {
		return nil
	}
	totals, err := s.store.AddUsage(ctx, add)
	if err != nil {
		return err
	}
	s.meter.mu.Lock()
	defer s.meter.mu.Unlock()
	for i, u := range add {
		c := s.meter.counts[metered{u.Tenant, u.Kind}]
		c.pending -= u.Used
		c.written = totals[i]
	}
	return nil
}
