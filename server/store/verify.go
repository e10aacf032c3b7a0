package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"tcode/offline/payload"
	"tcode/server/stamp"
	"tcode/server/tenant"
	"tcode/server/verify"
	"tcode/sync/wire"
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

// Sync runs fn in one transaction.
func (d *DB) Sync(ctx context.Context, fn func(verify.SyncTx) error) error {
	return d.write(ctx, everyone, func(tx *sql.Tx) error { return fn(syncTx{preparedIn(tx)}) })
}

// syncTx is a transaction as the sync of a batch sees it.
type syncTx struct{ tx *prepared }

func (s syncTx) RecordByReference(ctx context.Context, ref payload.Reference) (verify.Record, error) {
	return recordByReference(ctx, s.tx, ref)
}

func (s syncTx) Past(ctx context.Context, tenantRef, id string) (p verify.Past, err error) {
	if p.Events, err = events(ctx, s.tx, tenantRef, id); err != nil {
		return p, err
	}
	p.States, err = all(ctx, s.tx, func(r scanner) (c verify.StateChange, err error) {
		var at int64
		err = r.Scan(&c.State, &at)
		c.At = fromMS(at)
		return c, err
	}, `SELECT state, at FROM tenant_states WHERE tenant = $1 ORDER BY seq`, tenantRef)
	return p, wrap(err, "read states of tenant %s", tenantRef)
}

func (s syncTx) InsertScan(ctx context.Context, row verify.ScanRow) (bool, verify.ScanRow, error) {
	it := row.Item
	var latitude, longitude sql.NullInt32
	if it.Context.Coordinates {
		latitude, longitude = sql.NullInt32{Int32: it.Context.LatitudeE6, Valid: true}, sql.NullInt32{Int32: it.Context.LongitudeE6, Valid: true}
	}
	reference := []byte{}
	if row.Found {
		reference = row.Reference[:]
	}
	res, err := s.tx.ExecContext(ctx, `
		INSERT INTO scans (scanner_id, signed, scan_id, digest, batch_id, seq, payload, typed_reference, tenant, reference,
			verdict, verdict_at_scan, offline_verdict, assurance, binding, trust_version,
			location, latitude_e6, longitude_e6, note, scanned_at, sent_at, received_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23)
		ON CONFLICT (scanner_id, signed, scan_id) DO NOTHING`,
		row.ScannerID, one(row.Signed), it.ScanID, row.Digest[:], row.BatchID, int64(it.Seq), it.Payload, it.Reference,
		row.Tenant, reference, row.Verdict, row.VerdictAtScan, it.OfflineVerdict, it.Assurance, it.Binding, int64(it.TrustVersion),
		it.Context.Location, latitude, longitude, it.Context.Note, ms(it.ScannedAt), ms(row.SentAt), ms(row.ReceivedAt))
	if err != nil {
		return false, row, fmt.Errorf("insert scan: %w", err)
	}
	if n, err := res.RowsAffected(); err != nil || n == 1 {
		return err == nil, row, err
	}
	first := verify.ScanRow{ScannerID: row.ScannerID, Signed: row.Signed, Item: wire.Item{ScanID: it.ScanID}}
	var digest []byte
	var scannedAt int64
	err = s.tx.QueryRowContext(ctx, `
		SELECT digest, verdict, verdict_at_scan, scanned_at FROM scans WHERE scanner_id = $1 AND signed = $2 AND scan_id = $3`,
		row.ScannerID, one(row.Signed), it.ScanID).Scan(&digest, &first.Verdict, &first.VerdictAtScan, &scannedAt)
	copy(first.Digest[:], digest)
	first.Item.ScannedAt = fromMS(scannedAt)
	return false, first, wrap(err, "read first scan")
}

func (s syncTx) InsertConflict(ctx context.Context, row verify.ScanRow) error {
	_, err := s.tx.ExecContext(ctx, `
		INSERT INTO scan_conflicts (scanner_id, signed, scan_id, digest, batch_id, canonical, received_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (scanner_id, signed, scan_id, digest) DO NOTHING`,
		row.ScannerID, one(row.Signed), row.Item.ScanID, row.Digest[:], row.BatchID, row.Item.AppendCanonical(nil), ms(row.ReceivedAt))
	return wrap(err, "insert conflicting scan")
}

func (s syncTx) InsertBatch(ctx context.Context, b wire.Batch, p verify.Proof, receivedAt time.Time) error {
	digests := make([]byte, 0, 32*len(b.Items))
	for _, it := range b.Items {
		d := it.Digest()
		digests = append(digests, d[:]...)
	}
	_, err := s.tx.ExecContext(ctx, `
		INSERT INTO scan_batches (scanner_id, batch_id, item_digests, device_key, signature, sent_at, received_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		b.ScannerID, b.ID, digests, p.DeviceKey, p.Signature, ms(b.SentAt), ms(receivedAt))
	return wrap(err, "insert batch")
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
