package gate

import (
	"context"
	"sync"
	"time"

	"tcode/server/httpapi/bounded"
)

// A patient context carries a call and ends when its request has taken too long,
// or has ended. Most requests end before any function asks for their deadline, so
// the first such function sets the timer: setting and stopping it costs as much as
// finding a stamp's row.
type patient struct {
	context.Context // the request's own
	call            *Call
	until           time.Time

	mu    sync.Mutex         // guards the following fields
	timed context.Context    // ends at until; nil: the timer is not set yet
	stop  context.CancelFunc // of timed
	over  bool
}

// withPatience returns the context of a call that may take until limit. end
// releases its timer.
func withPatience(ctx context.Context, c *Call, limit time.Duration) (_ context.Context, end func()) {
	p := &patient{Context: ctx, call: c, until: time.Now().Add(limit)}
	return p, p.end
}

func (p *patient) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over = true; p.stop != nil {
		p.stop()
	}
}

// Lasting returns the context of a call without its deadline, for an answer that takes as
// long as its client reads. It ends when the client is gone or the request is cut off, and
// at the latest with end.
func Lasting(ctx context.Context) (_ context.Context, end context.CancelFunc) {
	call := CallOf(ctx)
	if p, ok := ctx.Value(patientKey{}).(*patient); ok {
		ctx = p.Context
	}
	ctx, end = context.WithCancel(context.WithValue(ctx, callKey{}, call))
	bounded.OnCut(ctx, end)
	return ctx, end
}

// patientKey leads from a derived context to its patient one.
type patientKey struct{}

// Deadline returns the time at which the request has taken too long.
func (p *patient) Deadline() (time.Time, bool) {
	if d, ok := p.Context.Deadline(); ok && d.Before(p.until) {
		return d, true
	}
	return p.until, true
}

// Done sets the timer and returns its channel.
func (p *patient) Done() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.timed == nil {
		p.timed, p.stop = context.WithDeadline(p.Context, p.until)
		if p.over {
			p.stop()
		}
	}
	return p.timed.Done()
}

// Err returns the reason why the context has ended, nil if it has not.
func (p *patient) Err() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.timed != nil:
		return p.timed.Err()
	case p.Context.Err() != nil:
		return p.Context.Err()
	case p.over:
		return context.Canceled
	case !time.Now().Before(p.until):
		return context.DeadlineExceeded
	}
	return nil
}

// Value returns the call, or else a value of the request's own context. Derived
// contexts get the timer's context from Value, so that they end with it without a
// goroutine each.
func (p *patient) Value(key any) any {
	switch key.(type) {
	case callKey:
		return p.call
	case patientKey:
		return p
	}
	p.mu.Lock()
	timed := p.timed
	p.mu.Unlock()
	if timed != nil {
		return timed.Value(key)
	}
	return p.Context.Value(key)
}
