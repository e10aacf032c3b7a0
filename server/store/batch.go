package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"tcode/server/issue/batch"
	"tcode/server/platform/jobs"
	"tcode/server/tenant"
)

var _ batch.Store = (*DB)(nil)

const batchColumns = `tenant, id, subject, action, reason, author, state, stop, total, done, changed, problems, created_at, updated_at`

// scanBatch scans batchColumns, and further columns into more.
func scanBatch(r scanner, more ...any) (b batch.Batch, err error) {
	var problems string
	var created, updated int64
	err = r.Scan(append([]any{
		&b.Tenant, &b.ID, &b.Subject, &b.Action, &b.Reason, &b.Author, &b.State, &b.Stop, &b.Total, &b.Done, &b.Changed, &problems, &created, &updated,
	}, more...)...)
	if err != nil {
		return b, err
	}
	b.CreatedAt, b.UpdatedAt = fromMS(created), fromMS(updated)
	return b, wrap(json.Unmarshal([]byte(problems), &b.Problems), "problems of order %s", b.ID)
}

// InsertBatch stores a new order, and wakes a gateway for it.
func (d *DB) InsertBatch(ctx context.Context, b batch.Batch, old time.Time, audit *tenant.Entry) error {
	ids := make([]byte, 0, 16*len(b.IDs))
	for _, id := range b.IDs {
		one, err := uuid.Parse(id)
		if err != nil {
			return err
		}
		ids = append(ids, one[:]...)
	}
	err := d.write(ctx, b.Tenant, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `DELETE FROM batches WHERE tenant = $1 AND subject = $2 AND created_at < $3 AND state <> 'Running'`,
			b.Tenant, string(b.Subject), ms(old)); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `
			INSERT INTO batches (tenant, id, subject, action, reason, author, state, ids, total, wake_at, created_at, updated_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11)`,
			b.Tenant, b.ID, string(b.Subject), b.Action, b.Reason, b.Author, string(b.State), ids, b.Total, ms(b.CreatedAt), ms(b.CreatedAt))
		if err != nil {
			return err
		}
		if err := insertAudit(ctx, tx, audit); err != nil {
			return err
		}
		return d.queue.Add(ctx, tx, jobs.Job{Kind: jobs.Batch, Subject: b.ID})
	})
	return wrap(err, "insert order %s", b.ID)
}

// Batch returns an order without its ids.
func (d *DB) Batch(ctx context.Context, tenantRef, id string) (b batch.Batch, err error) {
	err = d.read(ctx, tenantRef, func(q queryer) error {
		b, err = scanBatch(q.QueryRowContext(ctx, `SELECT `+batchColumns+` FROM batches WHERE tenant = $1 AND id = $2`, tenantRef, id))
		if errors.Is(err, sql.ErrNoRows) {
			return batch.NoBatch()
		}
		return err
	})
	return b, wrap(err, "read order")
}

// Batches returns the newest orders of a subject, without their ids.
func (d *DB) Batches(ctx context.Context, tenantRef string, of batch.Subject, limit int) (bs []batch.Batch, err error) {
	err = d.read(ctx, tenantRef, func(q queryer) error {
		bs, err = all(ctx, q, func(r scanner) (batch.Batch, error) { return scanBatch(r) },
			fmt.Sprintf(`SELECT %s FROM batches WHERE tenant = $1 AND subject = $2 ORDER BY created_at DESC, id DESC LIMIT %d`, batchColumns, limit), tenantRef, string(of))
		return err
	})
	return bs, wrap(err, "read orders")
}

// TakeBatch gives a running order to owner.
func (d *DB) TakeBatch(ctx context.Context, id, owner string, now, until time.Time) (b batch.Batch, taken bool, err error) {
	err = d.write(ctx, everyone, func(tx *sql.Tx) error {
		taken = false
		var ids []byte
		var wake int64
		var holder string
		b, err = scanBatch(tx.QueryRowContext(ctx, `SELECT `+batchColumns+`, ids, owner, wake_at FROM batches WHERE id = $1 AND state = 'Running'`+d.forUpdate, id), &ids, &holder, &wake)
		if errors.Is(err, sql.ErrNoRows) || err == nil && holder != "" && wake > ms(now) {
			return nil
		}
		if err != nil {
			return err
		}
		b.IDs = batchIDs(ids)
		_, err := tx.ExecContext(ctx, `UPDATE batches SET owner = $1, wake_at = $2 WHERE tenant = $3 AND id = $4`, owner, ms(until), b.Tenant, id)
		taken = err == nil
		return err
	})
	return b, taken, wrap(err, "take order %s", id)
}

// batchIDs reads the column ids.
func batchIDs(ids []byte) (out []string) {
	for ; len(ids) >= 16; ids = ids[16:] {
		out = append(out, uuid.UUID(ids[:16]).String())
	}
	return out
}

// SaveBatch stores the progress of an order of owner.
func (d *DB) SaveBatch(ctx context.Context, b batch.Batch, owner string, until time.Time) error {
	problems, err := json.Marshal(append([]batch.Problem{}, b.Problems...))
	if err != nil {
		return err
	}
	err = d.write(ctx, b.Tenant, func(tx *sql.Tx) error {
		n, err := count(tx.ExecContext(ctx, `
			UPDATE batches SET state = $1, stop = $2, done = $3, changed = $4, problems = $5, wake_at = $6, updated_at = $7
			WHERE tenant = $8 AND id = $9 AND owner = $10 AND state = 'Running'`,
			string(b.State), b.Stop, b.Done, b.Changed, string(problems), ms(until), ms(b.UpdatedAt), b.Tenant, b.ID, owner))
		if err == nil && n == 0 {
			return batch.ErrLost
		}
		return err
	})
	return wrap(err, "save order %s", b.ID)
}

// StopBatch ends a running order.
func (d *DB) StopBatch(ctx context.Context, tenantRef, id string, now time.Time, audit *tenant.Entry) (stopped bool, err error) {
	err = d.write(ctx, tenantRef, func(tx *sql.Tx) error {
		var state batch.State
		err := tx.QueryRowContext(ctx, `SELECT state FROM batches WHERE tenant = $1 AND id = $2`+d.forUpdate, tenantRef, id).Scan(&state)
		if errors.Is(err, sql.ErrNoRows) {
			return batch.NoBatch()
		}
		if stopped = err == nil && state == batch.Running; !stopped {
			return err
		}
		if _, err := tx.ExecContext(ctx, `UPDATE batches SET state = 'Stopped', stop = 'asked', updated_at = $1 WHERE tenant = $2 AND id = $3`, ms(now), tenantRef, id); err != nil {
			return err
		}
		return insertAudit(ctx, tx, audit)
	})
	return stopped, wrap(err, "stop order")
}

// HoldBatch extends the hold of owner.
func (d *DB) HoldBatch(ctx context.Context, tenantRef, id, owner string, until time.Time) error {
	err := d.write(ctx, tenantRef, func(tx *sql.Tx) error {
		return heldRow(tx.ExecContext(ctx, `UPDATE batches SET wake_at = $1 WHERE tenant = $2 AND id = $3 AND owner = $4 AND state = 'Running'`, ms(until), tenantRef, id, owner))
	})
	return wrap(err, "hold order %s", id)
}

// WakeBatches wakes gateways for orders that no gateway works on.
func (d *DB) WakeBatches(ctx context.Context, now time.Time) error {
	return d.wake(ctx, sleeper{kind: jobs.Batch, table: "batches", open: `state = 'Running'`, free: true}, now)
}
