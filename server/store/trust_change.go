package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"time"

	"tcode/server/issue/stamp"
	"tcode/server/issue/trustdoc"
	"tcode/server/tenant"
)

// ChangeDocument moves a document by ev.Action, and its stamp with it.
func (d *DB) ChangeDocument(ctx context.Context, tenantRef, id string, ev trustdoc.Event, audit *tenant.Entry) (stamped bool, err error) {
	err = d.write(ctx, tenantRef, func(tx *sql.Tx) error {
		stamped, err = d.changeDocument(ctx, tx, tenantRef, id, ev, audit)
		return err
	})
	return stamped && err == nil, wrap(err, "change document %s", id)
}

func (d *DB) changeDocument(ctx context.Context, tx *sql.Tx, tenantRef, id string, ev trustdoc.Event, audit *tenant.Entry) (stamped bool, err error) {
	var stored trustdoc.Status
	var expires int64
	var stampID, reason string
	err = tx.QueryRowContext(ctx, `SELECT status, expires_at, stamp_id, reason FROM documents WHERE tenant = $1 AND id = $2`+d.forUpdate,
		tenantRef, id).Scan(&stored, &expires, &stampID, &reason)
	if err != nil {
		return false, noDocument(err)
	}
	ev.From = stored.At(fromMS(expires), ev.At)
	if ev.To, err = ev.From.Next(ev.Action); err != nil || ev.To == stored && !news(ev.Reason, reason) {
		return false, err
	}
	switch {
	case ev.From != stored: // its time is over already, but that is not stored yet
		ev.From, ev.At = stored, fromMS(expires)
	case ev.To == trustdoc.Expired && ev.To != stored:
		expires = ms(ev.At)
	}
	// Expiry is no operation of the tenant.
	if audit != nil && audit.By.Actor != tenant.ActorSystem {
		if err := d.takeQuota(ctx, tx, tenantRef, tenant.KindLifecycle, 1, audit.At); err != nil {
			return false, err
		}
	}
	if err := insertAudit(ctx, tx, audit); err != nil {
		return false, err
	}
	_, err = tx.ExecContext(ctx, `UPDATE documents SET status = $1, reason = $2, expires_at = $3, updated_at = $4 WHERE tenant = $5 AND id = $6`,
		ev.To, ev.Reason, expires, ms(audit.At), tenantRef, id)
	if err != nil {
		return false, err
	}
	if err := documentHistory.add(ctx, tx, tenantRef, id, ev); err != nil || stampID == "" {
		return false, err
	}
	own := stamp.Event{Action: ev.Action.ForStamp(), Reason: ev.Reason, By: ev.By, At: ev.At}
	if ev.Action == trustdoc.ActionExpire && own.Reason == "" {
		own.Reason = "the document has expired" // revoked is a stamp's only word for it
	}
	return d.moveOwned(ctx, tx, tenantRef, stampID, "", own)
}

// moveOwned moves a stamp with the document that owns it, whose row is locked. replacedBy
// is the reference of its successor, if there is one. It reports whether devices must
// know of the change.
func (d *DB) moveOwned(ctx context.Context, tx *sql.Tx, tenantRef, id, replacedBy string, ev stamp.Event) (changed bool, err error) {
	var shard, entry uint16
	var reason, replaced string
	err = tx.QueryRowContext(ctx, `SELECT status, shard, entry, reason, replaced_by FROM stamps WHERE tenant = $1 AND id = $2`+d.forUpdate,
		tenantRef, id).Scan(&ev.From, &shard, &entry, &reason, &replaced)
	if err != nil {
		return false, noStamp(err)
	}
	if ev.To, err = ev.From.Next(ev.Action); err != nil || ev.To == ev.From && !news(ev.Reason, reason) {
		return false, err
	}
	_, err = tx.ExecContext(ctx, `UPDATE stamps SET status = $1, replaced_by = $2, reason = $3, updated_at = $4 WHERE tenant = $5 AND id = $6`,
		ev.To, cmp.Or(replacedBy, replaced), ev.Reason, ms(ev.At), tenantRef, id)
	if err != nil {
		return false, err
	}
	if err := stampHistory.add(ctx, tx, tenantRef, id, ev); err != nil || ev.To == ev.From {
		return false, err
	}
	return true, setEntry(ctx, tx, shard, entry, ev.To.Entry(replacedBy != ""))
}

// DueDocuments returns documents whose time is over and that are not stored as
// Expired.
func (d *DB) DueDocuments(ctx context.Context, tenantRef string, now time.Time, after trustdoc.Due, limit int) (due []trustdoc.Due, err error) {
	w := new(where)
	scope := everyone
	if tenantRef != "" {
		scope = tenantRef
		w.and("tenant = ?", tenantRef)
	}
	w.and("expires_at <> 0 AND status IN ('Active', 'Suspended')")
	w.and("expires_at <= ?", ms(now))
	w.and("(expires_at, id) > (?, ?)", ms(after.ExpiresAt), after.ID)
	w.and("NOT EXISTS (SELECT 1 FROM work_faults f WHERE f.kind = 'expiry' AND f.item = documents.id AND f.aside = 1)")
	err = d.read(ctx, scope, func(q queryer) error {
		due, err = all(ctx, q, func(r scanner) (x trustdoc.Due, err error) {
			var expires int64
			err = r.Scan(&x.Tenant, &x.ID, &expires)
			x.ExpiresAt = fromMS(expires)
			return x, err
		}, fmt.Sprintf(`SELECT tenant, id, expires_at FROM documents WHERE %s ORDER BY expires_at, id LIMIT %d`, w, limit), w.args...)
		return err
	})
	return due, wrap(err, "look for documents that are due")
}
