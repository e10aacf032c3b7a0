// Package trustbook keeps the trust state of a device: enrolment, documents, status
// shards, remembered revocations and proofs of time. It has one copy of each rule and
// uses no file, network or SQL; a [Store] below it does. Start with the store of
// package cache (SQLite) or trustjournal (a journal, for the browser), then call
// [Book.Pin] and [Book.Apply]; [Book.Snapshot] is for verifying.
//
//	feed, import file ──trust.Update──▶ Apply ──┐ one commit of the store:
//	                                            │   read state ─▶ trust.State.Apply ─▶ Change
//	                                            ▼
//	                                          Store ──Snapshot──▶ offline.Verifier
//	                                            ▲
//	         revoked once, revoked permanently ─Remember
//
// The rules are those of [trust.State.Apply]. They run inside [Store.Update], on the
// state that this commit replaces, so two processes cannot interleave to a lower
// version: set and floors change together or not at all. Reading checks every
// signature again, so it detects an edited store.
//
// FORMAT.md here describes the export file.
package trustbook

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"tcode/offline/digest"
	"tcode/offline/statuslist"
	"tcode/offline/trust"
)

var (
	// ErrNotEnrolled means that no root is pinned yet.
	ErrNotEnrolled = errors.New("no trust root pinned: this device is not enrolled")
	// ErrOtherRoot means that another root is pinned already. To change it,
	// give up the trust state with [Book.Unpin].
	ErrOtherRoot = errors.New("another trust root is pinned")
	// ErrState means that the stored state does not verify: the store was
	// damaged or edited.
	ErrState = errors.New("stored trust state does not verify")
)

// A Book is the trust state over a Store. It is safe for concurrent use, as far as
// the Store is also by several processes.
type Book struct {
	store Store
	now   func() time.Time

	// mu guards latest, so that a long-running scanner does not verify the same
	// stored documents for each scan.
	mu     sync.Mutex
	latest *Snapshot
}

// New returns the Book over a store. now is the device's clock, for the dates of an
// enrolment and of remembered revocations; nil: [time.Now].
func New(store Store, now func() time.Time) *Book {
	if now == nil {
		now = time.Now
	}
	return &Book{store: store, now: now}
}

// Close closes the store. Earlier snapshots remain usable, except for remembered
// revocations.
func (b *Book) Close() error { return b.store.Close() }

// An edit is one change while its rules are applied.
type edit struct {
	Change
	read  Reader
	state *trust.State // after the change so far; nil: not enrolled
	names []string     // of the stored survivor lists
	now   time.Time
}

// update runs rule on the present state and writes what it changed.
func (b *Book) update(ctx context.Context, rule func(*edit) error) error {
	return b.store.Update(ctx, func(r Reader) (Change, error) {
		e := edit{read: r, now: b.now()}
		var err error
		if e.Facts, err = r.Facts(); err != nil {
			return Change{}, err
		}
		if e.state, err = load(r, e.Facts); err != nil {
			return Change{}, err
		}
		if e.names, err = r.SurvivorNames(); err != nil {
			return Change{}, err
		}
		return e.Change, rule(&e)
	})
}

// note changes only facts that no rule depends on.
func (b *Book) note(ctx context.Context, set func(*Facts)) error {
	return b.store.Update(ctx, func(r Reader) (Change, error) {
		facts, err := r.Facts()
		set(&facts)
		return Change{Facts: facts}, err
	})
}

// load verifies the whole stored state. It returns nil, nil if no root is pinned.
func load(r Reader, facts Facts) (*trust.State, error) {
	saved, err := r.Documents()
	if err != nil || len(saved.Roots) == 0 {
		return nil, err
	}
	saved.Floor, saved.Ahead = facts.Floor, facts.Ahead
	s, err := trust.Load(saved)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrState, err)
	}
	return &s, nil
}

// Pin starts the trust state with s, which [trust.Pin] made of a chain of
// roots. If the same root is pinned already, Pin adds the newer roots of s; if
// another root is pinned, it returns [ErrOtherRoot].
func (b *Book) Pin(ctx context.Context, s trust.State) error {
	if len(s.Roots) == 0 {
		return fmt.Errorf("pin: %w", trust.ErrNoRoot)
	}
	if err := b.update(ctx, func(e *edit) error { return e.pin(s) }); err != nil {
		return fmt.Errorf("pin: %w", err)
	}
	return nil
}

func (e *edit) pin(s trust.State) error {
	if e.state == nil {
		e.Facts.PinnedAt = millis(e.now)
		e.adopt(s, trust.Changes{Roots: len(s.Roots)})
		return nil
	}
	if e.state.Fingerprint != s.Fingerprint {
		return fmt.Errorf("%w: %s", ErrOtherRoot, e.state.Fingerprint)
	}
	return e.follow(s.Roots)
}

// follow applies a chain of any length, MaxRootRun roots at a time.
func (e *edit) follow(roots [][]byte) error {
	for len(roots) > 0 {
		n := min(len(roots), trust.MaxRootRun)
		if _, err := e.apply(trust.Update{Roots: roots[:n]}, nil); err != nil {
			return err
		}
		roots = roots[n:]
	}
	return nil
}

