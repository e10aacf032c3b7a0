package outbox

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"tcode/offline/host/journal"
	"tcode/sync/wire"
)

// ErrReopen means that the outcome of an earlier change is not known. Close the book, open it again and read it.
var ErrReopen = errors.New("a change of the scan history failed and its outcome is not known: open it again")

// A Book is the outbox over a [journal.Journal], for devices without SQLite, such as a phone's browser. Its rules are those of
// [Outbox]. All rows are in memory, as their records; a change counts once the journal has committed it. It is safe for
// concurrent use.
type Book struct {
	mu      sync.Mutex
	j       journal.Journal
	rows    []slot // by number
	byID    map[string]int
	facts   facts
	proofs  []proof          // receipts, by id
	byName  map[string]int64 // batch -> id of its receipt
	events  []ClockEvent
	fixed   []repaired // repairs, by id
	broken  bool
	unsaved map[string][]byte // repairs for which there was no room: the next change commits them too
	full    error             // why
}

// A slot is a row in memory: its record, and the members by which it is looked for.
type slot struct {
	record               []byte
	id                   string
	seq                  uint64
	state                State
	next, lease, scanned time.Time
	conflict, changed    bool
	ahead                bool
	verdict              string // the worse one of device and gateway
}

// facts are the single values of a book.
type facts struct {
	last    uint64
	scanner string
	pause   time.Time
}

// A proof is a stored receipt: its record, and the members by which it is looked for.
type proof struct {
	id     int64
	record []byte
	batch  string
	note   string
}

// OpenBook opens the book in j and reads all of it. It sets damaged records aside, salvages what has checksums of its own,
// and lists the rest ([Book.Repairs], [Book.Losses]). If there is no room for that, the book opens nevertheless
// ([Book.Unsaved]). The book closes j.
func OpenBook(ctx context.Context, j journal.Journal) (*Book, error) {
	b := &Book{j: j, byID: map[string]int{}, byName: map[string]int64{}}
	changes, err := b.load(ctx)
	if err != nil {
		return nil, fmt.Errorf("outbox: %w", err)
	}
	if len(changes) == 0 {
		return b, nil
	}
	switch err := j.Commit(ctx, changes); {
	case errors.Is(err, journal.ErrFull):
		b.unsaved, b.full = changes, err
	case err != nil:
		return nil, fmt.Errorf("outbox: repair: %w", err)
	}
	return b, nil
}

// Unsaved returns the error, for which [IsFull] is true, of a repair that has no room: the book shows it, the journal is as it
// was found, and the first change that has room keeps both. It returns nil if nothing waits for room.
func (b *Book) Unsaved() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.full
}

// Close closes the journal.
func (b *Book) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.broken = true
	return b.j.Close()
}

// write runs fn over the rows, commits its changes, and then applies them.
func (b *Book) write(ctx context.Context, fn func(rows) error) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.broken {
		return ErrReopen
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	tx := &bookRows{book: b, facts: b.facts, changed: map[int]Entry{}}
	if err := fn(tx); err != nil {
		return err
	}
	changes := tx.changes()
	if len(changes) == 0 {
		return nil
	}
	all := changes
	if len(b.unsaved) > 0 {
		all = maps.Clone(b.unsaved)
		maps.Copy(all, changes)
	}
	// A commit that is given up half-way would break the book for nothing.
	if err := b.j.Commit(context.WithoutCancel(ctx), all); err != nil {
		if errors.Is(err, journal.ErrFull) {
			return err
		}
		b.broken = true
		return fmt.Errorf("%w: %w", ErrReopen, err)
	}
	b.unsaved, b.full = nil, nil
	tx.apply(changes)
	return nil
}

// read runs fn over the rows.
func (b *Book) read(ctx context.Context, fn func(*bookRows) error) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.broken {
		return ErrReopen
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return fn(&bookRows{book: b, facts: b.facts})
}

// entry decodes the row in slot i.
func (b *Book) entry(i int) (Entry, error) {
	e, salvaged, err := decodeEntry(scanKey(b.rows[i].seq), b.rows[i].record)
	if salvaged && err == nil {
		err = errRow // it was whole when the book was opened
	}
	return e, err
}

// Record is [Outbox.Record].
func (b *Book) Record(ctx context.Context, scans ...*Scan) error {
	fresh, err := prepareAll(scans)
	if err != nil || len(scans) == 0 {
		return err
	}
	var seqs []uint64
	err = b.write(ctx, func(r rows) (err error) {
		seqs, err = record(r, scans, fresh)
		return err
	})
	if err != nil {
		return fmt.Errorf("record: %w", err)
	}
	for i, s := range scans {
		s.Seq = seqs[i]
	}
	return nil
}

