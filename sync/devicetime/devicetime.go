// Package devicetime is the time of a device: its clocks with the floors of trust state
// and history, and what a proof of time, or an operator, corrects in both. A program
// fills a [Clock] and takes its methods:
//
//	trust state, newest scan, clocks ─▶ Reading ─▶ offline.Verifier
//	proof of a refresh ──Refreshed──┐
//	proof of a receipt ──Proved─────┼─▶ trust state lowers its dates ─▶ history marks scans, keeps the event
//	word of an operator ──Confirm───┘
//
// The scanner on the command line and the one in the browser share it.
package devicetime

import (
	"context"
	"fmt"
	"time"

	"tcode/offline"
	"tcode/offline/trust"
	"tcode/offline/trustbook"
	"tcode/sync/outbox"
)

// History is the outbox of the device, as far as it knows about time.
type History interface {
	// NewestScan returns the latest time of a scan that is not known to be dated
	// ahead; zero: none.
	NewestScan(ctx context.Context) (time.Time, error)
	// Correct marks the scans that are dated after e.At and records e; ok is false if
	// it contradicts nothing.
	Correct(ctx context.Context, e outbox.ClockEvent) (kept outbox.ClockEvent, ok bool, err error)
	// ClockEvents returns the newest events, newest first, at most limit.
	ClockEvents(ctx context.Context, limit int) ([]outbox.ClockEvent, error)
}

// A Clock reads and corrects the time of a device. All fields are required, Policy
// may be zero.
type Clock struct {
	Book    *trustbook.Book
	History History
	Policy  offline.Policy
	Now     func() time.Time
	Boot    func() offline.Boot // the boot-time clock
}

// Reading returns a function that reads the clocks of this device, with the floors
// of the snapshot and of the history.
func (c Clock) Reading(ctx context.Context, snapshot *trustbook.Snapshot) (func() offline.Clock, error) {
	newest, err := c.History.NewestScan(ctx)
	if err != nil {
		return nil, fmt.Errorf("read newest scan: %w", err)
	}
	return func() offline.Clock {
		return offline.Clock{Now: c.Now(), NewestScan: newest, Proof: snapshot.Proof(), Boot: c.Boot()}
	}, nil
}

// A Report describes the time as far as this device knows it.
type Report struct {
	offline.Clock
	offline.Timing
	StatusAsOf time.Time           // of the timestamp document; zero: the device holds none
	Floor      time.Time           // of the documents; zero: none
	Events     []outbox.ClockEvent // the newest 20, newest first
}

// Report returns the time of this device, and where it comes from.
func (c Clock) Report(ctx context.Context) (Report, error) {
	snapshot, err := c.Book.Snapshot(ctx)
	if err != nil {
		return Report{}, fmt.Errorf("read trust state: %w", err)
	}
	read, err := c.Reading(ctx, snapshot)
	if err != nil {
		return Report{}, err
	}
	r := Report{Clock: read()}
	state := snapshot.State()
	r.Timing = offline.TimingOf(r.Clock, state, c.Policy)
	if state.Complete() {
		r.StatusAsOf, r.Floor = state.Timestamp.StatusAsOf, state.Floor
	}
	r.Events, err = c.History.ClockEvents(ctx, 20)
	return r, err
}

// Refreshed takes the proof of a refresh, which the trust state has already, and its
// correction there: it marks the scans that the proof contradicts. A zero proof is
// none.
func (c Clock) Refreshed(ctx context.Context, p offline.Proof, done trustbook.Correction) error {
	if p.Time.IsZero() {
		return nil
	}
	return c.correct(context.WithoutCancel(ctx), outbox.ClockWasAhead, p.Time, done)
}

// Proved takes a proof of time from a receipt that this online key has signed.
// Errors are those of [trustbook.Book.Prove] and of the history.
func (c Clock) Proved(ctx context.Context, by trust.VerifierKey, p offline.Proof) error {
	done, err := c.Book.Prove(ctx, by, p)
	if err != nil {
		return err
	}
	return c.correct(ctx, outbox.ClockWasAhead, p.Time, done)
}

// Confirm accepts an operator's statement of the time at and lowers floors that
// contradict it, for a device that never reaches the gateway. It proves nothing.
// A proof of a later time prevails (trustbook.ErrBelowProof) unless despite is set.
func (c Clock) Confirm(ctx context.Context, at time.Time, despite bool) error {
	done, err := c.Book.Confirm(ctx, at, despite)
	if err != nil {
		return err
	}
	return c.correct(ctx, outbox.ClockConfirmed, at, done)
}

func (c Clock) correct(ctx context.Context, kind string, at time.Time, done trustbook.Correction) error {
	_, _, err := c.History.Correct(ctx, outbox.ClockEvent{Kind: kind, At: at, Was: done.Floor, Documents: done.Version})
	return err
}
