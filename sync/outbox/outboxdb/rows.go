package outboxdb

import (
	"context"
	"database/sql"
	"time"

	"tcode/sync/outbox"
)

const columns = `
	SELECT scan_id, seq, payload, reference, scanned_at, verdict, assurance, binding,
		trust_version, trust_issued, flags, location, coordinates, latitude_e6, longitude_e6, note,
		source, page, digest, row_sum, state, attempts, next_at, batch_id, code, message,
		result, conflict, gw_verdict, gw_at_scan, gw_changed, gw_reference, gw_status, gw_received_at, receipt, ahead IS NOT NULL, lease_until
	FROM scans `

type rowsQuerier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// query reads entries. where is a constant of this package.
func query(ctx context.Context, q rowsQuerier, where string, args ...any) ([]outbox.Entry, error) {
	rows, err := q.QueryContext(ctx, columns+where, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []outbox.Entry
	for rows.Next() {
		e, err := scanEntry(rows)
		if err != nil {
			return nil, err
		}
		all = append(all, e)
	}
	return all, rows.Err()
}

func scanEntry(rows *sql.Rows) (outbox.Entry, error) {
	var e outbox.Entry
	var seq, scannedAt, trustVersion, trustIssued, flags, nextAt, leaseUntil, receivedAt int64
	var reference sql.NullString
	var receipt sql.NullInt64
	var digest, sum []byte
	s, c, r := &e.Scan, &e.Scan.Context, &e.Result
	err := rows.Scan(&s.ScanID, &seq, &s.Payload, &reference, &scannedAt, &s.Verdict, &s.Assurance, &s.Binding,
		&trustVersion, &trustIssued, &flags, &c.Location, &c.Coordinates, &c.LatitudeE6, &c.LongitudeE6, &c.Note,
		&s.Source, &s.Page, &digest, &sum, &e.State, &e.Attempts, &nextAt, &e.BatchID, &e.Code, &e.Message,
		&r.Result, &e.Conflict, &r.Verdict, &r.VerdictAtScan, &r.Changed, &r.Reference, &r.Status, &receivedAt, &receipt, &e.Ahead, &leaseUntil)
	if err != nil {
		return e, err
	}
	s.Seq, s.Reference, s.ScannedAt = uint64(seq), reference.String, time.UnixMilli(scannedAt).UTC()
	s.TrustVersion, s.StatusAsOf = uint64(trustVersion), outbox.Moment(trustIssued)
	s.SetFlags(flags)
	r.ScanID = s.ScanID
	e.NextAt, e.LeaseUntil, e.ReceivedAt, e.ReceiptID = outbox.Moment(nextAt), outbox.Moment(leaseUntil), outbox.Moment(receivedAt), receipt.Int64
	copy(e.Digest[:], digest)
	want := s.Item().Digest()
	wantSum := s.Sum(want)
	e.Damaged = e.Digest != want || string(sum) != string(wantSum[:])
	return e, nil
}
