package store

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"strings"
	"time"

	"tcode/offline/payload"
	"tcode/server/issue/stamp"
	"tcode/server/platform/pace"
	"tcode/server/verify"
	"tcode/sync/wire"
)

// Sync runs fn in one transaction.
func (d *DB) Sync(ctx context.Context, fn func(verify.SyncTx) error) error {
	return d.write(ctx, everyone, func(tx *sql.Tx) error {
		if err := d.beforeErasure(ctx, tx); err != nil {
			return err
		}
		s := syncTx{tx, d.rowsAtOnce, d.forUpdate, &syncNews{days: dayTally{}, devices: deviceTally{}, second: findingTally{}}}
		if err := fn(s); err != nil {
			return err
		}
		return s.news.write(ctx, tx, d.anyPart(tallyParts))
	})
}

// syncTx is the transaction for the sync of a batch.
type syncTx struct {
	tx         *sql.Tx
	rowsAtOnce int
	forUpdate  string
	news       *syncNews
}

// inList writes placeholders for values, beginning after the n-th, and returns the values.
// It repeats the last one up to a power of two, so that there are few different statements
// to parse and keep.
func inList[T any](values []T, n int, arg func(T) any) (marks string, args []any) {
	size := 1
	for size < len(values) {
		size *= 2
	}
	list := make([]string, size)
	for i := range size {
		list[i] = "$" + strconv.Itoa(n+i+1)
		args = append(args, arg(values[min(i, len(values)-1)]))
	}
	return strings.Join(list, ", "), args
}

func (s syncTx) Records(ctx context.Context, refs []payload.Reference) (map[payload.Reference]verify.Record, error) {
	out := make(map[payload.Reference]verify.Record, len(refs))
	if len(refs) == 0 {
		return out, nil
	}
	marks, args := inList(refs, 0, func(r payload.Reference) any { return r[:] })
	stamps, err := all(ctx, s.tx, scanStamp, `SELECT `+stampRead+` FROM stamps WHERE reference IN (`+marks+`)`, args...)
	if err != nil {
		return nil, fmt.Errorf("read stamps: %w", err)
	}
	issuers := make(map[string]verify.Record)
	for _, st := range stamps {
		r, ok := issuers[st.Tenant]
		if !ok {
			if r.Issuer, err = tenantOf(ctx, s.tx, st.Tenant); err != nil {
				return nil, err
			}
			issuers[st.Tenant] = r
		}
		r.Stamp, r.Expires = st, st.ExpiresAt
		out[st.Reference] = r
	}
	return out, nil
}

func (s syncTx) Pasts(ctx context.Context, of []verify.Record) (map[string]verify.Past, error) {
	out := make(map[string]verify.Past, len(of))
	ids := make(map[string][]string) // by tenant
	for _, r := range of {
		ids[r.Stamp.Tenant] = append(ids[r.Stamp.Tenant], r.Stamp.ID)
	}
	for tenantRef, ids := range ids {
		states, err := all(ctx, s.tx, scanState, `SELECT state, at FROM tenant_states WHERE tenant = $1 ORDER BY seq`, tenantRef)
		if err != nil {
			return nil, fmt.Errorf("read states of tenant %s: %w", tenantRef, err)
		}
		for _, id := range ids {
			out[id] = verify.Past{States: states}
		}
		marks, args := inList(ids, 1, func(id string) any { return id })
		events, err := all(ctx, s.tx, scanPastEvent, `
			SELECT stamp_id, action, from_status, to_status, at FROM stamp_events
			WHERE tenant = $1 AND stamp_id IN (`+marks+`) ORDER BY stamp_id, seq`, append([]any{tenantRef}, args...)...)
		if err != nil {
			return nil, fmt.Errorf("read events: %w", err)
		}
		for _, e := range events {
			p := out[e.id]
			p.Events = append(p.Events, e.Event)
			out[e.id] = p
		}
	}
	return out, nil
}

func scanState(r scanner) (c verify.StateChange, err error) {
	var at int64
	err = r.Scan(&c.State, &at)
	c.At = fromMS(at)
	return c, err
}

type pastEvent struct {
	id string
	stamp.Event
}

func scanPastEvent(r scanner) (e pastEvent, err error) {
	var at int64
	err = r.Scan(&e.id, &e.Action, &e.From, &e.To, &at)
	e.At = fromMS(at)
	return e, err
}

const scanColumns = `scans (scanner_id, signed, scan_id, digest, batch_id, seq, payload, typed_reference, tenant, reference,
	verdict, verdict_at_scan, offline_verdict, assurance, binding, trust_version,
	location, latitude_e6, longitude_e6, note, scanned_at, sent_at, received_at, finding)`

func scanValues(row verify.ScanRow) []any {
	it := row.Item
	var latitude, longitude sql.NullInt32
	if it.Context.Coordinates {
		latitude, longitude = sql.NullInt32{Int32: it.Context.LatitudeE6, Valid: true}, sql.NullInt32{Int32: it.Context.LongitudeE6, Valid: true}
	}
	reference := []byte{}
	if row.Found {
		reference = row.Reference[:]
	}
	return []any{
		row.ScannerID, one(row.Signed), it.ScanID, row.Digest[:], row.BatchID, int64(it.Seq), it.Payload, it.Reference,
		row.Tenant, reference, row.Verdict, row.VerdictAtScan, it.OfflineVerdict, it.Assurance, it.Binding, int64(it.TrustVersion),
		it.Context.Location, latitude, longitude, it.Context.Note, ms(it.ScannedAt), ms(row.SentAt), ms(row.ReceivedAt), string(row.Finding),
	}
}

