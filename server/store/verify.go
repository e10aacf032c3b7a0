package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"tcode/offline/digest"
	"tcode/offline/payload"
	"tcode/server/issue/stamp"
	"tcode/server/verify"
)

var _ verify.Store = (*DB)(nil)

// newestByHash is the query of a file's newest active stamp, or else of its newest. The
// index ends with the newest of each status, so a file that was stamped very often costs
// no more than another.
func newestByHash(of string) string {
	var newest []string
	for i, status := range []stamp.Status{stamp.Active, stamp.Suspended, stamp.Revoked} {
		newest = append(newest, fmt.Sprintf(`
			SELECT * FROM (SELECT reference, created_at, id, %d AS rank FROM stamps WHERE %s AND status = '%s'
				ORDER BY created_at DESC, id DESC LIMIT 1) AS s%d`, min(i, 1), of, status, i))
	}
	return `SELECT ` + recordColumns + ` FROM ` + recordTables + ` WHERE s.reference = (
		SELECT reference FROM (` + strings.Join(newest, " UNION ALL") + `) AS u ORDER BY rank, created_at DESC, id DESC LIMIT 1)`
}

// RecordByHash returns the stamp of a file. No other tenant can have made the same
// stamped file: it holds a reference that was drawn for it.
func (d *DB) RecordByHash(ctx context.Context, sha256 digest.SHA256) (verify.Record, verify.MatchedOn, int, error) {
	none := verify.Record{}
	of := new(where)
	of.and("s.stamped_sha256 = ?", sha256[:])
	on := verify.OnStamped
	rec, err := d.scanRecord(d.hot.QueryRowContext(ctx, newestByHash("stamped_sha256 = $1"), of.args...))
	if errors.Is(err, sql.ErrNoRows) {
		if of, err = d.ofOriginal(ctx, "stamps", sha256); err != nil {
			return none, "", 0, noStamp(err)
		}
		on = verify.OnOriginal
		rec, err = d.scanRecord(d.hot.QueryRowContext(ctx, newestByHash("original_sha256 = $1 AND test = $2 AND tenant = $3"), of.args...))
	}
	if err != nil {
		return none, "", 0, fmt.Errorf("look up file: %w", err)
	}
	n, _, err := d.count(ctx, d.hot, "stamps s", of)
	return rec, on, n, wrap(err, "count file")
}

// ofOriginal returns the conditions on the rows of a table that answer for an
// original: those of the tenant that stamped it first, the live ones if it has
// any. The error is sql.ErrNoRows if there are none at all.
func (d *DB) ofOriginal(ctx context.Context, table string, sha256 digest.SHA256) (*where, error) {
	var first string
	var test bool
	err := d.hot.QueryRowContext(ctx, `SELECT tenant, test FROM `+table+` WHERE original_sha256 = $1 ORDER BY test, created_at, reference LIMIT 1`, sha256[:]).
		Scan(&first, &test)
	if err != nil {
		return nil, err
	}
	w := new(where)
	w.and("s.original_sha256 = ?", sha256[:])
	w.and("s.test = ?", one(test))
	w.and("s.tenant = ?", first)
	return w, nil
}

// Scans returns one page of a document's scans.
func (d *DB) Scans(ctx context.Context, tenantRef string, ref payload.Reference, f verify.ScanFilter) (verify.ScanPage, error) {
	p := verify.ScanPage{Page: f.Page, PageSize: f.PageSize}
	w := new(where)
	w.and("s.tenant = ?", tenantRef)
	w.and("s.reference = ?", ref[:])
	if !f.From.IsZero() {
		w.and("s.received_at >= ?", ms(f.From))
	}
	if !f.To.IsZero() {
		w.and("s.received_at < ?", ms(f.To))
	}
	if f.Finding != "" {
		w.and("s.finding <> ''") // as in the index
		if f.Finding != verify.AnyFinding {
			w.and("s.finding = ?", f.Finding)
		}
	}
	err := d.read(ctx, tenantRef, func(q queryer) (err error) {
		if p.TotalCount, p.TotalIsLowerBound, err = d.count(ctx, q, "scans s", w); err != nil {
			return fmt.Errorf("count scans: %w", err)
		}
		limit, offset := len(w.args)+1, len(w.args)+2
		p.Items, err = all(ctx, q, scanScan, fmt.Sprintf(`
			SELECT s.verdict, s.received_at, s.scanner_id, s.scan_id, s.signed, s.scanned_at, s.location, s.offline_verdict, s.verdict_at_scan,
				s.assurance, s.binding, s.finding,
				s.signed = 1 AND EXISTS (SELECT 1 FROM tenant_devices td WHERE td.tenant = s.tenant AND td.scanner_id = s.scanner_id
					AND td.refused_at <> 0 AND td.refused_at <= s.received_at)
			FROM scans s WHERE %s ORDER BY s.received_at DESC, s.id DESC LIMIT $%d OFFSET $%d`, w, limit, offset),
			append(w.args, f.PageSize, (f.Page-1)*f.PageSize)...)
		return err
	})
	return p, wrap(err, "list scans")
}

func scanScan(r scanner) (s verify.Scan, err error) {
	var scanned, received int64
	err = r.Scan(&s.GatewayVerdict, &received, &s.ScannerID, &s.ScanID, &s.Signed, &scanned, &s.Location, &s.OfflineVerdict, &s.VerdictAtScan,
		&s.Assurance, &s.Binding, &s.Finding, &s.DeviceRefused)
	s.VerifiedAt, s.ScannedAt = fromMS(received), fromMS(scanned)
	return s, err
}
