package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"tcode/offline/payload"
	"tcode/server/stamp"
	"tcode/server/tenant"
	"tcode/server/verify"
)

var _ verify.Store = (*DB)(nil)

// RecordByReference returns what a verdict on a stamp rests on.
func (d *DB) RecordByReference(ctx context.Context, ref payload.Reference) (verify.Record, error) {
	return recordByReference(ctx, d.hot, ref)
}

func recordByReference(ctx context.Context, q queryer, ref payload.Reference) (verify.Record, error) {
	st, err := scanStamp(q.QueryRowContext(ctx, `SELECT `+stampColumns+` FROM stamps WHERE reference = $1`, ref[:]))
	if err != nil {
		return verify.Record{}, noStamp(err)
	}
	t, err := tenantOf(ctx, q, st.Tenant)
	return verify.Record{Stamp: st, Issuer: t}, err
}

// newestByHash is the query of the newest active stamp of a file, or else the
// newest. The index ends with the newest of each status, so a file that was
// stamped very often costs no more than another.
func newestByHash(column string) string {
	var newest []string
	for i, status := range []stamp.Status{stamp.Active, stamp.Suspended, stamp.Revoked} {
		newest = append(newest, fmt.Sprintf(`
			SELECT * FROM (SELECT reference, created_at, id, %d AS rank FROM stamps WHERE %s = $1 AND status = '%s'
				ORDER BY created_at DESC, id DESC LIMIT 1) AS s%d`, min(i, 1), column, status, i))
	}
	return `SELECT ` + stampColumns + ` FROM stamps WHERE reference = (
		SELECT reference FROM (` + strings.Join(newest, " UNION ALL") + `) AS u ORDER BY rank, created_at DESC, id DESC LIMIT 1)`
}

// RecordByHash returns the stamp of a file.
func (d *DB) RecordByHash(ctx context.Context, sha256 [32]byte) (verify.Record, verify.MatchedOn, int, error) {
	for _, m := range []struct {
		on     verify.MatchedOn
		column string
	}{{verify.OnStamped, "stamped_sha256"}, {verify.OnOriginal, "original_sha256"}} {
		st, err := scanStamp(d.hot.QueryRowContext(ctx, newestByHash(m.column), sha256[:]))
		if errors.Is(err, sql.ErrNoRows) {
			continue
		}
		if err != nil {
			return verify.Record{}, "", 0, fmt.Errorf("look up file: %w", err)
		}
		w := new(where)
		w.and("s."+m.column+" = ?", sha256[:])
		n, _, err := d.count(ctx, d.hot, "stamps s", w)
		if err != nil {
			return verify.Record{}, "", 0, fmt.Errorf("count file: %w", err)
		}
		t, err := tenantOf(ctx, d.hot, st.Tenant)
		return verify.Record{Stamp: st, Issuer: t}, m.on, n, err
	}
	return verify.Record{}, "", 0, stamp.NoStamp()
}

// Issuer returns a tenant and the key of that number, if it has one. The others
// are left alone: reading a key checks its point, which costs as much as all
// else here.
func (d *DB) Issuer(ctx context.Context, reference string, seq uint8) (tenant.Tenant, []tenant.SigningKey, error) {
	t, err := tenantOf(ctx, d.hot, reference)
	if err != nil {
		return t, nil, err
	}
	keys, err := all(ctx, d.hot, scanSigningKey,
		`SELECT `+signingKeyColumns+` FROM signing_keys WHERE tenant = $1 AND seq = $2`, t.Reference, seq)
	return t, keys, wrap(err, "read signing key %s", tenant.KeyID(reference, seq))
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
	err := d.read(ctx, tenantRef, func(q queryer) (err error) {
		if p.TotalCount, p.TotalIsLowerBound, err = d.count(ctx, q, "scans s", w); err != nil {
			return fmt.Errorf("count scans: %w", err)
		}
		limit, offset := len(w.args)+1, len(w.args)+2
		p.Items, err = all(ctx, q, scanScan, fmt.Sprintf(`
			SELECT s.verdict, s.received_at, s.scanner_id, s.scan_id, s.signed, s.scanned_at, s.location, s.offline_verdict, s.verdict_at_scan
			FROM scans s WHERE %s ORDER BY s.received_at DESC, s.id DESC LIMIT $%d OFFSET $%d`, w, limit, offset),
			append(w.args, f.PageSize, (f.Page-1)*f.PageSize)...)
		return err
	})
	return p, wrap(err, "list scans")
}

func scanScan(r scanner) (s verify.Scan, err error) {
	var scanned, received int64
	err = r.Scan(&s.Verdict, &received, &s.ScannerID, &s.ScanID, &s.Signed, &scanned, &s.Location, &s.OfflineVerdict, &s.VerdictAtScan)
	s.VerifiedAt, s.ScannedAt = fromMS(received), fromMS(scanned)
	return s, err
}
