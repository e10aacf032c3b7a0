package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"tcode/server/fault"
	"tcode/server/outbound/webhook"
	"tcode/server/platform/jobs"
	"tcode/server/tenant"
)

var _ webhook.Store = (*DB)(nil)

const webhookColumns = `tenant, id, url, events, state, reason, secret, old_secret, old_until, failing_since, failures, created_at, updated_at`

func scanWebhook(r scanner) (e webhook.Endpoint, err error) {
	var events string
	var oldUntil, since, created, updated int64
	err = r.Scan(&e.Tenant, &e.ID, &e.URL, &events, &e.State, &e.Reason, &e.Secret, &e.OldSecret, &oldUntil, &since, &e.Failures, &created, &updated)
	if err != nil {
		return e, err
	}
	e.OldUntil, e.Since, e.CreatedAt, e.UpdatedAt = fromMS(oldUntil), fromMS(since), fromMS(created), fromMS(updated)
	return e, wrap(json.Unmarshal([]byte(events), &e.Events), "events of webhook %s", e.ID)
}

// noWebhook converts the error of a missing row to its one fault.
func noWebhook(err error) error { return notFound(err, "read webhook", "no such webhook") }

// InsertWebhook stores a new endpoint.
func (d *DB) InsertWebhook(ctx context.Context, e webhook.Endpoint, once *tenant.IdempotencyRecord, audit *tenant.Entry) error {
	events, err := json.Marshal(e.Events)
	if err != nil {
		return fmt.Errorf("events of webhook %s: %w", e.ID, err)
	}
	err = d.write(ctx, e.Tenant, func(tx *sql.Tx) error {
		if once != nil {
			if err := putIdempotencyRecord(ctx, tx, *once); err != nil {
				return err
			}
		}
		var n int
		if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM webhooks WHERE tenant = $1`, e.Tenant).Scan(&n); err != nil {
			return err
		}
		if n >= webhook.MaxEndpoints {
			return fault.New(fault.Conflict, fault.CodeConflict, "tenant %s has %d webhooks, the maximum", e.Tenant, n)
		}
		_, err := tx.ExecContext(ctx, `
			INSERT INTO webhooks (tenant, id, url, events, state, secret, wake_at, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
			e.Tenant, e.ID, e.URL, string(events), e.State, e.Secret, ms(e.CreatedAt), ms(e.CreatedAt), ms(e.UpdatedAt))
		if err != nil {
			return err
		}
		return insertAudit(ctx, tx, audit)
	})
	return wrap(err, "insert webhook")
}

// Webhook returns one endpoint.
func (d *DB) Webhook(ctx context.Context, tenantRef, id string) (webhook.Endpoint, error) {
	return readAs(ctx, d, tenantRef, func(ctx context.Context, q queryer) (webhook.Endpoint, error) {
		e, err := scanWebhook(q.QueryRowContext(ctx, `SELECT `+webhookColumns+` FROM webhooks WHERE tenant = $1 AND id = $2`, tenantRef, id))
		return e, noWebhook(err)
	})
}

// Webhooks returns a tenant's endpoints.
func (d *DB) Webhooks(ctx context.Context, tenantRef string) ([]webhook.Endpoint, error) {
	es, err := readAs(ctx, d, tenantRef, func(ctx context.Context, q queryer) ([]webhook.Endpoint, error) {
		return all(ctx, q, scanWebhook, `SELECT `+webhookColumns+` FROM webhooks WHERE tenant = $1 ORDER BY id`, tenantRef)
	})
	return es, wrap(err, "list webhooks")
}

