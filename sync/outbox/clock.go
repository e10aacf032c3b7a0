package outbox

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/google/uuid"

	"tcode/offline/trust"
)

// Kinds of clock events.
const (
	// ClockWasAhead: a proof of time showed that scans or documents were dated by a
	// clock that ran ahead.
	ClockWasAhead = "clock_was_ahead"
	// ClockConfirmed: an operator vouched for the device's clock.
	ClockConfirmed = "clock_confirmed"
)

// A ClockEvent is a correction of what this device believed about the time.
type ClockEvent struct {
	ID        string // UUIDv7
	Kind      string
	At        time.Time // the proven time, or the one that the operator vouches for
	Was       time.Time // the latest date that it contradicts; zero: none
	Documents uint64    // version of the timestamp document dated ahead; 0: none
	Scans     int       // how many scans were dated ahead
	AfterSeq  uint64    // the last scan before it
}

// Correct keeps that it was at, which contradicts what the caller found (Kind,
// At, Was and Documents of e), and marks the scans that are dated after it. They
// are kept as they are, and are no floor for the clock any more. A proof that
// contradicts nothing is not kept: ok is false.
func (o *Outbox) Correct(ctx context.Context, e ClockEvent) (kept ClockEvent, ok bool, err error) {
	id, err := uuid.NewV7()
	if err != nil {
		return e, false, fmt.Errorf("correct the clock: %w", err)
	}
	e.ID = id.String()
	err = o.db.Write(ctx, func(tx *sql.Tx) error {
		after := millis(e.At.Add(trust.ClockTolerance))
		var newest sql.NullInt64
		err := tx.QueryRowContext(ctx, `
			SELECT count(*), max(scanned_at) FROM scans WHERE ahead IS NULL AND scanned_at > $1`, after).Scan(&e.Scans, &newest)
		if err != nil {
			return err
		}
		if at := moment(newest.Int64); newest.Valid && at.After(e.Was) {
			e.Was = at
		}
		if ok = e.Kind == ClockConfirmed || e.Scans > 0 || !e.Was.IsZero() || e.Documents > 0; !ok {
			return nil
		}
		if e.AfterSeq, err = lastSeq(ctx, tx.StmtContext(ctx, o.lastSeq)); err != nil {
			return err
		}
		var row int64
		err = tx.QueryRowContext(ctx, `
			INSERT INTO clock_events (event_id, kind, at, was, documents, scans, after_seq)
			VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING id`,
			e.ID, e.Kind, millis(e.At), millis(e.Was), int64(e.Documents), e.Scans, int64(e.AfterSeq)).Scan(&row)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `UPDATE scans SET ahead = $1 WHERE ahead IS NULL AND scanned_at > $2`, row, after)
		return err
	})
	if err != nil {
		return e, false, fmt.Errorf("correct the clock: %w", err)
	}
	return e, ok, nil
}

// ClockEvents returns the newest events, newest first, at most limit.
func (o *Outbox) ClockEvents(ctx context.Context, limit int) ([]ClockEvent, error) {
	rows, err := o.db.Reader().QueryContext(ctx, `
		SELECT event_id, kind, at, was, documents, scans, after_seq FROM clock_events ORDER BY id DESC LIMIT $1`, limit)
	if err != nil {
		return nil, fmt.Errorf("clock events: %w", err)
	}
	defer rows.Close()
	var all []ClockEvent
	for rows.Next() {
		var e ClockEvent
		var at, was, documents, after int64
		if err := rows.Scan(&e.ID, &e.Kind, &at, &was, &documents, &e.Scans, &after); err != nil {
			return nil, fmt.Errorf("clock events: %w", err)
		}
		e.At, e.Was, e.Documents, e.AfterSeq = moment(at), moment(was), uint64(documents), uint64(after)
		all = append(all, e)
	}
	return all, rows.Err()
}
