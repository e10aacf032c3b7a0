package jobs

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/riverqueue/river"
)

// A Handler does the work of one kind. Its functions are called by several
// goroutines.
type Handler struct {
	Kind Kind
	// AtOnce is the number of subjects that are worked on concurrently; zero: one.
	AtOnce int
	// Timeout ends the context of one call of Work; zero: a minute; negative: only the
	// runner's end does.
	Timeout time.Duration
	// Work does the due work of a subject. After an error it is called again, with growing
	// waits.
	Work func(ctx context.Context, subject string) error
	// Due wakes, by [Queue.Add], the subjects whose wake-up was lost: those that wait past
	// their time, or whose lease ended. It is called at the start and then every Every. Nil:
	// there are none.
	Due   func(ctx context.Context) error
	Every time.Duration // zero: 10 seconds
}

// Config is the configuration of a [Runner].
type Config struct {
	DB       *sql.DB // as for [NewQueue]
	Engine   Engine
	Handlers []Handler
	Poll     time.Duration // longest wait of a new job; zero: a second
	Log      *slog.Logger
	Failed   func(kind Kind) // counts work that failed; nil: nothing does
}

// A Runner works on jobs. Runners of several gateways share the work.
type Runner struct {
	c      Config
	client *river.Client[*sql.Tx]
	log    *slog.Logger // of the queue's tables, not of jobs
	stop   context.CancelFunc
	sweeps sync.WaitGroup
}

// retention is the time for which River keeps finished jobs; the domain's rows have the
// results.
const retention = time.Hour

// NewRunner returns a Runner. It does nothing before [Runner.Start].
func NewRunner(c Config) (*Runner, error) {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	c.Poll = cmp.Or(c.Poll, time.Second)
	byKind, queues := map[Kind]Handler{}, map[string]river.QueueConfig{}
	for _, h := range c.Handlers {
		byKind[h.Kind] = h
		queues[string(h.Kind)] = river.QueueConfig{MaxWorkers: max(1, h.AtOnce)}
	}
	own := &quiet{Handler: c.Log.Handler(), rate: new(rate)}
	workers := river.NewWorkers()
	river.AddWorker(workers, &worker{handlers: byKind, log: c.Log, failed: c.Failed})
	client, err := river.NewClient(driver(c.DB, c.Engine), &river.Config{
		Queues: queues, Workers: workers,
		Logger:            slog.New(own),
		FetchPollInterval: c.Poll, FetchCooldown: min(c.Poll, 100*time.Millisecond), PollOnly: true,
		CompletedJobRetentionPeriod: retention, CancelledJobRetentionPeriod: retention, DiscardedJobRetentionPeriod: 7 * 24 * time.Hour,
		// If its process is killed, a wake-up is useless: Due replaces it.
		RescueStuckJobsAfter: 24 * time.Hour, JobTimeout: time.Minute,
	})
	if err != nil {
		return nil, fmt.Errorf("background work: %w", err)
	}
	return &Runner{c: c, client: client, log: slog.New(own)}, nil
}

// Start starts the work, until [Runner.Stop].
func (r *Runner) Start(ctx context.Context) error {
	// River's context ends work immediately; Stop waits for it first.
	if err := r.client.Start(context.WithoutCancel(ctx)); err != nil {
		return fmt.Errorf("begin background work: %w", err)
	}
	sweeping, stop := context.WithCancel(context.WithoutCancel(ctx))
	r.stop = stop
	for _, h := range r.c.Handlers {
		if h.Due != nil {
			r.sweeps.Go(func() { r.sweep(sweeping, h) })
		}
	}
	return nil
}

// sweep calls h.Due at intervals.
func (r *Runner) sweep(ctx context.Context, h Handler) {
	every := time.NewTicker(cmp.Or(h.Every, 10*time.Second))
	defer every.Stop()
	for {
		if err := h.Due(ctx); err != nil && ctx.Err() == nil {
			r.log.ErrorContext(ctx, "look for lost jobs", slog.String("kind", string(h.Kind)), slog.Any("err", err))
		}
		select {
		case <-ctx.Done():
			return
		case <-every.C:
		}
	}
}

// Stop takes no more jobs and waits for running ones until ctx ends. Then it ends their
// contexts. It returns when all have ended.
func (r *Runner) Stop(ctx context.Context) error {
	if r.stop == nil {
		return nil
	}
	r.stop()
	r.sweeps.Wait()
	if err := r.client.Stop(ctx); err == nil {
		return nil
	}
	// Without its database River tries for 7 to 14 seconds to give up what it leads.
	hard, cancel := context.WithTimeout(context.WithoutCancel(ctx), 20*time.Second)
	defer cancel()
	if err := r.client.StopAndCancel(hard); err != nil {
		return fmt.Errorf("end background work: %w", err)
	}
	return nil
}

// worker passes wake-ups to their handlers.
type worker struct {
	river.WorkerDefaults[wake]
	handlers map[Kind]Handler
	log      *slog.Logger
	failed   func(kind Kind) // nil: not counted
}

// Timeout implements river.Worker.
func (w *worker) Timeout(j *river.Job[wake]) time.Duration { return w.handlers[j.Args.Work].Timeout }

// Work implements river.Worker.
func (w *worker) Work(ctx context.Context, j *river.Job[wake]) error {
	h, ok := w.handlers[j.Args.Work]
	if !ok {
		return river.JobCancel(fmt.Errorf("no handler for %q", j.Args.Work))
	}
	err := h.Work(ctx, j.Args.Subject)
	if err != nil && ctx.Err() == nil {
		w.log.ErrorContext(ctx, "background work", slog.String("kind", string(h.Kind)), slog.String("subject", j.Args.Subject), slog.Any("err", err))
		if w.failed != nil {
			w.failed(h.Kind)
		}
	}
	return err
}
