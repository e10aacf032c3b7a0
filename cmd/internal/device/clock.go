package device

import (
	"context"
	"fmt"
	"time"

	"tcode/offline"
	"tcode/offline/trust"
	"tcode/offline/trustbook"
	"tcode/sync/feed"
	"tcode/sync/outbox"
)

// clock returns a function that reads the clocks of this device and the stored
// floors.
func (s *Device) clock(ctx context.Context, snapshot *trustbook.Snapshot) (func() offline.Clock, error) {
	newest, err := s.Outbox.NewestScan(ctx)
	if err != nil {
		return nil, fmt.Errorf("read newest scan: %w", err)
	}
	return func() offline.Clock {
		return offline.Clock{Now: s.Now(), NewestScan: newest, Proof: snapshot.Proof(), Boot: s.cfg.Boot()}
	}, nil
}

// ClockReport describes the time as far as this device knows it.
type ClockReport struct {
	offline.Clock
	offline.Timing
	StatusAsOf time.Time // of the timestamp document; zero: the device holds none
	Floor      time.Time // of the documents; zero: none
	Events     []outbox.ClockEvent
}

// Time returns the time of this device, and where it comes from.
func (s *Device) Time(ctx context.Context) (ClockReport, error) {
	snapshot, err := s.Cache.Snapshot(ctx)
	if err != nil {
		return ClockReport{}, fmt.Errorf("read trust state: %w", err)
	}
	read, err := s.clock(ctx, snapshot)
	if err != nil {
		return ClockReport{}, err
	}
	r := ClockReport{Clock: read()}
	state := snapshot.State()
	r.Timing = offline.TimingOf(r.Clock, state, s.cfg.Policy)
	if state.Complete() {
		r.StatusAsOf, r.Floor = state.Timestamp.StatusAsOf, state.Floor
	}
	r.Events, err = s.Outbox.ClockEvents(ctx, 20)
	return r, err
}

// corrected marks the scans that a refresh's proof contradicts, and records its
// other corrections in the history.
func (s *Device) corrected(ctx context.Context, r feed.Report) error {
	if r.Proof.Time.IsZero() {
		return nil
	}
	return s.correct(context.WithoutCancel(ctx), outbox.ClockWasAhead, r.Proof.Time, r.Corrected)
}

// proved takes a proof of time from a receipt that this online key has signed.
func (s *Device) proved(ctx context.Context, by trust.VerifierKey, p offline.Proof) error {
	done, err := s.Cache.Prove(ctx, by, p)
	if err != nil {
		return err
	}
	return s.correct(ctx, outbox.ClockWasAhead, p.Time, done)
}

func (s *Device) correct(ctx context.Context, kind string, at time.Time, done trustbook.Correction) error {
	_, _, err := s.Outbox.Correct(ctx, outbox.ClockEvent{Kind: kind, At: at, Was: done.Floor, Documents: done.Version})
	return err
}

// Confirm accepts an operator's statement of the time at and lowers floors that
// contradict it, for a device that never reaches the gateway. It proves nothing.
// A proof of a later time prevails (trustbook.ErrBelowProof) unless despite is set.
func (s *Device) Confirm(ctx context.Context, at time.Time, despite bool) error {
	done, err := s.Cache.Confirm(ctx, at, despite)
	if err != nil {
		return err
	}
	return s.correct(ctx, outbox.ClockConfirmed, at, done)
}
