package store

import (
	"context"
	"database/sql"
	"strconv"
	"time"

	"tcode/server/issue/bulk"
	"tcode/server/platform/jobs"
	"tcode/server/tenant"
)

// ended is the number of works that ended with the right of their author.
type ended struct{ jobs, orders int }

// note adds the numbers to the audit row of what took the right.
func (e ended) note(audit *tenant.Entry) *tenant.Entry {
	for name, n := range map[string]int{"endedJobs": e.jobs, "endedOrders": e.orders} {
		if n > 0 {
			audit = audit.With(name, strconv.Itoa(n))
		}
	}
	return audit
}

// endWork ends the bulk jobs and orders of an author who is refused from now on, also those
// that a gateway works on: it finds that they are not its own any more, and the transaction of
// a row that it makes finds its job ended.
func (d *DB) endWork(ctx context.Context, tx *sql.Tx, tenantRef string, by tenant.By, at time.Time) (e ended, err error) {
	open, err := all(ctx, tx, scanBulk, `SELECT `+bulkList+` FROM bulk_jobs WHERE tenant = $1 AND created_by = $2 AND `+openBulks+` ORDER BY id`+d.forUpdate, tenantRef, by.Author())
	if err != nil {
		return e, wrap(err, "read jobs of an author")
	}
	for _, j := range open {
		to := bulk.Failed
		if j.Status == bulk.Cancelling {
			to = bulk.Cancelled
		}
		j.Message = tenant.ErrAuthor.Message
		if err := forgetFaults(ctx, tx, jobs.Bulk, j.ID, jobs.Failures); err != nil {
			return e, err
		}
		if err := endBulk(ctx, tx, j, to, at); err != nil {
			return e, wrap(err, "end bulk job %s", j.ID)
		}
	}
	e.jobs = len(open)
	e.orders, err = count(tx.ExecContext(ctx, `UPDATE batches SET state = 'Stopped', stop = $1, updated_at = $2
		WHERE tenant = $3 AND author = $4 AND state = 'Running'`, tenant.ErrAuthor.Message, ms(at), tenantRef, by.Author()))
	return e, wrap(err, "stop orders")
}

// made is the condition that an author did an action on the thing with this id. Authors have
// many rows in the audit log, and such actions have few: the index by action is the better one.
func made(actions, subject string) string {
	return `EXISTS (SELECT 1 FROM audit a WHERE a.tenant = $1 AND a.action IN (` + actions + `) AND a.actor || ' ' || a.by_name = $2 AND a.subject = ` + subject + `)`
}

// Left returns what an author leaves behind.
func (d *DB) Left(ctx context.Context, tenantRef string, by tenant.By, now time.Time) (left []tenant.Left, err error) {
	author := string(by.Actor) + " " + by.Name
	err = d.read(ctx, scopeOf(tenantRef), func(q queryer) error {
		left = nil
		for _, part := range []struct {
			kind  tenant.LeftKind
			query string
			args  []any
		}{
			{tenant.LeftBulkJob, `SELECT id, '' FROM bulk_jobs WHERE tenant = $1 AND created_by = $2 AND ` + openBulks + ` ORDER BY id`, []any{by.Author()}},
			{tenant.LeftOrder, `SELECT id, action FROM batches WHERE tenant = $1 AND author = $2 AND state = 'Running' ORDER BY id`, []any{by.Author()}},
			{tenant.LeftKey, `SELECT y.prefix, y.name FROM api_keys y WHERE y.tenant = $1 AND y.revoked_at = 0 AND (y.expires_at = 0 OR y.expires_at > $3) AND ` +
				made(`'key.create'`, `y.prefix`) + ` ORDER BY y.created_at`, []any{author, ms(now)}},
			{tenant.LeftKey, `SELECT y.prefix, y.name FROM api_keys o JOIN api_keys y ON y.prefix = o.successor
				WHERE o.tenant = $1 AND o.successor <> '' AND y.revoked_at = 0 AND (y.expires_at = 0 OR y.expires_at > $3) AND (o.prefix = $4 OR ` +
				made(`'key.rotate'`, `o.prefix`) + `) ORDER BY o.created_at`, []any{author, ms(now), by.Name}},
			{tenant.LeftWebhook, `SELECT w.id, w.url FROM webhooks w WHERE w.tenant = $1 AND w.state <> 'disabled' AND ` +
				made(`'webhook.create', 'webhook.change', 'webhook.rotate_secret'`, `w.id`) + ` ORDER BY w.id`, []any{author}},
			{tenant.LeftUser, `SELECT u.id, u.email FROM users u WHERE u.tenant = $1 AND u.state <> 'disabled' AND ` +
				made(`'user.create', 'user.reset'`, `u.id`) + ` ORDER BY u.email`, []any{author}},
		} {
			some, err := all(ctx, q, func(r scanner) (tenant.Left, error) {
				l := tenant.Left{Kind: part.kind}
				return l, r.Scan(&l.ID, &l.Name)
			}, part.query+` LIMIT `+strconv.Itoa(tenant.MaxLeft), append([]any{tenantRef}, part.args...)...)
			if err != nil {
				return err
			}
			left = append(left, some...)
		}
		return nil
	})
	return left, wrap(err, "read what an author left")
}
