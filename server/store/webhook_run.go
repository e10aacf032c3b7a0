package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"tcode/server/outbound/webhook"
	"tcode/server/platform/jobs"
	"tcode/server/platform/metrics"
	"tcode/server/tenant"
)

// heldWait is the time for which an endpoint waits for its turn among the tenant's own.
const heldWait = 2 * time.Second

// TakeWebhook gives an endpoint to owner. It takes no lock for which an event's
// transaction would wait: those lock the key of the row.
func (d *DB) TakeWebhook(ctx context.Context, id, owner string, now, until time.Time) (e webhook.Endpoint, taken bool, err error) {
	err = d.write(ctx, everyone, func(tx *sql.Tx) error {
		taken = false
		e, err = scanWebhook(tx.QueryRowContext(ctx, `
			UPDATE webhooks SET owner = $1, wake_at = $2 WHERE id = $3 AND state = 'enabled' AND (owner = '' OR wake_at <= $4)
				AND $5 > (SELECT count(*) FROM webhooks o WHERE o.tenant = webhooks.tenant AND o.owner <> '' AND o.wake_at > $4)
			RETURNING `+webhookColumns, owner, ms(until), id, ms(now), webhook.MaxHeld))
		if errors.Is(err, sql.ErrNoRows) { // it may become free soon
			_, err := tx.ExecContext(ctx, `UPDATE webhooks SET wake_at = $1 WHERE id = $2 AND owner = ''`, ms(now.Add(heldWait)), id)
			return err
		}
		taken = err == nil
		return err
	})
	return e, taken, wrap(err, "take webhook %s", id)
}

// HoldWebhook extends a hold. It takes the same lock as [DB.TakeWebhook].
func (d *DB) HoldWebhook(ctx context.Context, tenantRef, id, owner string, until time.Time) error {
	err := d.write(ctx, tenantRef, func(tx *sql.Tx) error {
		return heldRow(tx.ExecContext(ctx, `UPDATE webhooks SET wake_at = $1 WHERE tenant = $2 AND id = $3 AND owner = $4`, ms(until), tenantRef, id, owner))
	})
	return wrap(err, "hold webhook %s", id)
}

// BeginWebhookTries counts tries of due deliveries, and returns the deliveries.
func (d *DB) BeginWebhookTries(ctx context.Context, e webhook.Endpoint, owner string, now, until time.Time, limit int) (begun []webhook.Delivery, err error) {
	err = d.write(ctx, e.Tenant, func(tx *sql.Tx) error {
		begun = nil
		// The endpoint is locked before its deliveries, as in every change of both.
		var id string
		err := tx.QueryRowContext(ctx, `SELECT id FROM webhooks WHERE tenant = $1 AND id = $2 AND owner = $3 AND state = 'enabled'`+d.forShare, e.Tenant, e.ID, owner).Scan(&id)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		due, err := all(ctx, tx, scanDelivery, `
			UPDATE webhook_deliveries SET tries = tries + 1, due_at = $1, status = 0, reason = $2 WHERE tenant = $3 AND id IN (
				SELECT id FROM webhook_deliveries WHERE tenant = $3 AND endpoint = $4 AND state = 'Waiting' AND due_at <= $5 ORDER BY due_at, id LIMIT $6)
			RETURNING `+deliveryColumns, ms(until), webhook.ReasonBegun, e.Tenant, e.ID, ms(now), limit)
		if err != nil {
			return err
		}
		tries := insertion{into: `webhook_tries (tenant, delivery, number, at, took_ms, status, reason)`}
		for _, x := range due {
			if x.Tries-x.TriesBefore > webhook.MaxTries { // the last one did not end
				_, err := tx.ExecContext(ctx, `UPDATE webhook_deliveries SET state = 'Failed', tries = tries - 1, finished_at = $1 WHERE tenant = $2 AND id = $3`, ms(now), x.Tenant, x.ID)
				if err != nil {
					return err
				}
				continue
			}
			begun = append(begun, x)
			tries.row(x.Tenant, x.ID, x.Tries, ms(now), 0, 0, webhook.ReasonBegun)
		}
		return tries.exec(ctx, tx)
	})
	return begun, wrap(err, "begin tries")
}

