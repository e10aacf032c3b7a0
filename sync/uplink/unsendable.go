package uplink

import (
	"context"
	"errors"
	"slices"

	"tcode/sync/outbox"
	"tcode/sync/wire"
)

// CodeUnsendable is the code of a queued scan that no batch can carry. The outbox records no such scan: another program has written it.
const CodeUnsendable = "unsendable"

// unsendable puts a batch back that package wire refuses. The scans that it refuses alone wait, with [CodeUnsendable], and the others are
// sent without them: otherwise one prepared row would hold all others back.
func (u *Uplink) unsendable(ctx context.Context, l outbox.Leased, cause error, rep *Report) error {
	now := u.cfg.Now()
	s := outbox.Settlement{BatchID: l.Batch.ID, At: now}
	bad := 0
	for i, it := range l.Batch.Items {
		a := outbox.Answer{ScanID: it.ScanID, Event: outbox.Release}
		alone := l.Batch
		alone.Items = l.Batch.Items[i : i+1]
		if _, err := alone.EncodeWith(l.Encoded[i : i+1]); err != nil {
			bad++
			a.Event, a.NextAt = outbox.Retry, now.Add(u.backoff(l.Attempts[it.ScanID]))
			a.Code, a.Message = CodeUnsendable, clip(err.Error(), 500)
		}
		s.Answers = append(s.Answers, a)
	}
	if bad == 0 {
		u.limit = max(1, len(l.Batch.Items)/2)
	}
	u.cfg.Warn(ctx, "scans cannot be sent", "scans", bad, "err", cause)
	rep.count(s.Answers)
	return errors.Join(errAgain, u.cfg.Outbox.Settle(ctx, s))
}

// tellable returns the clock events that package wire does not refuse.
func (u *Uplink) tellable(ctx context.Context, events []wire.ClockEvent) []wire.ClockEvent {
	seen := map[string]bool{}
	return slices.DeleteFunc(events, func(e wire.ClockEvent) bool {
		err := e.Check()
		if err == nil && !seen[e.ID] {
			seen[e.ID] = true
			return false
		}
		u.cfg.Warn(ctx, "a clock event cannot be sent", "event", clip(e.ID, 36), "err", err)
		return true
	})
}