// ChangeWebhook stores an endpoint as change changes it.
func (d *DB) ChangeWebhook(ctx context.Context, tenantRef, id string, change func(*webhook.Endpoint) error, audit *tenant.Entry) (e webhook.Endpoint, err error) {
	err = d.write(ctx, tenantRef, func(tx *sql.Tx) error {
		e, err = scanWebhook(tx.QueryRowContext(ctx, `SELECT `+webhookColumns+` FROM webhooks WHERE tenant = $1 AND id = $2`+d.forUpdate, tenantRef, id))
		if err := noWebhook(err); err != nil {
			return err
		}
		was := e.State
		if err := change(&e); err != nil {
			return err
		}
		events, err := json.Marshal(e.Events)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `
			UPDATE webhooks SET state = $1, reason = $2, secret = $3, old_secret = $4, old_until = $5, failing_since = $6, failures = $7, updated_at = $8,
				url = $9, events = $10
			WHERE tenant = $11 AND id = $12`,
			e.State, e.Reason, e.Secret, e.OldSecret, ms(e.OldUntil), ms(e.Since), e.Failures, ms(e.UpdatedAt), e.URL, string(events), tenantRef, id)
		if err != nil {
			return err
		}
		if was != e.State && e.State == webhook.Disabled {
			if err := failWaiting(ctx, tx, tenantRef, id, e.UpdatedAt); err != nil {
				return err
			}
		}
		return insertAudit(ctx, tx, audit)
	})
	return e, wrap(err, "change webhook")
}

// failWaiting ends the waiting deliveries of an endpoint that was disabled.
func failWaiting(ctx context.Context, tx *sql.Tx, tenantRef, endpoint string, at time.Time) error {
	_, err := tx.ExecContext(ctx, `UPDATE webhook_deliveries SET state = 'Failed', reason = $1, finished_at = $2
		WHERE tenant = $3 AND endpoint = $4 AND state = 'Waiting'`, webhook.ReasonDisabled, ms(at), tenantRef, endpoint)
	return wrap(err, "end deliveries")
}

// holdDeliveries ends waiting deliveries in the transaction that marks a database as
// restored: they may have been delivered since the backup.
func holdDeliveries(ctx context.Context, tx *sql.Tx, at time.Time) (int, error) {
	return count(tx.ExecContext(ctx, `UPDATE webhook_deliveries SET state = 'Failed', reason = $1, finished_at = $2 WHERE state = 'Waiting'`,
		webhook.ReasonRestored, ms(at)))
}

// RemoveWebhook removes an endpoint with its deliveries, and their tries with
// them.
func (d *DB) RemoveWebhook(ctx context.Context, tenantRef, id string, audit *tenant.Entry) error {
	err := d.write(ctx, tenantRef, func(tx *sql.Tx) error {
		// From here on no event uses it.
		err := tx.QueryRowContext(ctx, `SELECT id FROM webhooks WHERE tenant = $1 AND id = $2`+d.forUpdate, tenantRef, id).Scan(&id)
		if err := noWebhook(err); err != nil {
			return err
		}
		for _, statement := range []string{
			`DELETE FROM webhook_deliveries WHERE tenant = $1 AND endpoint = $2`,
			`DELETE FROM webhooks WHERE tenant = $1 AND id = $2`,
		} {
			if _, err := tx.ExecContext(ctx, statement, tenantRef, id); err != nil {
				return err
			}
		}
		return insertAudit(ctx, tx, audit)
	})
	return wrap(err, "remove webhook")
}

const deliveryColumns = `tenant, id, endpoint, type, body, state, tries, tries_before, status, reason, due_at, created_at, finished_at`

func scanDelivery(r scanner) (x webhook.Delivery, err error) {
	var due, created, finished int64
	err = r.Scan(&x.Tenant, &x.ID, &x.Endpoint, &x.Type, &x.Body, &x.State, &x.Tries, &x.TriesBefore, &x.Status, &x.Reason, &due, &created, &finished)
	x.DueAt, x.CreatedAt, x.FinishedAt = fromMS(due), fromMS(created), fromMS(finished)
	return x, err
}

func noDelivery(err error) error { return notFound(err, "read delivery", "no such delivery") }

// WebhookDeliveries returns deliveries of an endpoint.
func (d *DB) WebhookDeliveries(ctx context.Context, tenantRef, endpoint string, s webhook.State, limit int) ([]webhook.Delivery, error) {
	w := new(where)
	w.and("tenant = ?", tenantRef)
	w.and("endpoint = ?", endpoint)
	if s != "" {
		w.and("state = ?", string(s))
	}
	xs, err := readAs(ctx, d, tenantRef, func(ctx context.Context, q queryer) ([]webhook.Delivery, error) {
		return all(ctx, q, scanDelivery, fmt.Sprintf(`SELECT %s FROM webhook_deliveries WHERE %s ORDER BY id DESC LIMIT %d`, deliveryColumns, w, limit), w.args...)
	})
	return xs, wrap(err, "list deliveries")
}

