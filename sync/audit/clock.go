package audit

import (
	"context"
	"errors"
	"fmt"
	"time"

	"tcode/sync/outbox"
	"tcode/sync/wire"
)

// An Event is a clock event of the history with the standing that its receipt
// proves: [Held], [Waiting], [NoReceipt] or [Contradicts].
type Event struct {
	outbox.ClockEvent
	Standing Standing
	Reason   string    // for people; only for a problem
	At       time.Time // gateway clock of the receipt; zero: none
	Root     int       // the root whose online key signed the receipt
}

// events judges the clock events of e, oldest first, and calls fn with each.
func (a *Audit) events(ctx context.Context, e *outbox.Evidence, fn func(Event) error) error {
	all, err := e.ClockEvents(ctx)
	if err != nil {
		return err
	}
	for i := range all {
		x := Event{ClockEvent: all[i], Standing: Waiting}
		switch {
		case x.Receipt != "":
			x.Standing = Held
			if x.At, x.Root, err = a.covered(all, i); err != nil {
				x.Standing, x.Reason = Contradicts, err.Error()
			}
		case x.Told:
			x.Standing, x.Reason = NoReceipt, "it counts as told, and there is no receipt"
		}
		if err := fn(x); err != nil {
			return err
		}
	}
	return nil
}

// covered verifies the receipt of the i-th of all events: it must be about a run of
// events, as one batch carried them, with this one among them.
func (a *Audit) covered(all []outbox.ClockEvent, i int) (at time.Time, root int, err error) {
	root, r, err := a.open(all[i].Receipt)
	switch {
	case err != nil:
		return at, 0, err
	case root == 0:
		return at, 0, errUnknownKey
	case a.scannerID != "" && r.ScannerID != a.scannerID:
		return at, 0, fmt.Errorf("its receipt is about another scanner, %s", r.ScannerID)
	}
	for from := max(0, i-r.Clock+1); from <= i && from+r.Clock <= len(all); from++ {
		b := wire.Batch{ScannerID: r.ScannerID}
		for _, e := range all[from : from+r.Clock] {
			b.Clock = append(b.Clock, e.Item())
		}
		if r.Clock > 0 && b.ClockDigest() == r.ClockDigest {
			return r.Time, root, nil
		}
	}
	return at, 0, errors.New("its receipt is about other clock events")
}