// errEnded means that a delivery does not wait any more.
var errEnded = errors.New("the delivery has ended")

// PutWebhookTry stores the result of a try. It locks the endpoint before the delivery, as
// every change of both does: tries of one endpoint end concurrently, and one of them may
// end all the others.
func (d *DB) PutWebhookTry(ctx context.Context, x webhook.Delivery, t webhook.Try) (s webhook.State, f webhook.Failing, err error) {
	end := t.At.Add(t.Took)
	s, due := webhook.NextAttempt(t.Number-x.TriesBefore, t.Outcome, end)
	err = d.write(ctx, x.Tenant, func(tx *sql.Tx) error {
		if f, err = countTry(ctx, tx, x, t, end); err != nil {
			return err
		}
		if err := putTry(ctx, tx, x, t, s, due, end); err != nil || t.OK() {
			return err
		}
		reason, hopeless := f.ShouldDisable(end)
		if t.Gone {
			reason, hopeless = webhook.ReasonGone, true
		}
		if !hopeless && f.CheckBacklog() {
			if hopeless, err = crowded(ctx, tx, x); err != nil {
				return err
			}
			reason = webhook.ReasonBacklog
		}
		if !hopeless {
			return nil
		}
		return giveUp(ctx, tx, x, reason, end)
	})
	if errors.Is(err, errEnded) {
		return s, webhook.Failing{}, nil
	}
	return s, f, wrap(err, "store try of delivery %s", x.ID)
}

// crowded reports whether too many deliveries wait for a delivery's endpoint.
func crowded(ctx context.Context, tx *sql.Tx, x webhook.Delivery) (bool, error) {
	var n int
	err := tx.QueryRowContext(ctx, fmt.Sprintf(`SELECT count(*) FROM (SELECT id FROM webhook_deliveries
		WHERE tenant = $1 AND endpoint = $2 AND state = 'Waiting' LIMIT %d) AS waiting`, webhook.MaxWaiting+1), x.Tenant, x.Endpoint).Scan(&n)
	return n > webhook.MaxWaiting, err
}

// countTry counts a try for the endpoint.
func countTry(ctx context.Context, tx *sql.Tx, x webhook.Delivery, t webhook.Try, end time.Time) (f webhook.Failing, err error) {
	if t.OK() {
		_, err := tx.ExecContext(ctx, `UPDATE webhooks SET failing_since = 0, failures = 0 WHERE tenant = $1 AND id = $2 AND failures > 0`, x.Tenant, x.Endpoint)
		return f, err
	}
	var since int64
	err = tx.QueryRowContext(ctx, `
		UPDATE webhooks SET failures = failures + 1, failing_since = CASE WHEN failing_since = 0 THEN $1 ELSE failing_since END
		WHERE tenant = $2 AND id = $3 RETURNING failures, failing_since`, ms(end), x.Tenant, x.Endpoint).Scan(&f.Failures, &since)
	if errors.Is(err, sql.ErrNoRows) {
		err = errEnded // it was removed
	}
	f.Since = fromMS(since)
	return f, err
}

// putTry stores a try and the delivery's state after it.
func putTry(ctx context.Context, tx *sql.Tx, x webhook.Delivery, t webhook.Try, s webhook.State, due, end time.Time) error {
	if s == webhook.Waiting {
		end = time.Time{}
	}
	res, err := tx.ExecContext(ctx, `
		UPDATE webhook_deliveries SET state = $1, status = $2, reason = $3, due_at = $4, finished_at = $5
		WHERE tenant = $6 AND id = $7 AND state = 'Waiting' AND tries = $8`,
		string(s), t.Status, t.Reason, ms(due), ms(end), x.Tenant, x.ID, t.Number)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return orElse(err, errEnded)
	}
	_, err = tx.ExecContext(ctx, `UPDATE webhook_tries SET at = $1, took_ms = $2, status = $3, reason = $4 WHERE tenant = $5 AND delivery = $6 AND number = $7`,
		ms(t.At), t.Took.Milliseconds(), t.Status, t.Reason, x.Tenant, x.ID, t.Number)
	return err
}

