package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"tcode/server/privacy"
	"tcode/server/tenant"
)

// Retention returns the times that a tenant has set.
func (d *DB) Retention(ctx context.Context, tenantRef string) (privacy.Settings, error) {
	type row struct {
		kind privacy.Kind
		days int
	}
	rows, err := readAs(ctx, d, tenantRef, func(ctx context.Context, q queryer) ([]row, error) {
		return all(ctx, q, func(r scanner) (x row, err error) { return x, r.Scan(&x.kind, &x.days) },
			`SELECT kind, days FROM retention WHERE tenant = $1 ORDER BY kind`, tenantRef)
	})
	s := privacy.Settings{}
	for _, x := range rows {
		s[x.kind] = x.days
	}
	return s, wrap(err, "read retention of %s", tenantRef)
}

// SetRetention replaces the times of a tenant.
func (d *DB) SetRetention(ctx context.Context, tenantRef string, s privacy.Settings, audit *tenant.Entry) error {
	err := d.write(ctx, tenantRef, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `DELETE FROM retention WHERE tenant = $1`, tenantRef); err != nil {
			return err
		}
		in := insertion{into: `retention (tenant, kind, days)`}
		for _, r := range privacy.Rules() {
			if days, ok := s[r.Kind]; ok {
				in.row(tenantRef, string(r.Kind), days)
			}
		}
		if err := in.exec(ctx, tx); err != nil {
			return err
		}
		return insertAudit(ctx, tx, audit)
	})
	return wrap(err, "set retention of %s", tenantRef)
}

// sweptAtOnce is the number of rows that one transaction of a sweep deletes, and
// jobsAtOnce that of bulk jobs, each with its rows.
const sweptAtOnce, jobsAtOnce = 500, 5

// Sweep deletes some of what is older than a time.
func (d *DB) Sweep(ctx context.Context, tenantRef string, k privacy.Kind, before time.Time) (removed int, more bool, err error) {
	sweeps := map[privacy.Kind]func(ctx context.Context, tx *sql.Tx, tenantRef string, before int64) (int, bool, error){
		privacy.Answers: sweepAnswers, privacy.History: sweepHistory, privacy.Locations: sweepPlaces, privacy.Mails: sweepMails,
		privacy.Scans: sweepDevices, privacy.Uploads: sweepUploads, privacy.Originals: sweepFiles("original"), privacy.Stamped: sweepFiles("stamped", "barcode", "payload"),
	}
	sweep, ok := sweeps[k]
	if !ok {
		return 0, false, fmt.Errorf("no sweep of %q", string(k))
	}
	err = d.write(ctx, tenantRef, func(tx *sql.Tx) (err error) {
		removed, more, err = sweep(ctx, tx, tenantRef, ms(before))
		return err
	})
	if err != nil {
		removed = 0
	}
	return removed, more, wrap(err, "sweep %s of %s", string(k), tenantRef)
}

// full returns how many rows a statement changed, and whether it changed as many as it may.
func full(res sql.Result, err error) (n int, all bool, _ error) {
	if err != nil {
		return 0, false, err
	}
	rows, err := res.RowsAffected()
	return int(rows), rows >= sweptAtOnce, err
}

func sweepAnswers(ctx context.Context, tx *sql.Tx, tenantRef string, before int64) (int, bool, error) {
	return full(tx.ExecContext(ctx, `DELETE FROM once WHERE tenant = $1 AND (route, key) IN (
		SELECT route, key FROM once WHERE tenant = $1 AND created_at <= $2 LIMIT $3)`, tenantRef, before, sweptAtOnce))
}

func sweepHistory(ctx context.Context, tx *sql.Tx, tenantRef string, before int64) (removed int, more bool, err error) {
	for _, kind := range []string{"stamp", "document"} {
		n, again, err := full(tx.ExecContext(ctx, `DELETE FROM verifications WHERE id IN (
			SELECT id FROM verifications WHERE tenant = $1 AND kind = $2 AND verified_at < $3 LIMIT $4)`, tenantRef, kind, before, sweptAtOnce))
		if err != nil {
			return 0, false, err
		}
		removed, more = removed+n, more || again
	}
	return removed, more, nil
}

// sweepPlaces takes places out of verifications.
func sweepPlaces(ctx context.Context, tx *sql.Tx, tenantRef string, before int64) (removed int, more bool, err error) {
	const mark = "history.locations"
	from, err := sweptUntil(ctx, tx, tenantRef, mark)
	if err != nil {
		return 0, false, err
	}
	for _, kind := range []string{"stamp", "document"} {
		n, again, err := full(tx.ExecContext(ctx, `UPDATE verifications SET location = '' WHERE id IN (
			SELECT id FROM verifications WHERE tenant = $1 AND kind = $2 AND verified_at >= $3 AND verified_at < $4 AND location <> '' LIMIT $5)`,
			tenantRef, kind, from, before, sweptAtOnce))
		if err != nil {
			return 0, false, err
		}
		removed, more = removed+n, more || again
	}
	if more {
		return removed, true, nil
	}
	return removed, false, setSwept(ctx, tx, tenantRef, mark, before)
}

// sweepDevices deletes what was counted of scans and of devices, of which no scan is left.
func sweepDevices(ctx context.Context, tx *sql.Tx, tenantRef string, before int64) (int, bool, error) {
	_, err := tx.ExecContext(ctx, `DELETE FROM tenant_devices WHERE tenant = $1 AND last_at < $2 AND name = '' AND refused_at = 0`, tenantRef, before)
	if err == nil {
		_, err = tx.ExecContext(ctx, `DELETE FROM finding_days WHERE tenant = $1 AND last_at < $2`, tenantRef, before)
	}
	return 0, false, err // they are no scans
}

