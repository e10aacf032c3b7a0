package outbox

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"tcode/offline/digest"
	"tcode/sync/wire"
)

// Limits bounds one batch; a zero field means the limit of package wire or
// [DefaultLease].
type Limits struct {
	Items int           // 1 to wire.MaxItems
	Bytes int           // of the encoded body, approximately; at most wire.MaxBodyBytes
	Lease time.Duration // time after which the sender counts as dead
}

// DefaultLease is longer than one request with its timeout.
const DefaultLease = 5 * time.Minute

// envelope is an upper bound for the bytes of a body without its items.
const envelope = 512

// A Leased is a batch in transit.
type Leased struct {
	// Batch has its ID and Items; the sender sets ScannerID and SentAt.
	Batch wire.Batch
	// Encoded are the items as they travel, for [wire.Batch.EncodeWith], and Digests
	// their digests.
	Encoded []json.RawMessage
	Digests []digest.SHA256
	// Attempts of each scan, this one included, by scan id.
	Attempts map[string]int
}

// Lease takes the due scans with the lowest numbers into a batch with the id
// batchID and marks them inflight, in one transaction. The batch has no items
// when nothing is due. Scans whose sender died go back to the queue first. A scan
// whose checksum is wrong, or that its index does not find, is an error for which
// [IsDamaged] is true: Lease then leases nothing, and opening the outbox again repairs it.
func (q *Queue) Lease(ctx context.Context, batchID string, now time.Time, l Limits) (Leased, error) {
	l = l.withDefaults()
	var leased Leased
	err := q.store.Update(ctx, func(tx Tx) error {
		leased = Leased{Batch: wire.Batch{ID: batchID}, Attempts: map[string]int{}}
		if err := reset(ctx, tx, Expired, dueAt(now)); err != nil {
			return err
		}
		paused, err := pausedUntil(ctx, tx, now)
		if err != nil || paused.After(now) {
			return err
		}
		rows, err := tx.Select(ctx, Queued, dueAt(now), l.Items)
		if err != nil {
			return err
		}
		return leased.fill(ctx, tx, rows, l, now)
	})
	if err != nil {
		return Leased{}, fmt.Errorf("lease: %w", err)
	}
	return leased, nil
}

// fill moves rows into the batch until it is full.
func (b *Leased) fill(ctx context.Context, tx Tx, rows []Entry, l Limits, now time.Time) error {
	size := envelope
	for _, e := range rows {
		if e.Damaged {
			return fmt.Errorf("%w: scan %d", ErrDamaged, e.Scan.Seq)
		}
		it := e.Scan.Item()
		raw, err := json.Marshal(it)
		if err != nil {
			return err
		}
		if size += len(raw) + 1; size > l.Bytes && len(b.Batch.Items) > 0 {
			return nil
		}
		if e.State, err = e.State.Next(Lease); err != nil {
			return err
		}
		e.BatchID, e.NextAt, e.LeaseUntil = b.Batch.ID, time.Time{}, now.Add(l.Lease)
		e.Attempts++
		if err := tx.Update(ctx, e); err != nil {
			return err
		}
		b.Batch.Items, b.Encoded, b.Digests = append(b.Batch.Items, it), append(b.Encoded, raw), append(b.Digests, e.Digest)
		b.Attempts[it.ScanID] = e.Attempts
	}
	return nil
}

func (l Limits) withDefaults() Limits {
	if l.Items <= 0 || l.Items > wire.MaxItems {
		l.Items = wire.MaxItems
	}
	if l.Bytes <= 0 || l.Bytes > wire.MaxBodyBytes {
		l.Bytes = wire.MaxBodyBytes
	}
	if l.Lease <= 0 {
		l.Lease = DefaultLease
	}
	return l
}

// reset applies the event to all inflight rows whose lease is within due.
func reset(ctx context.Context, tx Tx, e Event, due Due) error {
	to, err := Inflight.Next(e)
	if err != nil {
		return err
	}
	return tx.Reset(ctx, Inflight, due, to)
}

// Recover returns every inflight scan to the queue. Only the holder of the sync
// lock may call it: the process that leased them is then known to be dead.
func (q *Queue) Recover(ctx context.Context, _ SyncLock) error {
	err := q.store.Update(ctx, func(tx Tx) error { return reset(ctx, tx, Expired, always) })
	if err != nil {
		return fmt.Errorf("recover leases: %w", err)
	}
	return nil
}

// Pause keeps every scan in the queue until then, at most an hour, also after a
// restart: the gateway asked for it.
func (q *Queue) Pause(ctx context.Context, until time.Time) error {
	err := q.store.Update(ctx, func(tx Tx) error { return tx.SetPauseUntil(ctx, Millis(until)) })
	if err != nil {
		return fmt.Errorf("pause: %w", err)
	}
	return nil
}

// Paused reports whether the gateway has asked for a pause that is not over.
func (q *Queue) Paused(ctx context.Context, now time.Time) (paused bool, err error) {
	err = q.store.View(ctx, func(v View) error {
		until, err := pausedUntil(ctx, v, now)
		paused = until.After(now)
		return err
	})
	if err != nil {
		return false, fmt.Errorf("pause: %w", err)
	}
	return paused, nil
}

func pausedUntil(ctx context.Context, v View, now time.Time) (time.Time, error) {
	ms, err := v.PauseUntil(ctx)
	if until := Moment(ms); err == nil && !until.After(now.Add(maxPause)) {
		return until, nil
	}
	return time.Time{}, err
}

// RetryNow makes every queued scan due now: a person is waiting, and the
// network may be back. It does not end a Pause of the gateway.
func (q *Queue) RetryNow(ctx context.Context) error {
	err := q.store.Update(ctx, func(tx Tx) error { return tx.Reset(ctx, Queued, always, Queued) })
	if err != nil {
		return fmt.Errorf("retry now: %w", err)
	}
	return nil
}

// NextDue returns when the next queued scan is due, not before now; ok is false
// if none is queued or inflight.
func (q *Queue) NextDue(ctx context.Context, now time.Time) (at time.Time, ok bool, err error) {
	err = q.store.View(ctx, func(v View) error {
		n, first, err := v.Waiting(ctx)
		if err != nil || n == 0 {
			return err
		}
		paused, err := pausedUntil(ctx, v, now)
		if err != nil {
			return err
		}
		at, ok = Moment(first), true
		if at.After(now.Add(maxPause)) { // written under another clock: due
			at = now
		}
		for _, t := range []time.Time{now, paused} {
			if t.After(at) {
				at = t
			}
		}
		return nil
	})
	if err != nil {
		return time.Time{}, false, fmt.Errorf("next due: %w", err)
	}
	return at, ok, nil
}
