// Package hold keeps work in the hands of the gateway that does it.
//
//	take ─▶ a row of the work: owner, until ─▶ work ─▶ release
//	              ▲                              │
//	              └── renewed every third ── Keep ┘     until is over ─▶ another gateway takes it
//
// The row is the only truth: an owner whose hold ended still has the work if no other took
// it, and every change that ends the work asks for the owner. A hold is as short as
// [Default], so that work is soon in other hands after its gateway was killed, and long work
// renews it. Holds begin and end by the clock of the database's machine: package server adds
// the difference to that of its own.
package hold

import (
	"context"
	"errors"
	"time"

	"tcode/offline/contain"
)

// Default is the length of a hold. A gateway that is killed keeps its work from others for so
// long at most, and as long again as they take to look for it.
const Default = 15 * time.Second

// Look is the interval for looking for work whose hold ended.
const Look = time.Second

// ErrLost means that another owner has the work, or may have it by now. The errors of the
// packages that have work wrap it.
var ErrLost = errors.New("the work is in other hands")

// Keep renews a hold of length d, which begins now, at each third of it until stop is
// called. renew extends the hold by d from the time of the call, and returns an [ErrLost] if
// another owner has the work.
//
// The context that Keep returns ends with ctx; after an ErrLost of renew; and when renewals
// have failed for four fifths of d, which is before others may take the work. In the latter
// two cases its cause is an ErrLost. After the last Keep still tries to renew the hold: for
// work that cannot be interrupted, it may be the owner's for longer.
func Keep(ctx context.Context, d time.Duration, renew func(context.Context) error) (_ context.Context, stop func()) {
	held, end := context.WithCancelCause(ctx)
	renewing, enough := context.WithCancel(ctx)
	k := keeper{d: d, renew: renew, end: end, sure: time.Now().Add(sure(d))}
	done := make(chan struct{})
	contain.StartThen("hold", func() error { k.run(renewing); return nil }, func(err error) {
		if err != nil { // nothing renews the hold
			k.expire()
		}
		close(done)
	})
	return held, func() { end(nil); enough(); <-done }
}

// sure is the part of a hold in which no other gateway has the work, also if its clock
// differs a little.
func sure(d time.Duration) time.Duration { return d * 4 / 5 }

// A keeper is the state of one [Keep].
type keeper struct {
	d     time.Duration
	renew func(context.Context) error
	end   context.CancelCauseFunc
	sure  time.Time // by this machine's monotonic clock
	over  bool      // end was called
}

// run renews until ctx ends or the work is lost.
func (k *keeper) run(ctx context.Context) {
	wait := time.NewTimer(k.d / 3)
	defer wait.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-wait.C:
		}
		next, lost := k.once(ctx)
		if lost {
			return
		}
		wait.Reset(next)
	}
}

// once renews once and returns the time to the next renewal.
func (k *keeper) once(ctx context.Context) (next time.Duration, lost bool) {
	begun := time.Now()
	limit := k.sure
	if k.over || !begun.Before(limit) {
		limit = begun.Add(k.d / 3)
		k.expire()
	}
	err := k.try(ctx, limit)
	switch {
	case err == nil:
		k.sure = begun.Add(sure(k.d))
		return k.d / 3, false
	case errors.Is(err, ErrLost):
		k.over = true
		k.end(err)
		return 0, true
	}
	if !time.Now().Before(k.sure) {
		k.expire()
	}
	return k.d / 15, false
}

// try renews until limit. A renewal that goes on is left behind, so that the work ends before
// others may take it.
func (k *keeper) try(ctx context.Context, limit time.Time) error {
	ctx, cancel := context.WithDeadline(ctx, limit)
	defer cancel()
	late := time.NewTimer(time.Until(limit))
	defer late.Stop()
	renewed := contain.Start("hold-renewal", func() error { return k.renew(ctx) })
	select {
	case err := <-renewed:
		return err
	case <-late.C:
	}
	select { // it may have ended at the limit
	case err := <-renewed:
		return err
	default:
		return contain.ErrHung
	}
}

// expire ends the work whose hold could not be renewed.
func (k *keeper) expire() {
	if !k.over {
		k.over = true
		k.end(ErrLost)
	}
}
