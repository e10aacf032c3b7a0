//go:build !js

package outbox

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"

	"tcode/sync/wire"
)

// insert writes the event and marks the earlier scans that are dated after it. It
// returns the number of its row.
func (e ClockEvent) insert(ctx context.Context, tx *sql.Tx) (row int64, err error) {
	err = tx.QueryRowContext(ctx, `
		INSERT INTO clock_events (event_id, kind, at, was, documents, scans, after_seq, sum)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING id`,
		e.ID, e.Kind, millis(e.At), millis(e.Was), int64(e.Documents), e.Scans, int64(e.AfterSeq), e.sum()).Scan(&row)
	if err != nil {
		return 0, err
	}
	_, err = tx.ExecContext(ctx, `UPDATE scans SET ahead = $1 WHERE ahead IS NULL AND scanned_at > $2 AND seq <= $3`,
		row, millis(e.after()), int64(e.AfterSeq))
	return row, err
}

// Correct records that the time was at, which contradicts the dates that the
// caller found (Kind, At, Was and Documents of e), and marks the scans that are
// dated after it. The scans stay unchanged, but no longer count as a floor for
// the clock. A proof that contradicts nothing is not recorded: ok is false.
func (o *Outbox) Correct(ctx context.Context, e ClockEvent) (kept ClockEvent, ok bool, err error) {
	if err := prepareEvent(&e); err != nil {
		return e, false, fmt.Errorf("correct the clock: %w", err)
	}
	err = o.write(ctx, func(r rows) (err error) {
		ok, err = correct(r, &e)
		return err
	})
	if err != nil {
		return e, false, fmt.Errorf("correct the clock: %w", err)
	}
	return e, ok, nil
}

const clockEvent = `SELECT event_id, kind, at, was, documents, scans, after_seq, told, receipt, sum FROM clock_events `

// ClockEvents returns the newest events, newest first, at most limit.
func (o *Outbox) ClockEvents(ctx context.Context, limit int) ([]ClockEvent, error) {
	events, err := clockEvents(ctx, o.db.Reader(), clockEvent+`ORDER BY id DESC LIMIT $1`, limit)
	return events, o.suspect(err)
}

// Untold returns the oldest events that no receipt covers, at most as many as a
// batch carries.
func (o *Outbox) Untold(ctx context.Context) ([]wire.ClockEvent, error) {
	events, err := clockEvents(ctx, o.db.Reader(), clockEvent+`WHERE told = 0 ORDER BY id LIMIT $1`, wire.MaxClockEvents)
	if err = o.suspect(err); err != nil {
		return nil, err
	}
	all := make([]wire.ClockEvent, len(events))
	for i, e := range events {
		all[i] = e.Item()
	}
	return all, nil
}

func clockEvents(ctx context.Context, q rowsQuerier, query string, args ...any) ([]ClockEvent, error) {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, fmt.Errorf("clock events: %w", err)
	}
	defer rows.Close()
	var all []ClockEvent
	for rows.Next() {
		var e ClockEvent
		var at, was, documents, after int64
		var sum []byte
		if err := rows.Scan(&e.ID, &e.Kind, &at, &was, &documents, &e.Scans, &after, &e.Told, &e.Receipt, &sum); err != nil {
			return nil, fmt.Errorf("clock events: %w", err)
		}
		e.At, e.Was, e.Documents, e.AfterSeq = moment(at), moment(was), uint64(documents), uint64(after)
		if sum != nil && !bytes.Equal(sum, e.sum()) { // an older version wrote none
			return nil, fmt.Errorf("clock event %s: %w", e.ID, errRow)
		}
		all = append(all, e)
	}
	return all, rows.Err()
}
