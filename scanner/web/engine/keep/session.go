package keep

import (
	"context"
	"sync"
	"time"

	"tcode/sync/outbox"
	"tcode/sync/wire"
)

// A Session is the history for package uplink: between StartSync and its end all calls go to the same book, because
// the sync lock belongs to that book. If the book is dropped in between, they fail with outbox.ErrReopen.
type Session struct {
	scans *Scans
	// Settled is called after each settlement is durable. nil: nothing.
	Settled func(outbox.Settlement)

	mu   sync.Mutex
	book *outbox.Book // of the session; nil: there is none
}

// Session returns the history for a sender.
func (s *Scans) Session(settled func(outbox.Settlement)) *Session {
	return &Session{scans: s, Settled: settled}
}

// StartSync begins a session ([outbox.Book.StartSync]).
func (s *Session) StartSync(ctx context.Context, scannerID string) (stop func() error, err error) {
	book, err := s.scans.now(ctx)
	if err != nil {
		return nil, err
	}
	unlock, err := book.StartSync(ctx, scannerID)
	if err != nil {
		return nil, s.scans.drop(book, err)
	}
	s.set(book)
	return func() error {
		s.set(nil)
		return unlock()
	}, nil
}

func (s *Session) set(book *outbox.Book) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.book = book
}

// do calls fn with the book of the session, or with the open one between sessions.
func (s *Session) do(ctx context.Context, fn func(*outbox.Book) error) error {
	s.mu.Lock()
	book := s.book
	s.mu.Unlock()
	if book == nil {
		return s.scans.Do(ctx, fn)
	}
	return s.scans.drop(book, fn(book))
}

// Lease is [outbox.Book.Lease].
func (s *Session) Lease(ctx context.Context, batchID string, now time.Time, l outbox.Limits) (leased outbox.Leased, err error) {
	err = s.do(ctx, func(b *outbox.Book) (err error) {
		leased, err = b.Lease(ctx, batchID, now, l)
		return err
	})
	return leased, err
}

// Settle is [outbox.Book.Settle].
func (s *Session) Settle(ctx context.Context, done outbox.Settlement) error {
	err := s.do(ctx, func(b *outbox.Book) error { return b.Settle(ctx, done) })
	if err == nil && s.Settled != nil {
		s.Settled(done)
	}
	return err
}

// Pause is [outbox.Book.Pause].
func (s *Session) Pause(ctx context.Context, until time.Time) error {
	return s.do(ctx, func(b *outbox.Book) error { return b.Pause(ctx, until) })
}

// Paused is [outbox.Book.Paused].
func (s *Session) Paused(ctx context.Context, now time.Time) (paused bool, err error) {
	err = s.do(ctx, func(b *outbox.Book) (err error) {
		paused, err = b.Paused(ctx, now)
		return err
	})
	return paused, err
}

// RetryNow is [outbox.Book.RetryNow].
func (s *Session) RetryNow(ctx context.Context) error {
	return s.do(ctx, func(b *outbox.Book) error { return b.RetryNow(ctx) })
}

// NextDue is [outbox.Book.NextDue].
func (s *Session) NextDue(ctx context.Context, now time.Time) (at time.Time, ok bool, err error) {
	err = s.do(ctx, func(b *outbox.Book) (err error) {
		at, ok, err = b.NextDue(ctx, now)
		return err
	})
	return at, ok, err
}

// Untold is [outbox.Book.Untold].
func (s *Session) Untold(ctx context.Context) (all []wire.ClockEvent, err error) {
	err = s.do(ctx, func(b *outbox.Book) (err error) {
		all, err = b.Untold(ctx)
		return err
	})
	return all, err
}
