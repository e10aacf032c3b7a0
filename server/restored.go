package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"tcode/offline/statuslist"
	"tcode/offline/trust"
	"tcode/offline/trustbook"
	"tcode/server/publish"
	"tcode/server/store"
	"tcode/server/tenant"
)

// A Span is a time of which a restored gateway has neither rows nor a device's trust
// documents: a revocation in it is lost.
type Span struct {
	From, Until  time.Time // whole seconds
	AfterVersion uint64    // of the newest documents that are known
	// Stamps were made, and Revoked were revoked or replaced, in spanDays before the backup.
	Stamps, Revoked int
}

// spanDays is the time of which a Span has numbers, for comparison.
const spanDays = 30 * 24 * time.Hour

// A comparison compares a database that was restored with devices' trust documents.
type comparison struct {
	g       *Gateway
	o       FsckOptions
	report  *FsckReport
	problem func(store.Problem)
	restore *store.Restore // without agreement so far; nil: confirmed
	first   *store.Restore // the first of all; nil: none
	now     time.Time

	known  publish.Watermark // of the newest documents
	asOf   time.Time         // of the same
	beyond uint16            // highest shard of all documents
}

// run repeats what is lost and, if the restore waits for it, decides whether the gateway
// may publish again.
func (c *comparison) run(ctx context.Context) error {
	if c.first == nil {
		return nil
	}
	head, roots, floor, err := c.g.published(ctx)
	if err != nil {
		return err
	}
	if err := publish.CheckRolledBack(head, roots, floor); errors.Is(err, publish.ErrRootsLost) {
		return err
	}
	sets, err := c.read(ctx, head)
	if err != nil {
		return err
	}
	if err := c.repeat(ctx, sets); err != nil || c.restore == nil {
		return err
	}
	if c.report.Span, err = c.span(ctx, head, floor); err != nil {
		return err
	}
	return c.agree(ctx, head, floor)
}

// read reads and verifies all documents, and returns them with the newest first.
func (c *comparison) read(ctx context.Context, head publish.Head) ([]readTrust, error) {
	var sets []readTrust
	for i, from := range c.o.Trust {
		set, err := c.g.readTrust(from, head)
		if err == nil {
			err = c.tooOld(set, head)
		}
		if err != nil {
			return nil, fmt.Errorf("trust documents %d of %d: %w", i+1, len(c.o.Trust), err)
		}
		sets = append(sets, set)
	}
	slices.SortStableFunc(sets, func(a, b readTrust) int { return b.AsOf.Compare(a.AsOf) })
	for _, set := range sets {
		c.known = c.known.Join(set.at)
		if set.AsOf.After(c.asOf) {
			c.asOf = set.AsOf
		}
		for number := range set.shards {
			c.beyond = max(c.beyond, number)
		}
	}
	return sets, nil
}

// tooOld refuses documents that the backup has already. Those of an earlier online key are
// refused too: its thief could have made them.
func (c *comparison) tooOld(set readTrust, head publish.Head) error {
	if set.at.Since < head.Since || c.restore == nil && set.at.Since > head.Since {
		return fmt.Errorf("signed by another online key than the newest root's: %w", ErrOldTrust)
	}
	if c.restore != nil && set.at.Since == head.Since && set.at.Version <= head.Version {
		return fmt.Errorf("version %d, the backup's is %d: %w", set.at.Version, head.Version, ErrOldTrust)
	}
	if c.restore == nil && set.AsOf.Before(c.first.BackupAt.Truncate(time.Second)) {
		return fmt.Errorf("of %s, the backup is of %s: %w",
			set.AsOf.Format(time.RFC3339), c.first.BackupAt.Format(time.RFC3339), ErrOldTrust)
	}
	return nil
}

// repeat finds what the sets show and the rows lack, and with Apply does it again.
func (c *comparison) repeat(ctx context.Context, sets []readTrust) error {
	told := map[store.Problem]bool{}
	for _, set := range sets {
		if c.restore != nil {
			set.AsOf = time.Time{} // all rows are older
		}
		set.Shards = map[uint16]*statuslist.Shard{}
		for number, raw := range set.shards {
			var err error
			if set.Shards[number], err = statuslist.Inflate(raw); err != nil {
				return fmt.Errorf("shard %d: %w", number, err)
			}
		}
		audit := tenant.NewEntry(ctx, "", "database.reconcile", "trust documents", c.now).
			With("trustVersion", fmt.Sprint(set.at.Version))
		lost, err := c.g.db.Reconcile(ctx, set.TrustSet, c.o.Apply, c.now, audit)
		if err != nil {
			return err
		}
		for _, l := range lost {
			if told[l.Problem] {
				continue
			}
			told[l.Problem] = true
			c.problem(l.Problem)
			if c.o.Apply && l.Fixable() {
				c.report.Fixed++
			}
		}
	}
	return nil
}

