package outbox

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/google/uuid"

	"tcode/offline/trust"
	"tcode/sync/wire"
)

// Kinds of clock events.
const (
	// ClockWasAhead: a proof of time showed that scans or documents were dated by a
	// clock that ran ahead.
	ClockWasAhead = wire.ClockEventAhead
	// ClockConfirmed: an operator confirmed the device's clock.
	ClockConfirmed = wire.ClockEventConfirmed
)

// A ClockEvent is a correction of this device's view of the time.
type ClockEvent struct {
	ID        string // UUIDv7
	Kind      string
	At        time.Time // the proven time, or the one that an operator confirmed
	Was       time.Time // the latest date that it contradicts; zero: none
	Documents uint64    // version of the timestamp document dated ahead; 0: none
	Scans     int       // number of scans that were dated ahead
	AfterSeq  uint64    // the last scan before it
	Told      bool      // the gateway has it, by a receipt
	Receipt   string    // the receipt, a signed note; empty: none
}

// Item returns the event in its form for sync.
func (e ClockEvent) Item() wire.ClockEvent {
	return wire.ClockEvent{
		ID: e.ID, Kind: e.Kind, At: e.At, Was: e.Was, TrustVersion: e.Documents, Scans: uint64(e.Scans), AfterSeq: e.AfterSeq,
	}
}

// sum returns the checksum of the event's row, 8 bytes.
func (e ClockEvent) sum() []byte {
	d := e.Item().Digest()
	return d[:8]
}

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
		row, e.after(), int64(e.AfterSeq))
	return row, err
}

// after returns the latest date that the event does not contradict, in milliseconds.
func (e ClockEvent) after() int64 { return millis(e.At.Add(trust.ClockTolerance)) }

// Correct records that the time was at, which contradicts the dates that the
// caller found (Kind, At, Was and Documents of e), and marks the scans that are
// dated after it. The scans stay unchanged, but no longer count as a floor for
// the clock. A proof that contradicts nothing is not recorded: ok is false.
func (o *Outbox) Correct(ctx context.Context, e ClockEvent) (kept ClockEvent, ok bool, err error) {
	id, err := uuid.NewV7()
	if err != nil {
		return e, false, fmt.Errorf("correct the clock: %w", err)
	}
	e.ID, e.At = id.String(), e.At.UTC().Truncate(time.Millisecond)
	err = o.db.Write(ctx, func(tx *sql.Tx) error {
		var newest sql.NullInt64
		err := tx.QueryRowContext(ctx, `
			SELECT count(*), max(scanned_at) FROM scans WHERE ahead IS NULL AND scanned_at > $1`, e.after()).Scan(&e.Scans, &newest)
		if err != nil {
			return err
		}
		if at := moment(newest.Int64); newest.Valid && at.After(e.Was) {
			e.Was = at
		}
		if ok = e.Kind == ClockConfirmed || e.Scans > 0 || !e.Was.IsZero() || e.Documents > 0; !ok {
			return nil
		}
		if e.AfterSeq, err = lastSeq(ctx, tx); err != nil {
			return err
		}
		_, err = e.insert(ctx, tx)
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

// told marks the events that a receipt covers.
func told(ctx context.Context, tx *sql.Tx, r *Receipt, ids []string) error {
	for _, id := range ids {
		_, err := tx.ExecContext(ctx, `UPDATE clock_events SET told = 1, receipt = $1 WHERE event_id = $2 AND told = 0`, r.Note, id)
		if err != nil {
			return err
		}
	}
	return nil
}
