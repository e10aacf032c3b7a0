package trustbook

import (
	"context"
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
func (b *Book) Enrolment(ctx context.Context) (Enrolment, error) {
	s, err := b.Snapshot(ctx)
	if err != nil {
		return Enrolment{}, err
	}
	if s.State() == nil {
		return Enrolment{}, ErrNotEnrolled
	}
	facts, err := b.facts(ctx)
	if err != nil {
		return Enrolment{}, fmt.Errorf("read enrolment: %w", err)
	}
	return Enrolment{Fingerprint: s.State().Fingerprint, Gateway: facts.Gateway, PinnedAt: facts.PinnedAt}, nil
}

func (b *Book) facts(ctx context.Context) (facts Facts, err error) {
	err = b.store.View(ctx, func(r Reader) (err error) {
		facts, err = r.Facts()
		return err
	})
	return facts, err
}

// SetGateway keeps the gateway's base URL, already normalised.
func (b *Book) SetGateway(ctx context.Context, base string) error {
	if err := b.note(ctx, func(f *Facts) { f.Gateway = base }); err != nil {
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
func (b *Book) NoteAttempt(ctx context.Context, at time.Time, failure error) error {
	err := b.note(ctx, func(f *Facts) {
		f.AttemptAt, f.AttemptError = millis(at), ""
		if failure != nil {
			f.AttemptError = failure.Error()
		} else {
			f.RefreshedAt = f.AttemptAt
		}
	})
	if err != nil {
		return fmt.Errorf("note refresh: %w", err)
	}
	return nil
}

// LastAttempt returns how the last refresh ended.
func (b *Book) LastAttempt(ctx context.Context) (Attempt, error) {
	facts, err := b.facts(ctx)
	if err != nil {
		return Attempt{}, fmt.Errorf("read last refresh: %w", err)
	}
	return Attempt{At: facts.AttemptAt, Error: facts.AttemptError, Refreshed: facts.RefreshedAt}, nil
}
