//go:build !js

package outbox

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// Lease takes the due scans with the lowest numbers into a batch with the id
// batchID and marks them inflight, in one transaction. The batch has no items
// when nothing is due. Scans whose sender died go back to the queue first. A scan
// whose checksum is wrong, or that its index does not find, is an error for which
// [IsDamaged] is true: Lease then leases nothing, and the next [Open] repairs.
func (o *Outbox) Lease(ctx context.Context, batchID string, now time.Time, l Limits) (Leased, error) {
	var leased Leased
	err := o.write(ctx, func(r rows) (err error) {
		leased, err = lease(r, batchID, now, l)
		return err
	})
	if err = o.suspect(err); err != nil {
		return Leased{}, fmt.Errorf("lease: %w", err)
	}
	return leased, nil
}

// Recover returns every inflight scan to the queue. Only the holder of the sync
// lock may call it: the process that leased them is then known to be dead.
func (o *Outbox) Recover(ctx context.Context, _ *SyncLock) error {
	err := o.write(ctx, func(r rows) error { return putBack(r, func(*Entry) bool { return true }) })
	if err = o.suspect(err); err != nil {
		return fmt.Errorf("recover leases: %w", err)
	}
	return nil
}

// Pause keeps every scan in the queue until then, at most an hour, also after a
// restart: the gateway asked for it.
func (o *Outbox) Pause(ctx context.Context, until time.Time) error {
	if err := o.write(ctx, func(r rows) error { return r.setPause(until) }); err != nil {
		return fmt.Errorf("pause: %w", err)
	}
	return nil
}

// Paused reports whether the gateway has asked for a pause that is not over.
func (o *Outbox) Paused(ctx context.Context, now time.Time) (bool, error) {
	until, err := pausedUntil(sqlReader(ctx, o.db), now)
	if err = o.suspect(err); err != nil {
		return false, fmt.Errorf("pause: %w", err)
	}
	return until.After(now), nil
}

// RetryNow makes every queued scan due now: a person is waiting, and the
// network may be back. It does not end a Pause of the gateway.
func (o *Outbox) RetryNow(ctx context.Context) error {
	if err := o.suspect(o.write(ctx, retryNow)); err != nil {
		return fmt.Errorf("retry now: %w", err)
	}
	return nil
}

// NextDue returns when the next queued scan is due, not before now; ok is false
// if none is queued or inflight.
func (o *Outbox) NextDue(ctx context.Context, now time.Time) (at time.Time, ok bool, err error) {
	var n int
	var ms sql.NullInt64
	err = o.db.Reader().QueryRowContext(ctx, `
		SELECT count(*), min(CASE WHEN state = 'inflight' THEN lease_until ELSE next_at END)
		FROM scans WHERE state IN ('queued', 'inflight')`).Scan(&n, &ms)
	if err != nil || n == 0 {
		return time.Time{}, false, err
	}
	paused, err := pausedUntil(sqlReader(ctx, o.db), now)
	if err != nil {
		return time.Time{}, false, err
	}
	return dueAt(moment(ms.Int64), now, paused), true, nil
}