// span returns what neither the rows nor the documents cover. The data folder or bucket
// may say that nothing was published after them.
func (c *comparison) span(ctx context.Context, head publish.Head, floor publish.Watermark) (*Span, error) {
	known := head.Watermark().Join(c.known)
	s := &Span{From: c.restore.BackupAt, Until: c.restore.RestoredAt, AfterVersion: known.Version}
	if c.asOf.After(s.From) {
		s.From = c.asOf
	}
	s.From, s.Until = s.From.UTC().Truncate(time.Second), s.Until.UTC().Truncate(time.Second)
	if floor != (publish.Watermark{}) && floor.Join(known) == known {
		return nil, nil
	}
	var err error
	before := c.restore.BackupAt
	s.Stamps, s.Revoked, err = c.g.db.Activity(ctx, before.Add(-spanDays), before)
	return s, err
}

// agree allows publication, if no problem is left that may hide a lost revocation and the
// operator has confirmed the span that nothing covers.
func (c *comparison) agree(ctx context.Context, head publish.Head, floor publish.Watermark) error {
	o, r := c.o, c.report
	if !o.UncoveredSince.IsZero() && (r.Span == nil || !o.UncoveredSince.Equal(r.Span.From)) {
		return ErrOtherSpan
	}
	if r.doubts > r.Fixed || r.Span != nil && o.UncoveredSince.IsZero() {
		return nil
	}
	audit := tenant.NewEntry(ctx, "", "database.agree", "restore", c.now)
	if r.Span != nil {
		audit.With("uncoveredSince", r.Span.From.Format(time.RFC3339)).
			With("uncoveredUntil", r.Span.Until.Format(time.RFC3339))
	}
	floor = floor.Join(c.known)
	version := uint64(0) // under a newer online key the publisher itself continues above the floor
	if floor.Since <= head.Since {
		// The lost gateway may have published until now, by a clock that ran a little ahead.
		version = max(floor.Version, uint64(c.now.Add(trust.ClockTolerance).Unix()))
	}
	if err := c.g.db.AgreeRestore(ctx, c.beyond, version, c.now, audit); err != nil {
		return err
	}
	if floor != (publish.Watermark{}) {
		c.g.raiseFloor(floor)
	}
	r.Agreed = true
	return nil
}

// readTrust is a device's trust documents, verified.
type readTrust struct {
	store.TrustSet
	at     publish.Watermark
	shards map[uint16][]byte // in transit form, because several sets have to fit into memory
}

// readTrust reads and verifies a device's trust documents, which must be this gateway's.
func (g *Gateway) readTrust(from io.Reader, head publish.Head) (out readTrust, err error) {
	u, survivors, err := trustbook.ReadExport(from)
	if err != nil {
		return out, err
	}
	print := g.Publisher.Fingerprint()
	if _, err := trust.Pin(u.Roots[:1], &print); err != nil {
		return out, err
	}
	if out.at, err = publish.RootsWatermark(u.Roots); err != nil {
		return out, err
	}
	state, err := trust.Load(trust.Saved{Roots: u.Roots})
	if err == nil {
		u.Roots = nil
		state, _, err = state.Apply(u)
	}
	if err != nil {
		return out, err
	}
	out.at.Version, out.Version = state.Timestamp.Version, state.Timestamp.Version
	if out.at.Root > head.Root {
		return out, fmt.Errorf("root %d: %w; tcode-gateway root publish accepts this file, too",
			out.at.Root, publish.ErrRootsLost)
	}
	out.AsOf, out.Bundle, out.shards = state.Timestamp.StatusAsOf, state.Bundle, u.Shards
	for _, raw := range survivors {
		list, err := statuslist.ParseSurvivors(raw)
		if err != nil {
			return out, err
		}
		out.Survivors = append(out.Survivors, list)
	}
	return out, nil
}