// WebhookTries returns a delivery with its tries.
func (d *DB) WebhookTries(ctx context.Context, tenantRef, delivery string) (x webhook.Delivery, tries []webhook.Try, err error) {
	err = d.read(ctx, tenantRef, func(q queryer) error {
		x, err = scanDelivery(q.QueryRowContext(ctx, `SELECT `+deliveryColumns+` FROM webhook_deliveries WHERE tenant = $1 AND id = $2`, tenantRef, delivery))
		if err := noDelivery(err); err != nil {
			return err
		}
		tries, err = all(ctx, q, func(r scanner) (t webhook.Try, err error) {
			var at, took int64
			err = r.Scan(&t.Number, &at, &took, &t.Status, &t.Reason)
			t.At, t.Took, t.Gone = fromMS(at), time.Duration(took)*time.Millisecond, t.Status == webhook.StatusGone
			return t, err
		}, `SELECT number, at, took_ms, status, reason FROM webhook_tries WHERE tenant = $1 AND delivery = $2 ORDER BY number`, tenantRef, delivery)
		return err
	})
	if err != nil {
		return webhook.Delivery{}, nil, wrap(err, "read tries")
	}
	return x, tries, nil
}

// again makes deliveries wait like new ones.
const again = `UPDATE webhook_deliveries SET state = 'Waiting', tries_before = tries, due_at = $1, finished_at = 0, reason = '', status = 0 WHERE tenant = $2 AND `

var errDisabled = fault.New(fault.Conflict, fault.CodeConflict, "the webhook is disabled: enable it first")

// canDeliver returns a fault unless a tenant's endpoint is enabled, and locks that
// state.
func (d *DB) canDeliver(ctx context.Context, tx *sql.Tx, tenantRef, endpoint string) error {
	var state webhook.EndpointState
	err := tx.QueryRowContext(ctx, `SELECT state FROM webhooks WHERE tenant = $1 AND id = $2`+d.forShare, tenantRef, endpoint).Scan(&state)
	if err := noWebhook(err); err != nil {
		return err
	}
	if state == webhook.Disabled {
		return errDisabled
	}
	return nil
}

// RedeliverWebhook makes a delivery due again.
func (d *DB) RedeliverWebhook(ctx context.Context, tenantRef, delivery string, now time.Time, audit *tenant.Entry) error {
	err := d.write(ctx, tenantRef, func(tx *sql.Tx) error {
		var endpoint string
		err := tx.QueryRowContext(ctx, `SELECT endpoint FROM webhook_deliveries WHERE tenant = $1 AND id = $2`, tenantRef, delivery).Scan(&endpoint)
		if err := noDelivery(err); err != nil {
			return err
		}
		if err := d.canDeliver(ctx, tx, tenantRef, endpoint); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, again+`id = $3`, ms(now), tenantRef, delivery); err != nil {
			return err
		}
		if err := forgetFaults(ctx, tx, jobs.Webhook, endpoint, delivery); err != nil {
			return err
		}
		return insertAudit(ctx, tx, audit)
	})
	return wrap(err, "redeliver")
}

// RedeliverWebhooks makes all deliveries due again that failed since a time.
func (d *DB) RedeliverWebhooks(ctx context.Context, tenantRef, endpoint string, since, now time.Time, audit *tenant.Entry) (n int, err error) {
	err = d.write(ctx, tenantRef, func(tx *sql.Tx) error {
		if err := d.canDeliver(ctx, tx, tenantRef, endpoint); err != nil {
			return err
		}
		res, err := tx.ExecContext(ctx, again+`endpoint = $3 AND state = 'Failed' AND created_at >= $4`, ms(now), tenantRef, endpoint, ms(since))
		if err != nil {
			return err
		}
		changed, err := res.RowsAffected()
		if n = int(changed); err != nil || n == 0 {
			return err
		}
		return insertAudit(ctx, tx, audit)
	})
	return n, wrap(err, "redeliver")
}
