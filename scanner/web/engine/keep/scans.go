package keep

import (
	"context"
	"errors"
	"sync"
	"time"

	"tcode/offline/host/journal"
	"tcode/sync/outbox"
)

// An Opener opens a journal. It returns journal.ErrOwned if another window has it.
type Opener func(context.Context) (journal.Journal, error)

// Scans is the scan history of a device, in a journal. It is safe for concurrent use.
type Scans struct {
	open Opener

	mu     sync.Mutex
	book   *outbox.Book // nil: it must be opened again
	closed bool
}

// OpenScans opens the history. Errors are those of open and of outbox.OpenBook.
func OpenScans(ctx context.Context, open Opener) (*Scans, error) {
	s := &Scans{open: open}
	_, err := s.now(ctx)
	return s, err
}

// now returns the open book.
func (s *Scans) now(ctx context.Context) (*outbox.Book, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, journal.ErrClosed
	}
	if s.book != nil {
		return s.book, nil
	}
	j, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	book, err := outbox.OpenBook(ctx, j)
	if err != nil {
		return nil, errors.Join(err, j.Close())
	}
	s.book = book
	return book, nil
}

// drop closes a book whose last change has an unknown outcome, or that is damaged.
func (s *Scans) drop(book *outbox.Book, err error) error {
	if !errors.Is(err, outbox.ErrReopen) && !outbox.IsDamaged(err) {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.book == book {
		s.book = nil
		return errors.Join(err, book.Close())
	}
	return err
}

// Do calls fn with the open book.
func (s *Scans) Do(ctx context.Context, fn func(*outbox.Book) error) error {
	book, err := s.now(ctx)
	if err != nil {
		return err
	}
	return s.drop(book, fn(book))
}

// Record stores scans in one commit ([outbox.Book.Record]). After an error with an unknown outcome the history
// shows whether they are stored.
func (s *Scans) Record(ctx context.Context, scans ...*outbox.Scan) error {
	return s.Do(ctx, func(b *outbox.Book) error { return b.Record(ctx, scans...) })
}

// NewestScan is [outbox.Book.NewestScan].
func (s *Scans) NewestScan(ctx context.Context) (at time.Time, err error) {
	err = s.Do(ctx, func(b *outbox.Book) (err error) {
		at, err = b.NewestScan(ctx)
		return err
	})
	return at, err
}

// Correct is [outbox.Book.Correct].
func (s *Scans) Correct(ctx context.Context, e outbox.ClockEvent) (kept outbox.ClockEvent, ok bool, err error) {
	err = s.Do(ctx, func(b *outbox.Book) (err error) {
		kept, ok, err = b.Correct(ctx, e)
		return err
	})
	return kept, ok, err
}

// ClockEvents is [outbox.Book.ClockEvents].
func (s *Scans) ClockEvents(ctx context.Context, limit int) (all []outbox.ClockEvent, err error) {
	err = s.Do(ctx, func(b *outbox.Book) (err error) {
		all, err = b.ClockEvents(ctx, limit)
		return err
	})
	return all, err
}

// Close closes the book.
func (s *Scans) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	book := s.book
	s.book, s.closed = nil, true
	if book == nil {
		return nil
	}
	return book.Close()
}