// sweepMails deletes messages that are over, and the addresses that they were sent to.
func sweepMails(ctx context.Context, tx *sql.Tx, tenantRef string, before int64) (int, bool, error) {
	type message struct{ id, document string }
	old, err := all(ctx, tx, func(r scanner) (m message, err error) { return m, r.Scan(&m.id, &m.document) }, `
		SELECT id, coalesce(document_id, '') FROM mails
		WHERE tenant = $1 AND created_at < $2 AND state NOT IN ('Waiting', 'Sending') ORDER BY created_at, id LIMIT $3`, tenantRef, before, sweptAtOnce)
	if err != nil {
		return 0, false, err
	}
	for _, m := range old {
		if _, err := tx.ExecContext(ctx, `DELETE FROM mails WHERE tenant = $1 AND id = $2`, tenantRef, m.id); err != nil {
			return 0, false, err
		}
		if m.document == "" {
			continue
		}
		if _, err := tx.ExecContext(ctx, `UPDATE documents SET recipient_email = '' WHERE tenant = $1 AND id = $2`, tenantRef, m.document); err != nil {
			return 0, false, err
		}
	}
	return len(old), len(old) == sweptAtOnce, nil
}

// sweepUploads lets the files of ended jobs go, empties their rows, and removes the words of orders
// over many records.
func sweepUploads(ctx context.Context, tx *sql.Tx, tenantRef string, before int64) (removed int, more bool, err error) {
	for _, product := range []string{"tcode", "trust"} {
		old, err := all(ctx, tx, func(r scanner) (id string, err error) { return id, r.Scan(&id) }, `
			SELECT id FROM bulk_jobs WHERE tenant = $1 AND product = $2 AND created_at < $3 AND finished_at <> 0 AND finished_at < $3 AND csv_bytes >= 0
			ORDER BY created_at, id LIMIT $4`, tenantRef, product, before, jobsAtOnce)
		if err != nil {
			return 0, false, err
		}
		for _, job := range old {
			if _, err := tx.ExecContext(ctx, `UPDATE bulk_rows SET cells = '{}', file = '', message = '' WHERE tenant = $1 AND job = $2`, tenantRef, job); err != nil {
				return 0, false, err
			}
			if err := leaveUploads(ctx, tx, tenantRef, job, before); err != nil {
				return 0, false, err
			}
		}
		removed, more = removed+len(old), more || len(old) == jobsAtOnce
	}
	_, err = tx.ExecContext(ctx, `UPDATE batches SET reason = '', problems = '[]'
		WHERE tenant = $1 AND state <> 'Running' AND updated_at < $2 AND (reason <> '' OR problems <> '[]')`, tenantRef, before)
	return removed, more, wrap(err, "sweep orders")
}

// sweepFiles lets files of these kinds go, of stamps and of documents.
func sweepFiles(kinds ...string) func(context.Context, *sql.Tx, string, int64) (int, bool, error) {
	return func(ctx context.Context, tx *sql.Tx, tenantRef string, before int64) (removed int, more bool, err error) {
		for p, table := range map[parts]string{stampParts: "stamps", documentParts: "documents"} {
			n, again, err := p.sweep(ctx, tx, tenantRef, table, kinds, before)
			if err != nil {
				return 0, false, err
			}
			removed, more = removed+n, more || again
		}
		return removed, more, nil
	}
}

func (p parts) sweep(ctx context.Context, tx *sql.Tx, tenantRef, table string, kinds []string, before int64) (removed int, _ bool, _ error) {
	mark := table + "." + kinds[0]
	from, err := sweptUntil(ctx, tx, tenantRef, mark)
	if err != nil {
		return 0, false, err
	}
	type made struct {
		id string
		at int64
	}
	old, err := all(ctx, tx, func(r scanner) (m made, err error) { return m, r.Scan(&m.id, &m.at) },
		`SELECT id, created_at FROM `+table+` WHERE tenant = $1 AND created_at >= $2 AND created_at < $3 ORDER BY created_at, id LIMIT $4`, tenantRef, from, before, sweptAtOnce)
	if err != nil {
		return 0, false, err
	}
	for _, m := range old {
		left := 0
		for _, kind := range kinds {
			n, err := p.leave(ctx, tx, tenantRef, m.id, kind, fromMS(before))
			if err != nil {
				return 0, false, err
			}
			left += n
		}
		removed += one(left > 0)
	}
	more := len(old) == sweptAtOnce && old[0].at < old[len(old)-1].at
	if more {
		before = old[len(old)-1].at
	}
	return removed, more, setSwept(ctx, tx, tenantRef, mark, before)
}

func sweptUntil(ctx context.Context, tx *sql.Tx, tenantRef, mark string) (at int64, err error) {
	err = tx.QueryRowContext(ctx, `SELECT swept FROM retention_sweeps WHERE tenant = $1 AND kind = $2`, tenantRef, mark).Scan(&at)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return at, wrap(err, "read mark of a sweep")
}

func setSwept(ctx context.Context, tx *sql.Tx, tenantRef, mark string, at int64) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO retention_sweeps (tenant, kind, swept) VALUES ($1, $2, $3)
		ON CONFLICT (tenant, kind) DO UPDATE SET swept = excluded.swept`, tenantRef, mark, at)
	return wrap(err, "store mark of a sweep")
}
