package jobs

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// quiet is the log of River and of sweeps. It drops what is less than a warning
// and passes records about a job. The others are about tables: polling,
// leadership, cleaning. While the database is away each of them fails several
// times a second, so one a minute is passed, with the number of those held back.
type quiet struct {
	slog.Handler
	rate *rate
}

// Enabled implements slog.Handler.
func (q *quiet) Enabled(ctx context.Context, l slog.Level) bool {
	return l >= slog.LevelWarn && q.Handler.Enabled(ctx, l)
}

// Handle implements slog.Handler.
func (q *quiet) Handle(ctx context.Context, r slog.Record) error {
	held, pass := 0, false
	r.Attrs(func(a slog.Attr) bool {
		pass = a.Key == "job_id"
		return !pass
	})
	if !pass {
		if held, pass = q.rate.pass(r.Time); !pass {
			return nil
		}
	}
	said := slog.NewRecord(r.Time, r.Level, "background work: "+r.Message, r.PC)
	r.Attrs(func(a slog.Attr) bool {
		if a.Value.Kind() == slog.KindDuration { // a number without a unit in JSON
			a = slog.Int64(a.Key+"_ms", a.Value.Duration().Milliseconds())
		}
		said.AddAttrs(a)
		return true
	})
	if held > 0 {
		said.AddAttrs(slog.Int("heldBack", held))
	}
	return q.Handler.Handle(ctx, said)
}

// WithAttrs implements slog.Handler.
func (q *quiet) WithAttrs(a []slog.Attr) slog.Handler {
	return &quiet{q.Handler.WithAttrs(a), q.rate}
}

// WithGroup implements slog.Handler.
func (q *quiet) WithGroup(name string) slog.Handler {
	return &quiet{q.Handler.WithGroup(name), q.rate}
}

// rate lets one record pass every minute.
type rate struct {
	mu   sync.Mutex
	next time.Time
	held int
}

// pass reports whether a record of the moment at passes, and if so how many were
// held back before it.
func (r *rate) pass(at time.Time) (held int, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if at.Before(r.next) {
		r.held++
		return 0, false
	}
	held, r.held, r.next = r.held, 0, at.Add(time.Minute)
	return held, true
}