// Unpin forgets the root and everything that came with it, also remembered
// revocations: the device is as new. Call it only when a person asks for it.
func (b *Book) Unpin(ctx context.Context) error {
	// It reads no documents: a state that does not verify can be given up too.
	err := b.store.Update(ctx, func(r Reader) (Change, error) {
		facts, err := r.Facts()
		return Change{Clear: Everything, Facts: Facts{Generation: facts.Generation + 1}}, err
	})
	if err != nil {
		return fmt.Errorf("unpin: %w", err)
	}
	return nil
}

// Apply accepts u or refuses it as a whole, by the rules of [trust.State.Apply],
// and returns the errors of that. survivors are raw lists; Apply keeps those
// that the newest bundle names. If it is refused, nothing has changed.
func (b *Book) Apply(ctx context.Context, u trust.Update, survivors ...[]byte) (trust.Changes, error) {
	var changes trust.Changes
	err := b.update(ctx, func(e *edit) (err error) {
		changes, err = e.apply(u, survivors)
		return err
	})
	if err != nil {
		return trust.Changes{}, fmt.Errorf("apply trust documents: %w", err)
	}
	return changes, nil
}

func (e *edit) apply(u trust.Update, survivors [][]byte) (trust.Changes, error) {
	if e.state == nil {
		return trust.Changes{}, ErrNotEnrolled
	}
	next, changes, err := e.state.Apply(u)
	if err != nil {
		return trust.Changes{}, err
	}
	if changes.Any() {
		var held map[uint16][]byte
		if changes.Status {
			if held, err = e.read.Shards(); err != nil {
				return trust.Changes{}, err
			}
		}
		undone, err := e.state.Undone(next, changes, u, held)
		if err != nil {
			return trust.Changes{}, err
		}
		e.adopt(next, changes)
		if err := e.keep(changes, u); err != nil {
			return trust.Changes{}, err
		}
		e.Remembered, e.SeenAt = append(e.Remembered, undone...), millis(e.now)
		changes.Undone = len(undone)
	}
	return changes, e.keepSurvivors(survivors)
}

// adopt writes next over the present state. changes says where they differ.
func (e *edit) adopt(next trust.State, changes trust.Changes) {
	if changes.Reset {
		e.reset(changes.Forget)
		e.names = nil
	}
	if changes.Timestamp && (e.state == nil || e.state.Timestamp == nil || changes.Reset) {
		e.Clear |= PartShards // the first set brings all of them
	}
	held := 0
	if e.state != nil {
		held = len(e.state.Roots)
	}
	for i, raw := range next.Roots[held:] {
		put(&e.Roots, held+i+1, raw)
	}
	if changes.Timestamp || changes.Bundle || changes.Status {
		e.Timestamp, e.Bundle, e.Status = next.RawTimestamp, next.RawBundle, next.RawStatus
	}
	if next.Timestamp != nil {
		e.Facts.Floor = seconds(next.Floor)
	}
	e.state = &next
	e.Facts.Generation++
}

// keep writes the packs and shards that an accepted update has brought.
func (e *edit) keep(changes trust.Changes, u trust.Update) error {
	for _, number := range changes.Packs {
		put(&e.Packs, number, u.Packs[number])
	}
	for _, number := range changes.Shards {
		shard, err := statuslist.Inflate(u.Shards[number])
		if err != nil {
			return err
		}
		put(&e.Shards, number, Shard{shard.Hash(), shard.Deflate()}) // compressed again: another encoder may do worse
	}
	return nil
}

// keepSurvivors keeps the lists that the bundle names and deletes the others.
func (e *edit) keepSurvivors(lists [][]byte) error {
	if e.state.Bundle == nil {
		return nil
	}
	named := map[string]bool{}
	for _, hash := range e.state.Bundle.SurvivorLists() {
		named[hash] = true
	}
	before := len(e.Drop) + len(e.Survivors)
	e.names = slices.DeleteFunc(e.names, func(hash string) bool {
		if !named[hash] {
			e.Drop = append(e.Drop, hash)
		}
		return !named[hash]
	})
	for _, raw := range lists {
		hash := digest.Of(raw).String()
		if !named[hash] || slices.Contains(e.names, hash) {
			continue
		}
		if _, err := statuslist.ParseSurvivors(raw); err != nil {
			return err
		}
		put(&e.Survivors, hash, raw)
		e.names = append(e.names, hash)
	}
	if len(e.Drop)+len(e.Survivors) > before {
		e.Facts.Generation++
	}
	return nil
}

// put sets an entry of a map that may be nil.
func put[K comparable, V any](m *map[K]V, key K, value V) {
	if *m == nil {
		*m = map[K]V{}
	}
	(*m)[key] = value
}

// Remember marks stamps as revoked permanently. Each core is the SHA-256 of a
// payload's core (offline.Result.CoreHash). Remember must succeed before the
// verdict is shown, so that no older trust state can turn it green later.
func (b *Book) Remember(ctx context.Context, cores ...digest.SHA256) error {
	if len(cores) == 0 {
		return nil
	}
	err := b.store.Update(ctx, func(r Reader) (Change, error) {
		facts, err := r.Facts()
		return Change{Facts: facts, Remembered: cores, SeenAt: millis(b.now())}, err
	})
	if err != nil {
		return fmt.Errorf("remember revocation: %w", err)
	}
	return nil
}

// millis returns a time with the precision of the device's clock in a store.
func millis(t time.Time) time.Time { return time.UnixMilli(t.UnixMilli()).UTC() }

// seconds returns a time with the precision of trust documents.
func seconds(t time.Time) time.Time { return time.Unix(t.Unix(), 0).UTC() }
