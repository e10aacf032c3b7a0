package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"strconv"
	"time"

	"tcode/server/issue/bulk"
	"tcode/server/outbound/delivery"
	"tcode/server/outbound/webhook"
	"tcode/server/platform/hold"
	"tcode/server/platform/jobs"
	"tcode/server/tenant"
)

// setAside is the audit row of work of a tenant that ended its process twice. item is "" for
// all of a subject.
func setAside(ctx context.Context, tx *sql.Tx, tenantRef, subject, item, cause string, at time.Time) error {
	e := &tenant.Entry{Tenant: tenantRef, By: tenant.By{Actor: tenant.ActorSystem}, Action: hold.ActionSetAside, Subject: subject, At: at}
	if item != "" {
		e.With("item", item)
	}
	return insertAudit(ctx, tx, e.With("cause", cause))
}

// forgetFaults removes the record of an item that a person wants tried again; item "": of all
// items of a subject.
func forgetFaults(ctx context.Context, tx *sql.Tx, kind jobs.Kind, subject, item string) error {
	_, err := tx.ExecContext(ctx, `DELETE FROM work_faults WHERE kind = $1 AND subject = $2 AND (item = $3 OR $3 = '')`, string(kind), subject, item)
	return wrap(err, "forget faults")
}

// bulkToSetAside reads a job of any tenant. open is false for one that is over or gone.
func (d *DB) bulkToSetAside(ctx context.Context, tx *sql.Tx, id string) (j bulk.Job, open bool, err error) {
	j, err = scanBulk(tx.QueryRowContext(ctx, `SELECT `+bulkColumns+` FROM bulk_jobs WHERE id = $1`+d.forUpdate, id))
	if errors.Is(err, sql.ErrNoRows) {
		return j, false, nil
	}
	return j, err == nil && !j.Status.Over(), err
}

// SetAsideRow fails a row of a job that ended its process twice.
func (d *DB) SetAsideRow(ctx context.Context, id string, r bulk.Row, cause string) error {
	err := d.write(ctx, everyone, func(tx *sql.Tx) error {
		j, open, err := d.bulkToSetAside(ctx, tx, id)
		if err != nil || !open {
			return err
		}
		if err := failRow(ctx, tx, j.Tenant, id, r); err != nil {
			return err
		}
		return setAside(ctx, tx, j.Tenant, id, strconv.Itoa(r.Number), cause, r.UpdatedAt)
	})
	return wrap(err, "set a row of bulk job %s aside", id)
}

// SetAsideBulk ends a job that ended its process twice outside of its rows.
func (d *DB) SetAsideBulk(ctx context.Context, id, message, cause string, at time.Time) error {
	err := d.write(ctx, everyone, func(tx *sql.Tx) error { return d.setAsideBulk(ctx, tx, id, message, cause, at) })
	return wrap(err, "set bulk job %s aside", id)
}

func (d *DB) setAsideBulk(ctx context.Context, tx *sql.Tx, id, message, cause string, at time.Time) error {
	j, open, err := d.bulkToSetAside(ctx, tx, id)
	if err != nil || !open {
		return err
	}
	to := bulk.Failed
	if j.Status == bulk.Cancelling {
		to = bulk.Cancelled
	}
	j.Message = message
	if err := endBulk(ctx, tx, j, to, at); err != nil {
		return err
	}
	return setAside(ctx, tx, j.Tenant, id, "", cause, at)
}

// CountBulkFailure counts a failure of a job outside of its rows.
func (d *DB) CountBulkFailure(ctx context.Context, id, cause string, at time.Time) (n int, err error) {
	err = d.write(ctx, everyone, func(tx *sql.Tx) error {
		return tx.QueryRowContext(ctx, `INSERT INTO work_faults (kind, subject, item, ends, cause, at) VALUES ($1, $2, $3, 1, $4, $5)
			ON CONFLICT (kind, subject, item) DO UPDATE SET ends = work_faults.ends + 1, cause = excluded.cause, at = excluded.at RETURNING ends`,
			string(jobs.Bulk), id, jobs.Failures, cause, ms(at)).Scan(&n)
	})
	return n, wrap(err, "count a failure of bulk job %s", id)
}

// GiveUpBulk ends a job that failed too often outside of its rows.
func (d *DB) GiveUpBulk(ctx context.Context, id, message, cause string, at time.Time) error {
	err := d.write(ctx, everyone, func(tx *sql.Tx) error {
		if err := d.setAsideBulk(ctx, tx, id, message, cause, at); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `UPDATE work_faults SET aside = 1, at = $1 WHERE kind = $2 AND subject = $3 AND item = $4`,
			ms(at), string(jobs.Bulk), id, jobs.Failures)
		return err
	})
	return wrap(err, "give bulk job %s up", id)
}

