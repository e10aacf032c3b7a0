package jobs

import (
	"context"
	"sync"
	"time"

	"tcode/offline/contain"
)

// The waits before a subject of own work that had a fault is tried again: each is twice the last
// one. An error of another kind, such as an outage of the database, is the business of the service.
const (
	firstRest   = time.Second
	longestRest = 5 * time.Minute
)

// rests are the subjects of own work that had a fault and are not tried again yet.
type rests struct {
	mu sync.Mutex
	of map[Task]rest // by kind and subject
}

type rest struct {
	err   error
	wait  time.Duration
	until time.Time
}

// reason returns why a subject rests now; nil: it does not.
func (r *rests) reason(t Task) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if of, ok := r.of[t]; ok && time.Now().Before(of.until) {
		return of.err
	}
	return nil
}

// note notes the result of a subject.
func (r *rests) note(t Task, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !contain.Fault(err) {
		delete(r.of, t)
		return
	}
	wait := min(longestRest, max(firstRest, 2*r.of[t].wait))
	r.of[t] = rest{err, wait, time.Now().Add(wait)}
}

// Do does the work of a subject now, for a service that looks for its work itself: in this process,
// or apart if work may have ended a gateway. For a subject that had a fault a moment ago it does nothing
// and returns that error, and for one that was set aside, or that another gateway works on, it does
// nothing.
func (r *Runner) Do(ctx context.Context, kind Kind, subject string) error {
	h, t := r.worker.handlers[kind], Task{Kind: kind, Subject: subject}
	if err := r.rests.reason(t); err != nil {
		return err
	}
	ends, aside, err := r.faults.of(ctx, kind, subject)
	if err != nil || aside && !h.Always {
		return err
	}
	if a := r.worker.aparts[kind]; a != nil && ends > 0 {
		err = a.work(ctx, subject) // the gateway may have been started again since
	} else {
		err = r.worker.do(ctx, h, subject)
	}
	if ctx.Err() != nil {
		return err
	}
	r.rests.note(t, err)
	if err != nil && r.worker.failed != nil {
		r.worker.failed(kind)
	}
	if err == nil && ends > 0 {
		return r.faults.forget(ctx, kind, subject)
	}
	return err
}
