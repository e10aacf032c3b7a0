// Package trustjournal keeps the trust state of a device in a journal, where there is
// no SQLite: in the browser. Start with [Open]; the rules and all methods are those of
// [trustbook.Book]:
//
//	trustbook.Book ──View──▶ content in memory ◀──Load── journal
//	       └───────Update──▶ records that change ──Commit──▶ journal
//
// A failed commit has an unknown outcome, so the next call opens the journal again and
// reads it. FORMAT.md here describes the records.
package trustjournal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"tcode/offline/digest"
	"tcode/offline/host/journal"
	"tcode/offline/trust"
	"tcode/offline/trustbook"
)

// ErrFormat means that a newer program has written the journal.
var ErrFormat = errors.New("trust journal of another format")

// A Trust is an open trust store. It is safe for concurrent use.
type Trust struct {
	*trustbook.Book
	reason string // see Repaired
}

// Repaired reports whether Open found damage: it returns the reason, or an empty
// string. Open has kept the roots, the gateway and the remembered revocations that it
// could read; the device must fetch or import the documents again.
func (t *Trust) Repaired() string { return t.reason }

// Open opens the trust store in the journal that open returns. The next call after a
// failed commit calls open again. Open repairs damage ([Trust.Repaired]); without room for
// that, the first change that has room writes the repair. now is
// the device's clock; nil: [time.Now]. Errors: [ErrFormat], and those of the journal.
func Open(ctx context.Context, open func(context.Context) (journal.Journal, error), now func() time.Time) (*Trust, error) {
	s := &store{open: open}
	t := &Trust{Book: trustbook.New(s, now)}
	_, err := t.Snapshot(ctx)
	if errors.Is(err, trustbook.ErrState) {
		t.reason = err.Error()
		if err = s.repair(ctx, t.reason, now); err == nil {
			_, err = t.Snapshot(ctx)
		}
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("trust journal: %w", err), s.Close())
	}
	return t, nil
}

// OpenStore is Open without the Book, for tests of the store: it repairs nothing.
func OpenStore(ctx context.Context, open func(context.Context) (journal.Journal, error)) (trustbook.Store, error) {
	s := &store{open: open}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.ready(ctx); err != nil {
		return nil, errors.Join(err, s.drop())
	}
	return s, nil
}

// A store is a trustbook.Store in a journal.
type store struct {
	open func(context.Context) (journal.Journal, error)

	mu     sync.Mutex
	held   journal.Journal   // nil: not open, and the content is not known
	now    *content          // nil: not read
	owed   map[string][]byte // a repair for which there was no room: the next commit has it too
	closed bool
}

var _ trustbook.Store = (*store)(nil)

// errClosed means that a store is used after Close.
var errClosed = errors.New("trust journal is closed")

// ready opens the journal and reads it, if it is not open.
func (s *store) ready(ctx context.Context) error {
	if s.closed {
		return errClosed
	}
	if s.held == nil {
		held, err := s.open(ctx)
		if err != nil {
			return err
		}
		s.held = held
	}
	if s.now != nil {
		return nil
	}
	c := newContent()
	var damage error
	err := s.held.Load(ctx, func(key string, value []byte) error {
		err := c.put(key, append([]byte{}, value...))
		if errors.Is(err, trustbook.ErrState) { // the format may come later, and it counts first
			damage, err = cmp.Or(damage, err), nil
		}
		return err
	})
	if err = cmp.Or(err, damage, c.check()); err != nil {
		return err
	}
	s.now = c
	return nil
}

// drop closes the journal: the next call opens it again.
func (s *store) drop() error {
	if s.held == nil {
		return nil
	}
	err := s.held.Close()
	s.held, s.now, s.owed = nil, nil, nil
	return err
}

// View implements [trustbook.Store].
func (s *store) View(ctx context.Context, read func(trustbook.Reader) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.ready(ctx); err != nil {
		return err
	}
	return read(reader{s.now})
}

// Update implements [trustbook.Store].
func (s *store) Update(ctx context.Context, change func(trustbook.Reader) (trustbook.Change, error)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.ready(ctx); err != nil {
		return err
	}
	c, err := change(reader{s.now})
	if err != nil || c.Empty(s.now.facts) {
		return err
	}
	return s.commit(ctx, s.now.records(c))
}

// commit writes the changes and takes them over. After an error the content is not
// known, unless there was no room.
func (s *store) commit(ctx context.Context, changes map[string][]byte) error {
	all := changes
	if s.owed != nil {
		all = maps.Clone(s.owed)
		maps.Copy(all, changes)
	}
	err := s.held.Commit(ctx, all)
	if errors.Is(err, journal.ErrFull) {
		return fmt.Errorf("commit: %w", err)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("commit: %w", err), s.drop())
	}
	s.owed = nil
	for key, value := range changes {
		if err := s.now.put(key, value); err != nil {
			return errors.Join(err, s.drop())
		}
	}
	return nil
}

// Remembered implements [trustbook.Store].
func (s *store) Remembered(ctx context.Context, core digest.SHA256) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.ready(ctx); err != nil {
		return false, err
	}
	_, ok := s.now.revoked[core]
	return ok, nil
}

// Close implements [trustbook.Store].
func (s *store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	return s.drop()
}

// A reader reads a content.
type reader struct{ *content }

// Facts implements [trustbook.Reader].
func (r reader) Facts() (trustbook.Facts, error) { return r.facts, nil }

// Documents implements [trustbook.Reader].
func (r reader) Documents() (trust.Saved, error) { return r.saved(), nil }

// Shards implements [trustbook.Reader].
func (r reader) Shards() (map[uint16][]byte, error) { return maps.Clone(r.shards), nil }

// Survivors implements [trustbook.Reader].
func (r reader) Survivors() (map[string][]byte, error) { return maps.Clone(r.survivors), nil }

// SurvivorNames implements [trustbook.Reader].
func (r reader) SurvivorNames() ([]string, error) { return slices.Sorted(maps.Keys(r.survivors)), nil }
