package uplink

import (
	"context"
	"errors"
	"fmt"
	"time"

	"tcode/offline/trust"
	"tcode/sync/outbox"
	"tcode/sync/wire"
)

// tell sends the clock events that no receipt covers, without scans, so that
// their outcome delays no scan.
func (u *Uplink) tell(ctx context.Context, online trust.VerifierKey, rep *Report) error {
	for {
		now := u.cfg.Now()
		paused, err := u.cfg.Outbox.Paused(ctx, now)
		if wait := u.clockAt.Sub(now); err != nil || paused || wait > 0 && wait <= MaxBackoff {
			return err
		}
		events, err := u.cfg.Outbox.Untold(ctx)
		if err != nil || len(events) == 0 {
			return err
		}
		events = u.tellable(ctx, events)
		if len(events) == 0 {
			return nil
		}
		rep.Batches++
		b := wire.Batch{ID: u.cfg.NewID(), ScannerID: u.scannerID, SentAt: wire.TruncateMillis(now), Clock: events}
		if err := u.tellBatch(ctx, b, online, rep); err != nil || u.clockAt.After(now) {
			return err
		}
	}
}

// tellBatch sends one batch of clock events and marks those that a receipt
// covers. Without a receipt they wait.
func (u *Uplink) tellBatch(ctx context.Context, b wire.Batch, online trust.VerifierKey, rep *Report) error {
	body, err := b.EncodeWith(nil)
	if err != nil {
		return fmt.Errorf("clock events: %w", err)
	}
	asked := u.bootNow()
	a := u.send(ctx, b, body)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	later := func(wait time.Duration) {
		u.clockAt = u.cfg.Now().Add(max(wait, min(a.retryAfter, MaxBackoff)))
	}
	switch refused := a.status == statusBadRequest || a.status == statusTooLarge; {
	case a.err == nil && refused: // by a gateway, or a proxy before it, that does not support them
		later(MaxBackoff)
		code, message := errorBody(a.body)
		u.cfg.Warn(ctx, "clock events are refused", "status", a.status, "code", code, "message", message)
		return nil
	case a.err == nil && a.ours && (a.status == statusUnauthorized || a.status == statusForbidden):
		u.failures++
		later(u.backoff(u.failures))
		code, message := errorBody(a.body)
		return &RefusedError{a.status, code, message}
	case a.err == nil && !(a.ours && a.status/100 == 2):
		a.err = fmt.Errorf("HTTP status %d", a.status)
	}
	var reply wire.Reply
	if a.err == nil {
		if reply, a.err = wire.DecodeReply(a.body); a.err == nil && reply.BatchID != b.ID {
			a.err = fmt.Errorf("%w: it is for another batch", wire.ErrReply)
		}
	}
	if a.err != nil {
		u.failures++
		later(u.backoff(u.failures))
		return fmt.Errorf("%w: %w", ErrUnreachable, a.err)
	}
	if reply.Receipt == "" {
		later(MaxBackoff)
		u.cfg.Warn(ctx, "the gateway does not keep clock events")
		return nil
	}
	receipt, err := openReceipt(b, reply, online)
	if err == nil && receipt.Clock != len(b.Clock) {
		err = wire.ErrReceiptMismatch
	}
	if err != nil {
		u.failures++
		later(u.backoff(u.failures))
		return fmt.Errorf("%w: %w", ErrReceipt, err)
	}
	s := outbox.Settlement{BatchID: b.ID, At: u.cfg.Now(), ReceivedAt: reply.ReceivedAt, Receipt: receipt}
	for _, e := range b.Clock {
		s.Told = append(s.Told, e.ID)
	}
	if err := u.cfg.Outbox.Settle(ctx, s); err != nil {
		return err
	}
	u.failures = 0
	rep.Told += len(s.Told)
	if err := u.prove(ctx, asked, online, receipt.Receipt); err != nil && !errors.Is(err, context.Canceled) {
		u.cfg.Warn(ctx, "keep proof of time", "err", err)
	}
	return nil
}
