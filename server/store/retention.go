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
		privacy.Uploads: sweepUploads, privacy.Originals: sweepFiles("original"), privacy.Stamped: sweepFiles("stamped", "barcode", "payload"),
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

// sweepUploads lets the files of ended jobs go, and empties their rows.
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
	return removed, more, nil
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

// scansAtOnce is the number of scans that a sweep reads in one step.
const scansAtOnce = 1000

// SweepScans deletes old scans, and places and notes of less old ones, among the next scans
// in the order of their arrival. It ends at the first that is too new for both.
func (d *DB) SweepScans(ctx context.Context, after int64, before func(tenantRef string) (scans, locations time.Time), removed func(string, privacy.Kind)) (next int64, err error) {
	type scan struct {
		id, received int64
		tenant       string
		place        bool
	}
	page, err := readAs(ctx, d, everyone, func(ctx context.Context, q queryer) ([]scan, error) {
		return all(ctx, q, func(r scanner) (s scan, err error) { return s, r.Scan(&s.id, &s.received, &s.tenant, &s.place) }, `
			SELECT id, received_at, tenant, (location <> '' OR note <> '' OR latitude_e6 IS NOT NULL) FROM scans WHERE id > $1 ORDER BY id LIMIT $2`, after, scansAtOnce)
	})
	if err != nil {
		return 0, fmt.Errorf("read scans: %w", err)
	}
	var gone, blank []int64
	type change struct {
		tenant string
		kind   privacy.Kind
	}
	var changed []change
	for _, s := range page {
		scans, places := before(s.tenant)
		switch {
		case s.received < ms(scans):
			gone = append(gone, s.id)
			changed = append(changed, change{s.tenant, privacy.Scans})
		case s.place && s.received < ms(places):
			blank = append(blank, s.id)
			changed = append(changed, change{s.tenant, privacy.Locations})
		}
		next = s.id
	}
	if len(page) < scansAtOnce {
		next = 0
	}
	err = d.write(ctx, everyone, func(tx *sql.Tx) error {
		for _, id := range gone {
			if _, err := tx.ExecContext(ctx, `DELETE FROM scans WHERE id = $1`, id); err != nil {
				return err
			}
		}
		for _, id := range blank {
			if _, err := tx.ExecContext(ctx, `UPDATE scans SET location = '', note = '', latitude_e6 = NULL, longitude_e6 = NULL WHERE id = $1`, id); err != nil {
				return err
			}
		}
		if next != 0 {
			return nil
		}
		return sweepConflicts(ctx, tx, before)
	})
	if err != nil {
		changed = nil
	}
	for _, c := range changed {
		removed(c.tenant, c.kind)
	}
	return next, wrap(err, "sweep scans")
}

// sweepConflicts deletes old second scans under an id: they are few.
func sweepConflicts(ctx context.Context, tx *sql.Tx, before func(string) (scans, locations time.Time)) error {
	old, _ := before("") // they name no tenant
	ids, err := all(ctx, tx, func(r scanner) (id int64, err error) { return id, r.Scan(&id) },
		`SELECT id FROM (SELECT id, received_at FROM scan_conflicts WHERE id > 0 ORDER BY id LIMIT $1) AS first WHERE received_at < $2`, scansAtOnce, ms(old))
	for _, id := range ids {
		if err == nil {
			_, err = tx.ExecContext(ctx, `DELETE FROM scan_conflicts WHERE id = $1`, id)
		}
	}
	return err
}
