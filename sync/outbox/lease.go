package outbox

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"tcode/offline/digest"
	"tcode/offline/host/litedb"
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

// maxPause is the longest stored waiting time that counts. A row with a longer
// one was written under another clock, and is due.
const maxPause = time.Hour

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
// [IsDamaged] is true: Lease then leases nothing, and the next [Open] repairs.
func (o *Outbox) Lease(ctx context.Context, batchID string, now time.Time, l Limits) (Leased, error) {
	l = l.withDefaults()
	leased := Leased{Batch: wire.Batch{ID: batchID}, Attempts: map[string]int{}}
	err := o.db.Write(ctx, func(tx *sql.Tx) error {
		leased.Batch.Items, leased.Encoded, leased.Digests = nil, nil, nil
		if err := expire(ctx, tx, now); err != nil {
			return err
		}
		paused, err := pausedUntil(ctx, tx, now)
		if err != nil || paused.After(now) {
			return err
		}
		rows, err := due(ctx, tx, now, l.Items)
		if err != nil {
			return err
		}
		return leased.fill(ctx, tx, rows, l, now)
	})
	if err = o.suspect(err); err != nil {
		return Leased{}, fmt.Errorf("lease: %w", err)
	}
	return leased, nil
}

// fill moves rows into the batch until it is full.
func (b *Leased) fill(ctx context.Context, tx *sql.Tx, rows []Entry, l Limits, now time.Time) error {
	size := envelope
	for _, r := range rows {
		if r.Damaged {
			return fmt.Errorf("%w: scan %d", errRow, r.Scan.Seq)
		}
		it := r.Scan.item()
		raw, err := json.Marshal(it)
		if err != nil {
			return err
		}
		if size += len(raw) + 1; size > l.Bytes && len(b.Batch.Items) > 0 {
			return nil
		}
		err = mustChange(tx.ExecContext(ctx, takeScan, string(Inflight), b.Batch.ID, millis(now.Add(l.Lease)), it.ScanID))
		if err != nil {
			return err
		}
		b.Batch.Items, b.Encoded, b.Digests = append(b.Batch.Items, it), append(b.Encoded, raw), append(b.Digests, r.Digest)
		b.Attempts[it.ScanID] = r.Attempts + 1
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

// due reads the rows that a batch may contain.
func due(ctx context.Context, tx *sql.Tx, now time.Time, limit int) ([]Entry, error) {
	return query(ctx, tx, `
		WHERE state = 'queued' AND (next_at <= $1 OR next_at > $2)
		ORDER BY seq LIMIT $3`, millis(now), millis(now.Add(maxPause)), limit)
}

const takeScan = `
	UPDATE scans SET state = $1, batch_id = $2, attempts = attempts + 1, lease_until = $3, next_at = 0
	WHERE scan_id = $4 AND state = 'queued'`

// expire returns the scans that a dead sender had leased to the queue. A lease
// that ends far in the future began under another clock.
func expire(ctx context.Context, tx *sql.Tx, now time.Time) error {
	_, err := tx.ExecContext(ctx, `
		UPDATE scans SET state = $1, lease_until = 0
		WHERE state = 'inflight' AND (lease_until <= $2 OR lease_until > $3)`,
		string(Queued), millis(now), millis(now.Add(maxPause)))
	return err
}

// Recover returns every inflight scan to the queue. Only the holder of the sync
// lock may call it: the process that leased them is then known to be dead.
func (o *Outbox) Recover(ctx context.Context, _ *SyncLock) error {
	err := o.db.Write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE scans SET state = $1, lease_until = 0 WHERE state = 'inflight'`, string(Queued))
		return err
	})
	if err != nil {
		return fmt.Errorf("recover leases: %w", err)
	}
	return nil
}

// Pause keeps every scan in the queue until then, at most an hour, also after a
// restart: the gateway asked for it.
func (o *Outbox) Pause(ctx context.Context, until time.Time) error {
	err := o.db.Write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `
			INSERT INTO facts (name, value) VALUES ('pause_until', $1)
			ON CONFLICT (name) DO UPDATE SET value = excluded.value`, millis(until))
		return err
	})
	if err != nil {
		return fmt.Errorf("pause: %w", err)
	}
	return nil
}

// Paused reports whether the gateway has asked for a pause that is not over.
func (o *Outbox) Paused(ctx context.Context, now time.Time) (bool, error) {
	until, err := pausedUntil(ctx, o.db.Reader(), now)
	if err = o.suspect(err); err != nil {
		return false, fmt.Errorf("pause: %w", err)
	}
	return until.After(now), nil
}

type rowQuerier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

func pausedUntil(ctx context.Context, q rowQuerier, now time.Time) (time.Time, error) {
	var ms int64
	err := q.QueryRowContext(ctx, `SELECT value FROM facts WHERE name = 'pause_until'`).Scan(&ms)
	if errors.Is(err, sql.ErrNoRows) {
		return time.Time{}, nil
	}
	if until := moment(ms); err == nil && !until.After(now.Add(maxPause)) {
		return until, nil
	}
	return time.Time{}, err
}

// RetryNow makes every queued scan due now: a person is waiting, and the
// network may be back. It does not end a Pause of the gateway.
func (o *Outbox) RetryNow(ctx context.Context) error {
	err := o.db.Write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE scans SET next_at = 0 WHERE state = 'queued' AND next_at <> 0`)
		return err
	})
	if err != nil {
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
	paused, err := pausedUntil(ctx, o.db.Reader(), now)
	if err != nil {
		return time.Time{}, false, err
	}
	at = moment(ms.Int64)
	if at.After(now.Add(maxPause)) { // written under another clock: due
		at = now
	}
	for _, t := range []time.Time{now, paused} {
		if t.After(at) {
			at = t
		}
	}
	return at, true, nil
}

// IsFull reports whether err means that the disk is full, so that the caller
// must refuse new scans.
func IsFull(err error) bool { return litedb.IsFull(err) }