// SetAsideRecord makes the next record of an order a problem of it: it ended its process twice.
// With record "" the order ends.
func (d *DB) SetAsideRecord(ctx context.Context, id, record, cause string, at time.Time) error {
	err := d.write(ctx, everyone, func(tx *sql.Tx) error {
		var ids []byte
		b, err := scanBatch(tx.QueryRowContext(ctx, `SELECT `+batchColumns+`, ids FROM batches WHERE id = $1 AND state = 'Running'`+d.forUpdate, id), &ids)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		b.IDs = batchIDs(ids)
		if !b.SetAside(record, hold.Twice) {
			return nil // it is over
		}
		problems, err := json.Marshal(b.Problems)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `UPDATE batches SET state = $1, stop = $2, done = $3, problems = $4, owner = '', wake_at = $5, updated_at = $5 WHERE tenant = $6 AND id = $7`,
			string(b.State), b.Stop, b.Done, string(problems), ms(at), b.Tenant, b.ID)
		if err != nil {
			return err
		}
		return setAside(ctx, tx, b.Tenant, id, record, cause, at)
	})
	return wrap(err, "set a record of order %s aside", id)
}

// FreeBatch ends the hold of owner.
func (d *DB) FreeBatch(ctx context.Context, id, owner string, at time.Time) error {
	return d.free(ctx, "batches", id, owner, at)
}

// FreeWebhook ends the hold of owner.
func (d *DB) FreeWebhook(ctx context.Context, id, owner string, at time.Time) error {
	return d.free(ctx, "webhooks", id, owner, at)
}

func (d *DB) free(ctx context.Context, table, id, owner string, at time.Time) error {
	err := d.write(ctx, everyone, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE `+table+` SET owner = '', wake_at = $1 WHERE id = $2 AND owner = $3`, ms(at), id, owner)
		return err
	})
	return wrap(err, "free %s in %s", id, table)
}

// SetAsideDelivery fails a waiting delivery that ended its process twice. With delivery "" its
// endpoint is disabled.
func (d *DB) SetAsideDelivery(ctx context.Context, endpoint, id, cause string, at time.Time) error {
	err := d.write(ctx, everyone, func(tx *sql.Tx) error {
		x := webhook.Delivery{Endpoint: endpoint}
		err := tx.QueryRowContext(ctx, `SELECT tenant FROM webhooks WHERE id = $1`+d.forShare, endpoint).Scan(&x.Tenant)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		if id == "" {
			err = giveUp(ctx, tx, x, hold.Twice, at)
		} else {
			_, err = tx.ExecContext(ctx, `UPDATE webhook_deliveries SET state = 'Failed', reason = $1, finished_at = $2
				WHERE tenant = $3 AND endpoint = $4 AND id = $5 AND state = 'Waiting'`, hold.Twice, ms(at), x.Tenant, endpoint, id)
		}
		if err != nil {
			return err
		}
		return setAside(ctx, tx, x.Tenant, endpoint, id, cause, at)
	})
	return wrap(err, "set a delivery of webhook %s aside", endpoint)
}

// FailMessage ends a message that is Waiting or Sending, also one that a gateway has. audit gets the
// message's tenant.
func (d *DB) FailMessage(ctx context.Context, id string, reason delivery.Reason, at time.Time, audit *tenant.Entry) error {
	err := d.write(ctx, everyone, func(tx *sql.Tx) error {
		m, err := scanMail(tx.QueryRowContext(ctx, `SELECT `+mailColumns+` FROM mails m WHERE m.id = $1`+d.forUpdate, id))
		if errors.Is(err, sql.ErrNoRows) {
			return delivery.NoMessage()
		}
		if err != nil {
			return err
		}
		to, err := m.State.Next(delivery.Hold)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `UPDATE mails SET state = $1, reason = $2, code = 0, owner = '', next_at = $3, wake_at = $3, updated_at = $3 WHERE tenant = $4 AND id = $5`,
			string(to), string(reason), ms(at), m.Tenant, id)
		if err != nil {
			return err
		}
		entry := *audit
		entry.Tenant = m.Tenant
		return insertAudit(ctx, tx, &entry)
	})
	return wrap(err, "end message %s", id)
}
