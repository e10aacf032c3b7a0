package cache

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"tcode/offline/trust"
)

// Enrolment says which gateway and root this device trusts.
type Enrolment struct {
	Gateway     string // base URL without /v1; empty: trust comes by file only
	Fingerprint trust.Fingerprint
	PinnedAt    time.Time // device clock
}

// Enrolment returns the enrolment, or [ErrNotEnrolled].
func (c *Cache) Enrolment(ctx context.Context) (Enrolment, error) {
	s, err := c.Snapshot(ctx)
	if err != nil {
		return Enrolment{}, err
	}
	if s.State() == nil {
		return Enrolment{}, ErrNotEnrolled
	}
	e := Enrolment{Fingerprint: s.State().Fingerprint}
	q := c.db.Reader()
	if e.Gateway, _, err = fact[string](ctx, q, "gateway"); err != nil {
		return e, fmt.Errorf("read enrolment: %w", err)
	}
	if e.PinnedAt, err = moment(ctx, q, "pinned_at"); err != nil {
		return e, fmt.Errorf("read enrolment: %w", err)
	}
	return e, nil
}

// SetGateway keeps the gateway's base URL, already normalised.
func (c *Cache) SetGateway(ctx context.Context, base string) error {
	err := c.db.Write(ctx, func(tx *sql.Tx) error { return setFact(ctx, tx, "gateway", base) })
	if err != nil {
		return fmt.Errorf("keep gateway: %w", err)
	}
	return nil
}

// Attempt describes the last try to refresh the trust state.
type Attempt struct {
	At        time.Time // device clock; zero: never tried
	Error     string    // why the refresh failed or was refused; empty: it succeeded
	Refreshed time.Time // device clock, of the last refresh that succeeded
}

// NoteAttempt records the outcome of a refresh, for the next person who looks at the device.
func (c *Cache) NoteAttempt(ctx context.Context, at time.Time, failure error) error {
	err := c.db.Write(ctx, func(tx *sql.Tx) error {
		text := ""
		if failure != nil {
			text = failure.Error()
		} else if err := setFact(ctx, tx, "refreshed_at", at.UnixMilli()); err != nil {
			return err
		}
		if err := setFact(ctx, tx, "attempt_at", at.UnixMilli()); err != nil {
			return err
		}
		return setFact(ctx, tx, "attempt_error", text)
	})
	if err != nil {
		return fmt.Errorf("note refresh: %w", err)
	}
	return nil
}

// LastAttempt returns how the last refresh ended.
func (c *Cache) LastAttempt(ctx context.Context) (a Attempt, err error) {
	q := c.db.Reader()
	if a.At, err = moment(ctx, q, "attempt_at"); err == nil {
		a.Refreshed, err = moment(ctx, q, "refreshed_at")
	}
	if err == nil {
		a.Error, _, err = fact[string](ctx, q, "attempt_error")
	}
	if err != nil {
		return Attempt{}, fmt.Errorf("read last refresh: %w", err)
	}
	return a, nil
}

// moment reads a time kept in milliseconds; it is zero if it was never set.
func moment(ctx context.Context, q querier, name string) (time.Time, error) {
	ms, ok, err := fact[int64](ctx, q, name)
	if err != nil || !ok {
		return time.Time{}, err
	}
	return time.UnixMilli(ms).UTC(), nil
}
