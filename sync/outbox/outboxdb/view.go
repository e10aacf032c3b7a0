package outboxdb

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"

	"tcode/sync/outbox"
	"tcode/sync/wire"
)

// A view reads, in a transaction or outside of one.
type view struct {
	o *Outbox
	q querier
}

func (v view) Entry(ctx context.Context, scanID string) (e outbox.Entry, ok bool, err error) {
	all, err := query(ctx, v.q, `WHERE scan_id = $1`, scanID)
	if err != nil || len(all) == 0 {
		return e, false, err
	}
	return all[0], true, nil
}

func (v view) History(ctx context.Context, f outbox.Filter) ([]outbox.Entry, error) {
	all, err := query(ctx, v.q, `
		WHERE seq < $1 AND ($2 = '' OR state = $2)
		ORDER BY seq DESC LIMIT $3`, int64(f.Before), string(f.State), f.Limit)
	for _, e := range all {
		if e.Damaged && err == nil {
			_ = v.o.suspect(fmt.Errorf("%w: scan %d", outbox.ErrDamaged, e.Scan.Seq)) // returned as it is; the next Open repairs it
		}
	}
	return all, err
}

func (v view) Select(ctx context.Context, s outbox.State, due outbox.Due, limit int) ([]outbox.Entry, error) {
	// The state is a constant in the text, so that SQLite can use the partial index.
	return query(ctx, v.q, `
		WHERE state = '`+string(s)+`' AND (`+timeOf(s)+` <= $1 OR `+timeOf(s)+` > $2)
		ORDER BY seq LIMIT $3`, due.Now, due.Far, limit)
}

func (v view) Waiting(ctx context.Context) (n int, first int64, err error) {
	var ms sql.NullInt64
	err = v.q.QueryRowContext(ctx, `
		SELECT count(*), min(CASE WHEN state = 'inflight' THEN lease_until ELSE next_at END)
		FROM scans WHERE state IN ('queued', 'inflight')`).Scan(&n, &ms)
	return n, ms.Int64, err
}

func (v view) Counts(ctx context.Context) (c outbox.Counts, err error) {
	var oldest sql.NullInt64
	err = v.q.QueryRowContext(ctx, `
		SELECT count(*) FILTER (WHERE state = 'queued'), count(*) FILTER (WHERE state = 'inflight'),
			count(*) FILTER (WHERE state = 'done'), count(*) FILTER (WHERE state = 'dead'),
			count(*) FILTER (WHERE conflict = 1), count(*) FILTER (WHERE gw_changed = 1),
			min(scanned_at) FILTER (WHERE state IN ('queued', 'inflight'))
		FROM scans`).Scan(&c.Queued, &c.Inflight, &c.Done, &c.Dead, &c.Conflicts, &c.Changed, &oldest)
	c.Oldest = outbox.Moment(oldest.Int64)
	return c, err
}

func (v view) Dated(ctx context.Context, after int64) (n int, newest int64, err error) {
	var ms sql.NullInt64
	err = v.q.QueryRowContext(ctx, `
		SELECT count(*), max(scanned_at) FROM scans WHERE ahead IS NULL AND scanned_at > $1`, after).Scan(&n, &ms)
	return n, ms.Int64, err
}

func (v view) NewestScan(ctx context.Context) (int64, error) {
	var ms sql.NullInt64
	err := v.q.QueryRowContext(ctx, `SELECT max(scanned_at) FROM scans WHERE ahead IS NULL`).Scan(&ms)
	return ms.Int64, err
}

func (v view) LastSeq(ctx context.Context) (uint64, error) { return lastSeq(ctx, v.q) }

// lastSeq returns the highest assigned number. The counter and the rows both have it;
// the higher one counts, so no number is assigned twice.
func lastSeq(ctx context.Context, q querier) (uint64, error) {
	var last int64
	err := q.QueryRowContext(ctx, `
		SELECT max(coalesce((SELECT max(seq) FROM scans), 0),
		           coalesce((SELECT value FROM facts WHERE name = 'last_seq'), 0))`).Scan(&last)
	return uint64(last), err
}

func (v view) ScannerID(ctx context.Context) (id string, err error) {
	_, err = none(v.q.QueryRowContext(ctx, `SELECT value FROM facts WHERE name = 'scanner_id'`).Scan(&id))
	return id, err
}

func (v view) PauseUntil(ctx context.Context) (ms int64, err error) {
	_, err = none(v.q.QueryRowContext(ctx, `SELECT value FROM facts WHERE name = 'pause_until'`).Scan(&ms))
	return ms, err
}

func (v view) Receipt(ctx context.Context, batchID string) (id int64, note string, ok bool, err error) {
	ok, err = none(v.q.QueryRowContext(ctx, `SELECT id, note FROM receipts WHERE batch_id = $1`, batchID).Scan(&id, &note))
	return id, note, ok, err
}

func (v view) Receipts(ctx context.Context, after int64, limit int) ([]outbox.ReceiptRow, error) {
	rows, err := v.q.QueryContext(ctx, `
		SELECT id, batch_id, scanner_id, batch_digest, items, last_seq, issued_at, stored_at, note, answers
		FROM receipts WHERE id > $1 ORDER BY id LIMIT $2`, after, limit)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []outbox.ReceiptRow
	for rows.Next() {
		var r outbox.ReceiptRow
		var digest []byte
		var last, issued, stored int64
		err := rows.Scan(&r.ID, &r.BatchID, &r.Receipt.ScannerID, &digest, &r.Receipt.Count, &last, &issued, &stored, &r.Note, &r.Answers)
		if err != nil {
			return nil, err
		}
		copy(r.Receipt.BatchDigest[:], digest)
		r.Receipt.LastSeq, r.Receipt.Time, r.StoredAt = uint64(last), outbox.Moment(issued), outbox.Moment(stored)
		r.ReadNote()
		all = append(all, r)
	}
	return all, rows.Err()
}

const clockEvent = `SELECT event_id, kind, at, was, documents, scans, after_seq, told, receipt, sum FROM clock_events `

func (v view) ClockEvents(ctx context.Context, limit int) ([]outbox.ClockEvent, error) {
	return clockEvents(ctx, v.q, clockEvent+`ORDER BY id DESC LIMIT $1`, limit)
}

func (v view) Untold(ctx context.Context, limit int) ([]outbox.ClockEvent, error) {
	return clockEvents(ctx, v.q, clockEvent+`WHERE told = 0 ORDER BY id LIMIT $1`, min(limit, wire.MaxClockEvents))
}

func clockEvents(ctx context.Context, q rowsQuerier, query string, args ...any) ([]outbox.ClockEvent, error) {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, fmt.Errorf("clock events: %w", err)
	}
	defer rows.Close()
	var all []outbox.ClockEvent
	for rows.Next() {
		var e outbox.ClockEvent
		var at, was, documents, after int64
		var sum []byte
		if err := rows.Scan(&e.ID, &e.Kind, &at, &was, &documents, &e.Scans, &after, &e.Told, &e.Receipt, &sum); err != nil {
			return nil, fmt.Errorf("clock events: %w", err)
		}
		e.At, e.Was, e.Documents, e.AfterSeq = outbox.Moment(at), outbox.Moment(was), uint64(documents), uint64(after)
		if sum != nil && !bytes.Equal(sum, e.Sum()) { // an older version wrote none
			return nil, fmt.Errorf("clock event %s: %w", e.ID, outbox.ErrDamaged)
		}
		all = append(all, e)
	}
	return all, rows.Err()
}