// giveUp disables an endpoint, once.
func giveUp(ctx context.Context, tx *sql.Tx, x webhook.Delivery, reason string, at time.Time) error {
	res, err := tx.ExecContext(ctx, `UPDATE webhooks SET state = 'disabled', reason = $1, updated_at = $2 WHERE tenant = $3 AND id = $4 AND state = 'enabled'`,
		reason, ms(at), x.Tenant, x.Endpoint)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return err
	}
	if err := failWaiting(ctx, tx, x.Tenant, x.Endpoint, at); err != nil {
		return err
	}
	by := tenant.By{Actor: tenant.ActorSystem}
	return insertAudit(ctx, tx, (&tenant.Entry{Tenant: x.Tenant, By: by, Action: webhook.ActionDisable, Subject: x.Endpoint, At: at}).With("reason", reason))
}

// ReleaseWebhook releases an endpoint.
func (d *DB) ReleaseWebhook(ctx context.Context, tenantRef, id, owner string, wake time.Time) error {
	err := d.write(ctx, tenantRef, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE webhooks SET owner = '', wake_at = $1 WHERE tenant = $2 AND id = $3 AND owner = $4`, ms(wake), tenantRef, id, owner)
		return err
	})
	return wrap(err, "release webhook %s", id)
}

// webhooksOpen is the condition of endpoints with work at $1.
const webhooksOpen = `state = 'enabled' AND EXISTS (SELECT 1 FROM webhook_deliveries d
	WHERE d.tenant = webhooks.tenant AND d.endpoint = webhooks.id AND d.state = 'Waiting' AND d.due_at <= $1)`

// WakeWebhooks wakes the runner for endpoints with due deliveries.
func (d *DB) WakeWebhooks(ctx context.Context, now time.Time) error {
	return d.wake(ctx, sleeper{kind: jobs.Webhook, table: "webhooks", open: webhooksOpen, free: true}, now)
}

// cleanAtOnce is how many deliveries one transaction removes.
const cleanAtOnce = 500

// CleanWebhooks removes old deliveries and secrets.
func (d *DB) CleanWebhooks(ctx context.Context, before, now time.Time) (more bool, err error) {
	err = d.write(ctx, everyone, func(tx *sql.Tx) error {
		type key struct{ tenant, id string }
		old, err := all(ctx, tx, func(r scanner) (k key, err error) { return k, r.Scan(&k.tenant, &k.id) },
			fmt.Sprintf(`SELECT tenant, id FROM webhook_deliveries WHERE state <> 'Waiting' AND finished_at < $1 ORDER BY finished_at LIMIT %d`, cleanAtOnce), ms(before))
		if err != nil {
			return err
		}
		for _, k := range old {
			// A delivery that was requested again meanwhile stays.
			if _, err := tx.ExecContext(ctx, `DELETE FROM webhook_deliveries WHERE tenant = $1 AND id = $2 AND state <> 'Waiting'`, k.tenant, k.id); err != nil {
				return err
			}
		}
		more = len(old) == cleanAtOnce
		_, err = tx.ExecContext(ctx, `UPDATE webhooks SET old_secret = NULL, old_until = 0 WHERE old_until <> 0 AND old_until <= $1`, ms(now))
		return err
	})
	return more, wrap(err, "clean deliveries")
}

// WebhookUse counts waiting deliveries, and endpoints, for metrics.
func (d *DB) WebhookUse(ctx context.Context) (metrics.Webhooks, error) {
	return readAs(ctx, d, everyone, func(ctx context.Context, q queryer) (m metrics.Webhooks, err error) {
		err = q.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM webhook_deliveries WHERE state = 'Waiting'),
			(SELECT count(*) FROM webhooks WHERE state = 'enabled'), (SELECT count(*) FROM webhooks WHERE state = 'disabled')`).Scan(&m.Waiting, &m.Enabled, &m.Disabled)
		return m, wrap(err, "count webhooks")
	})
}