// InsertScans stores claims separately. A scan that retention deleted is not stored again.
func (s syncTx) InsertScans(ctx context.Context, rows []verify.ScanRow) ([]*verify.ScanRow, error) {
	var scans []verify.ScanRow
	var at []int
	first, err := s.sweptFirst(ctx, rows)
	if err != nil {
		return nil, err
	}
	for i, row := range rows {
		switch {
		case first[i] != nil:
		case !row.IsClaim():
			scans, at = append(scans, row), append(at, i)
		default:
			if first[i], err = s.insertClaim(ctx, row); err != nil {
				return nil, err
			}
		}
	}
	stored, err := s.insertScans(ctx, scans)
	if err != nil {
		return nil, err
	}
	for n, i := range at {
		first[i] = stored[n]
		if stored[n] == nil {
			s.news.found(rows[i])
		}
	}
	return first, nil
}

// insertScans inserts rows, d.rowsAtOnce with each statement, and the rest by powers of
// two.
func (s syncTx) insertScans(ctx context.Context, rows []verify.ScanRow) ([]*verify.ScanRow, error) {
	first := make([]*verify.ScanRow, len(rows))
	known := make(map[string]bool) // scan ids that were not inserted
	work := pace.Of(ctx)
	for from, n := 0, s.rowsAtOnce; from < len(rows); from += n {
		for n > len(rows)-from {
			n /= 2
		}
		in := insertion{into: scanColumns, end: ` ON CONFLICT (scanner_id, signed, scan_id) DO NOTHING RETURNING scan_id`}
		work.Rest()
		for _, row := range rows[from : from+n] {
			in.row(scanValues(row)...)
		}
		fresh, err := in.returning(ctx, s.tx)
		if err != nil {
			return nil, fmt.Errorf("insert scans: %w", err)
		}
		for i, row := range rows[from : from+n] {
			if id := row.Item.ScanID; fresh[id] {
				fresh[id] = false // the next one with this id is another scan
			} else {
				first[from+i], known[id] = new(verify.ScanRow), true
			}
		}
	}
	if len(known) == 0 {
		return first, nil
	}
	stored, err := s.storedScans(ctx, rows[0], known)
	for i := range first {
		if first[i] != nil {
			*first[i] = stored[rows[i].Item.ScanID]
		}
	}
	return first, err
}

// storedScans reads a scanner's scans with these ids.
func (s syncTx) storedScans(ctx context.Context, of verify.ScanRow, known map[string]bool) (map[string]verify.ScanRow, error) {
	ids := make([]string, 0, len(known))
	for id := range known {
		ids = append(ids, id)
	}
	marks, args := inList(ids, 2, func(id string) any { return id })
	stored, err := all(ctx, s.tx, func(r scanner) (row verify.ScanRow, err error) {
		var digest []byte
		var scannedAt int64
		err = r.Scan(&row.Item.ScanID, &digest, &row.Verdict, &row.VerdictAtScan, &scannedAt)
		copy(row.Digest[:], digest)
		row.ScannerID, row.Signed, row.Item.ScannedAt = of.ScannerID, of.Signed, fromMS(scannedAt)
		return row, err
	}, `SELECT scan_id, digest, verdict, verdict_at_scan, scanned_at FROM scans
		WHERE scanner_id = $1 AND signed = $2 AND scan_id IN (`+marks+`)`, append([]any{of.ScannerID, one(of.Signed)}, args...)...)
	out := make(map[string]verify.ScanRow, len(stored))
	for _, row := range stored {
		out[row.Item.ScanID] = row
	}
	return out, wrap(err, "read first scans")
}

func (s syncTx) InsertConflict(ctx context.Context, row verify.ScanRow) error {
	if row.IsClaim() {
		return s.addClaim(ctx, row)
	}
	res, err := s.tx.ExecContext(ctx, `
		INSERT INTO scan_conflicts (scanner_id, signed, scan_id, digest, batch_id, canonical, received_at, tenant)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (scanner_id, signed, scan_id, digest) DO NOTHING`,
		row.ScannerID, one(row.Signed), row.Item.ScanID, row.Digest[:], row.BatchID, row.Item.AppendCanonical(nil), ms(row.ReceivedAt), row.Tenant)
	if err != nil {
		return fmt.Errorf("insert conflicting scan: %w", err)
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 || row.Quiet { // sent again, it causes no event
		return err
	}
	s.news.conflicts = append(s.news.conflicts, row)
	if row.Signed && row.Found && !row.Test {
		s.news.second.count(row, verify.TwoScans)
	}
	return nil
}

func (s syncTx) InsertBatch(ctx context.Context, b wire.Batch, p verify.Proof, receivedAt time.Time) error {
	digests := make([]byte, 0, 32*len(b.Items))
	for _, it := range b.Items {
		d := it.Digest()
		digests = append(digests, d[:]...)
	}
	clock := []byte{}
	if len(b.Clock) > 0 {
		d := b.ClockDigest()
		clock = d[:]
	}
	_, err := s.tx.ExecContext(ctx, `
		INSERT INTO scan_batches (scanner_id, batch_id, item_digests, device_key, signature, sent_at, received_at, clock_digest)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		b.ScannerID, b.ID, digests, p.DeviceKey, p.Signature, ms(b.SentAt), ms(receivedAt), clock)
	return wrap(err, "insert batch")
}
