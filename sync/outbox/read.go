//go:build !js

package outbox

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"tcode/sync/wire"
)

const columns = `
	SELECT scan_id, seq, payload, reference, scanned_at, verdict, assurance, binding,
		trust_version, trust_issued, flags, location, coordinates, latitude_e6, longitude_e6, note,
		source, page, digest, row_sum, state, attempts, next_at, lease_until, batch_id, code, message,
		result, conflict, gw_verdict, gw_at_scan, gw_changed, gw_reference, gw_status, gw_received_at, receipt, ahead IS NOT NULL
	FROM scans `

type rowsQuerier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// query reads entries. where is a constant of this package.
func query(ctx context.Context, q rowsQuerier, where string, args ...any) ([]Entry, error) {
	rows, err := q.QueryContext(ctx, columns+where, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []Entry
	for rows.Next() {
		e, err := scanEntry(rows)
		if err != nil {
			return nil, err
		}
		all = append(all, e)
	}
	return all, rows.Err()
}

func scanEntry(rows *sql.Rows) (Entry, error) {
	var e Entry
	var seq, scannedAt, trustVersion, trustIssued, flags, nextAt, leaseUntil, receivedAt int64
	var reference sql.NullString
	var receipt sql.NullInt64
	var digest, sum []byte
	s, c, r := &e.Scan, &e.Scan.Context, &e.Result
	err := rows.Scan(&s.ScanID, &seq, &s.Payload, &reference, &scannedAt, &s.Verdict, &s.Assurance, &s.Binding,
		&trustVersion, &trustIssued, &flags, &c.Location, &c.Coordinates, &c.LatitudeE6, &c.LongitudeE6, &c.Note,
		&s.Source, &s.Page, &digest, &sum, &e.State, &e.Attempts, &nextAt, &leaseUntil, &e.BatchID, &e.Code, &e.Message,
		&r.Result, &e.Conflict, &r.Verdict, &r.VerdictAtScan, &r.Changed, &r.Reference, &r.Status, &receivedAt, &receipt, &e.Ahead)
	if err != nil {
		return e, err
	}
	s.Seq, s.Reference, s.ScannedAt = uint64(seq), reference.String, time.UnixMilli(scannedAt).UTC()
	s.TrustVersion, s.StatusAsOf = uint64(trustVersion), moment(trustIssued)
	s.setFlags(flags)
	r.ScanID = s.ScanID
	e.NextAt, e.LeaseUntil, e.ReceivedAt, e.ReceiptID = moment(nextAt), moment(leaseUntil), moment(receivedAt), receipt.Int64
	copy(e.Digest[:], digest)
	want := s.item().Digest()
	wantSum := s.sum(want)
	e.Damaged = e.Digest != want || string(sum) != string(wantSum[:])
	return e, nil
}

// Counts reads the numbers.
func (o *Outbox) Counts(ctx context.Context) (c Counts, err error) {
	var oldest sql.NullInt64
	err = o.db.Reader().QueryRowContext(ctx, `
		SELECT count(*) FILTER (WHERE state = 'queued'), count(*) FILTER (WHERE state = 'inflight'),
			count(*) FILTER (WHERE state = 'done'), count(*) FILTER (WHERE state = 'dead'),
			count(*) FILTER (WHERE conflict = 1), count(*) FILTER (WHERE gw_changed = 1),
			min(scanned_at) FILTER (WHERE state IN ('queued', 'inflight'))
		FROM scans`).Scan(&c.Queued, &c.Inflight, &c.Done, &c.Dead, &c.Conflicts, &c.Changed, &oldest)
	if err = o.suspect(err); err != nil {
		return c, fmt.Errorf("count scans: %w", err)
	}
	c.Oldest = moment(oldest.Int64)
	return c, nil
}

// History returns entries, newest first.
func (o *Outbox) History(ctx context.Context, f Filter) ([]Entry, error) {
	if f.Limit <= 0 {
		f.Limit = 100
	}
	if f.Before == 0 {
		f.Before = wire.MaxInteger
	}
	all, err := query(ctx, o.db.Reader(), `
		WHERE seq < $1 AND ($2 = '' OR state = $2)
		ORDER BY seq DESC LIMIT $3`, int64(f.Before), string(f.State), f.Limit)
	for _, e := range all {
		if e.Damaged && err == nil {
			_ = o.suspect(fmt.Errorf("%w: scan %d", errRow, e.Scan.Seq)) // returned as it is; the next Open repairs it
		}
	}
	if err = o.suspect(err); err != nil {
		return nil, fmt.Errorf("history: %w", err)
	}
	return all, nil
}

// Get returns the entry of one scan, or [ErrNoScan].
func (o *Outbox) Get(ctx context.Context, scanID string) (Entry, error) {
	all, err := query(ctx, o.db.Reader(), `WHERE scan_id = $1`, scanID)
	if err == nil && len(all) == 0 {
		err = ErrNoScan
	}
	if err != nil {
		return Entry{}, fmt.Errorf("scan %s: %w", scanID, err)
	}
	return all[0], nil
}

// Receipts returns at most limit receipts in the order in which they were
// stored, after the id after.
func (o *Outbox) Receipts(ctx context.Context, after int64, limit int) ([]ReceiptRow, error) {
	rows, err := o.db.Reader().QueryContext(ctx, `
		SELECT id, batch_id, scanner_id, batch_digest, items, last_seq, issued_at, stored_at, note, answers
		FROM receipts WHERE id > $1 ORDER BY id LIMIT $2`, after, limit)
	if err != nil {
		return nil, fmt.Errorf("receipts: %w", err)
	}
	defer rows.Close()
	var all []ReceiptRow
	for rows.Next() {
		var r ReceiptRow
		var digest []byte
		var last, issued, stored int64
		err := rows.Scan(&r.ID, &r.BatchID, &r.Receipt.ScannerID, &digest, &r.Receipt.Count, &last, &issued, &stored, &r.Note, &r.Answers)
		if err != nil {
			return nil, fmt.Errorf("receipts: %w", err)
		}
		copy(r.Receipt.BatchDigest[:], digest)
		r.Receipt.LastSeq, r.Receipt.Time, r.StoredAt = uint64(last), moment(issued), moment(stored)
		r.readNote()
		all = append(all, r)
	}
	return all, rows.Err()
}
