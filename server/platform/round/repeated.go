package round

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// Repeated logs the error of something that is tried again and again, which would fill a log: an
// error immediately, and the same one again once a minute with its count. It is safe for concurrent
// use.
type Repeated struct {
	Log  *slog.Logger
	What string // is tried

	mu   sync.Mutex
	last string
	at   time.Time
	n    int
}

// Tell logs err, which is nil after a try without an error. An error because ctx has ended is none.
func (r *Repeated) Tell(ctx context.Context, err error) {
	if ctx.Err() != nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil {
		r.last, r.n = "", 0
		return
	}
	if r.n++; err.Error() == r.last && time.Since(r.at) < time.Minute {
		return
	}
	r.Log.ErrorContext(ctx, r.What, slog.Any("err", err), slog.Int("times", r.n))
	r.last, r.at, r.n = err.Error(), time.Now(), 0
}
