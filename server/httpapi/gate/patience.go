package gate

import (
	"context"
	"sync"
	"time"
)

// A patient context carries a call and ends when its request has taken too long,
// or is over. Most requests are over before anything has asked when they would
// end, so the timer is set for the first that does: setting and stopping it
// costs as much as finding a stamp's row.
type patient struct {
	context.Context // the request's own
	call            *Call
	until           time.Time

	mu    sync.Mutex         // guards what follows
	timed context.Context    // ends at until; nil: not asked for yet
	stop  context.CancelFunc // of timed
	over  bool
}

// withPatience returns the context of a call that may take so long. end releases
// what belongs to it.
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

// Deadline is when the request has taken too long.
func (p *patient) Deadline() (time.Time, bool) {
	if d, ok := p.Context.Deadline(); ok && d.Before(p.until) {
		return d, true
	}
	return p.until, true
}

// Done sets the timer.
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

// Err is why the context has ended, nil if it has not.
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

// Value finds the call, and else what the request's own context holds. Contexts
// made of this one ask it for the timer's, to end with it without a goroutine
// each.
func (p *patient) Value(key any) any {
	if key == (callKey{}) {
		return p.call
	}
	p.mu.Lock()
	timed := p.timed
	p.mu.Unlock()
	if timed != nil {
		return timed.Value(key)
	}
	return p.Context.Value(key)
}