// StartSync is [Outbox.StartSync]. The lock is that of the journal.
func (b *Book) StartSync(ctx context.Context, scannerID string) (stop func() error, err error) {
	unlock, err := b.j.Lock(ctx)
	if errors.Is(err, journal.ErrLocked) {
		err = ErrSyncing
	}
	if err != nil {
		return nil, fmt.Errorf("sync lock: %w", err)
	}
	err = b.write(ctx, func(r rows) error {
		if err := bind(r, scannerID); err != nil {
			return err
		}
		return putBack(r, func(*Entry) bool { return true })
	})
	if err != nil {
		return nil, errors.Join(err, unlock())
	}
	return unlock, nil
}

// Bind is [Outbox.Bind].
func (b *Book) Bind(ctx context.Context, scannerID string) error {
	return b.write(ctx, func(r rows) error { return bind(r, scannerID) })
}

// Rebind gives the book to another device key, because its own is lost. Scans that were never sent stay queued. Each one that
// the lost key may have sent is dead afterwards, with [CodeKeyLost]: sent again, it would count twice.
func (b *Book) Rebind(ctx context.Context, scannerID string) error {
	err := b.write(ctx, func(r rows) error { return rebind(r.(*bookRows), scannerID) })
	if err != nil {
		return fmt.Errorf("rebind: %w", err)
	}
	return nil
}

// Lease is [Outbox.Lease].
func (b *Book) Lease(ctx context.Context, batchID string, now time.Time, l Limits) (leased Leased, err error) {
	err = b.write(ctx, func(r rows) (err error) {
		leased, err = lease(r, batchID, now, l)
		return err
	})
	if err != nil {
		return Leased{}, fmt.Errorf("lease: %w", err)
	}
	return leased, nil
}

// Settle is [Outbox.Settle].
func (b *Book) Settle(ctx context.Context, s Settlement) error {
	if err := s.check(); err != nil {
		return err
	}
	if err := b.write(ctx, func(r rows) error { return settle(r, &s) }); err != nil {
		return fmt.Errorf("settle batch %s: %w", s.BatchID, err)
	}
	return nil
}

// Requeue is [Outbox.Requeue].
func (b *Book) Requeue(ctx context.Context, scanIDs ...string) error {
	if err := b.write(ctx, func(r rows) error { return requeue(r, scanIDs) }); err != nil {
		return fmt.Errorf("requeue: %w", err)
	}
	return nil
}

// Pause is [Outbox.Pause].
func (b *Book) Pause(ctx context.Context, until time.Time) error {
	if err := b.write(ctx, func(r rows) error { return r.setPause(until) }); err != nil {
		return fmt.Errorf("pause: %w", err)
	}
	return nil
}

// Paused is [Outbox.Paused].
func (b *Book) Paused(ctx context.Context, now time.Time) (paused bool, err error) {
	err = b.read(ctx, func(r *bookRows) error {
		until, err := pausedUntil(r, now)
		paused = until.After(now)
		return err
	})
	return paused, err
}

// RetryNow is [Outbox.RetryNow].
func (b *Book) RetryNow(ctx context.Context) error {
	if err := b.write(ctx, retryNow); err != nil {
		return fmt.Errorf("retry now: %w", err)
	}
	return nil
}

// NextDue is [Outbox.NextDue].
func (b *Book) NextDue(ctx context.Context, now time.Time) (at time.Time, ok bool, err error) {
	err = b.read(ctx, func(r *bookRows) error {
		for i := range b.rows {
			due := b.rows[i].next
			switch b.rows[i].state {
			case Queued:
			case Inflight:
				due = b.rows[i].lease
			default:
				continue
			}
			if !ok || due.Before(at) {
				at, ok = due, true
			}
		}
		paused, err := pausedUntil(r, now)
		if ok {
			at = dueAt(at, now, paused)
		}
		return err
	})
	return at, ok, err
}

// Correct is [Outbox.Correct].
func (b *Book) Correct(ctx context.Context, e ClockEvent) (kept ClockEvent, ok bool, err error) {
	if err = prepareEvent(&e); err == nil {
		err = b.write(ctx, func(r rows) (err error) {
			ok, err = correct(r, &e)
			return err
		})
	}
	if err != nil {
		return e, false, fmt.Errorf("correct the clock: %w", err)
	}
	return e, ok, nil
}

// ClockEvents is [Outbox.ClockEvents].
func (b *Book) ClockEvents(ctx context.Context, limit int) (all []ClockEvent, err error) {
	err = b.read(ctx, func(*bookRows) error {
		all = slices.Clone(b.events)
		return nil
	})
	slices.Reverse(all)
	return all[:min(len(all), limit)], err
}

// Untold is [Outbox.Untold].
func (b *Book) Untold(ctx context.Context) (all []wire.ClockEvent, err error) {
	all = []wire.ClockEvent{}
	err = b.read(ctx, func(*bookRows) error {
		for _, e := range b.events {
			if !e.Told && len(all) < wire.MaxClockEvents {
				all = append(all, e.Item())
			}
		}
		return nil
	})
	return all, err
}
