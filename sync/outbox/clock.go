package outbox

import (
	"context"
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

// Sum returns the checksum of the event's row, 8 bytes.
func (e ClockEvent) Sum() []byte {
	d := e.Item().Digest()
	return d[:8]
}

// After returns the latest date that the event does not contradict, in milliseconds.
func (e ClockEvent) After() int64 { return Millis(e.At.Add(trust.ClockTolerance)) }

// Correct records that the time was at, which contradicts the dates that the
// caller found (Kind, At, Was and Documents of e), and marks the scans that are
// dated after it. The scans stay unchanged, but no longer count as a floor for
// the clock. A proof that contradicts nothing is not recorded: ok is false.
func (q *Queue) Correct(ctx context.Context, e ClockEvent) (kept ClockEvent, ok bool, err error) {
	id, err := uuid.NewV7()
	if err != nil {
		return e, false, fmt.Errorf("correct the clock: %w", err)
	}
	e.ID, e.At = id.String(), e.At.UTC().Truncate(time.Millisecond)
	err = q.store.Update(ctx, func(tx Tx) error {
		kept = e
		n, newest, err := tx.Dated(ctx, e.After())
		if err != nil {
			return err
		}
		kept.Scans = n
		if at := Moment(newest); n > 0 && at.After(e.Was) {
			kept.Was = at
		}
		if ok = e.Kind == ClockConfirmed || n > 0 || !kept.Was.IsZero() || e.Documents > 0; !ok {
			return nil
		}
		if kept.AfterSeq, err = tx.LastSeq(ctx); err != nil {
			return err
		}
		return tx.AddClockEvent(ctx, kept)
	})
	if err != nil {
		return e, false, fmt.Errorf("correct the clock: %w", err)
	}
	return kept, ok, nil
}

// ClockEvents returns the newest events, newest first, at most limit.
func (q *Queue) ClockEvents(ctx context.Context, limit int) (events []ClockEvent, err error) {
	err = q.store.View(ctx, func(v View) error {
		events, err = v.ClockEvents(ctx, limit)
		return err
	})
	return events, err
}

// Untold returns the oldest events that no receipt covers, at most as many as a
// batch carries.
func (q *Queue) Untold(ctx context.Context) (all []wire.ClockEvent, err error) {
	err = q.store.View(ctx, func(v View) error {
		events, err := v.Untold(ctx, wire.MaxClockEvents)
		all = make([]wire.ClockEvent, len(events))
		for i, e := range events {
			all[i] = e.Item()
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}
