package jobs

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"os/exec"
	"time"

	"github.com/riverqueue/river"

	"tcode/offline/contain"
	"tcode/server/platform/hold"
	"tcode/server/platform/round"
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

	// Own marks work that a service looks for itself, and has done by [Runner.Do].
	Own bool
	// Always has a subject of Own work tried also after it was set aside, with growing waits: nothing
	// can take its place.
	Always bool

	// SetAside ends an item of a subject, as [hold.Item] named it, or with "" the subject, that
	// ended its process twice: it is not tried again unless a person asks. cause says how the
	// process ended. Nil, for Own work: its service leaves out the items that are recorded.
	SetAside func(ctx context.Context, subject, item, cause string) error
	// Free ends the hold of a work process that has ended, so that the rest of the subject need
	// not wait. Nil: it waits.
	Free func(ctx context.Context, subject, owner string) error
	// Quiet is the longest time without a sign of progress; zero: 10 minutes.
	Quiet time.Duration
}

// Config is the configuration of a [Runner].
type Config struct {
	DB       *sql.DB // as for [NewQueue]
	Engine   Engine
	Handlers []Handler
	Poll     time.Duration // longest wait of a new job; zero: a second
	Log      *slog.Logger
	Failed   func(kind Kind) // counts work that failed; nil: nothing does
	// Apart returns the command of a work process, which calls [Serve] with the same handlers.
	// Nil: all work is done in this process.
	Apart func() *exec.Cmd
	// ApartMemory is the most memory of a work process in bytes, without its child processes; zero:
	// any.
	ApartMemory uint64
	Now         func() time.Time // a clock that all gateways share; nil: time.Now
}

// A Runner works on jobs. Runners of several gateways share the work.
type Runner struct {
	c      Config
	client *river.Client[*sql.Tx]
	log    *slog.Logger // of the queue's tables, not of jobs
	worker *worker
	faults faults
	rests  rests
	stop   context.CancelFunc
	sweeps contain.Group
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
	if c.Now == nil {
		c.Now = time.Now
	}
	notes, aparts := newBegun(c.DB, c.Engine, c.Now), map[Kind]*apart{}
	byKind, queues := map[Kind]Handler{}, map[string]river.QueueConfig{}
	for _, h := range c.Handlers {
		byKind[h.Kind] = h
		if c.Apart != nil {
			aparts[h.Kind] = newApart(h, c)
		}
		if !h.Own {
			queues[string(h.Kind)] = river.QueueConfig{MaxWorkers: max(1, h.AtOnce)}
		}
	}
	own := &quiet{Handler: c.Log.Handler(), rate: new(rate)}
	workers := river.NewWorkers()
	work := &worker{handlers: byKind, begun: notes, aparts: aparts, log: c.Log, failed: c.Failed}
	river.AddWorker(workers, work)
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
	return &Runner{c: c, client: client, log: slog.New(own), worker: work, faults: faults{c.DB, c.Now}, rests: rests{of: map[Task]rest{}}}, nil
}

// Start starts the work, until [Runner.Stop].
func (r *Runner) Start(ctx context.Context) error {
	if err := r.worker.begun.look(ctx); err != nil {
		return err
	}
	// River's context ends work immediately; Stop waits for it first.
	if err := r.client.Start(context.WithoutCancel(ctx)); err != nil {
		return fmt.Errorf("begin background work: %w", err)
	}
	sweeping, stop := context.WithCancel(context.WithoutCancel(ctx))
	r.stop = stop
	r.sweeps.Go("work-notes", func() error { r.watch(sweeping); return nil })
	for _, h := range r.c.Handlers {
		if h.Due != nil {
			r.sweeps.Go("sweeps", func() error { r.sweep(round.Part(sweeping, string(h.Kind)), h); return nil })
		}
	}
	return nil
}

// dueTime bounds a call of Due.
const dueTime = 2 * time.Minute

// sweep calls h.Due at intervals.
func (r *Runner) sweep(ctx context.Context, h Handler) {
	every := time.NewTicker(cmp.Or(h.Every, 10*time.Second))
	defer every.Stop()
	for {
		if err := round.Do(ctx, dueTime, h.Due); err != nil && ctx.Err() == nil {
			r.log.ErrorContext(ctx, "look for lost jobs", slog.String("kind", string(h.Kind)), slog.Any("err", err))
		}
		select {
		case <-ctx.Done():
			return
		case <-every.C:
		}
	}
}

// watch renews the notes of begun work and ends idle work processes.
func (r *Runner) watch(ctx context.Context) {
	every := time.NewTicker(beginFor / 3)
	defer every.Stop()
	cleaned := time.Time{}
	for {
		select {
		case <-ctx.Done():
			return
		case <-every.C:
		}
		err := round.Do(ctx, dueTime, r.worker.begun.look)
		if err == nil && time.Since(cleaned) > time.Hour {
			err, cleaned = r.faults.clean(ctx), time.Now()
		}
		if err != nil && ctx.Err() == nil {
			r.log.ErrorContext(ctx, "notes of begun work", slog.Any("err", err))
		}
		for _, a := range r.worker.aparts {
			a.rest(false)
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
	_ = r.sweeps.Wait()
	defer func() {
		for _, a := range r.worker.aparts {
			a.rest(true)
		}
	}()
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
	begun    *begun
	aparts   map[Kind]*apart // none: all work is done in this process
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
	err := w.do(ctx, h, j.Args.Subject)
	if err != nil && ctx.Err() == nil {
		w.log.ErrorContext(ctx, "background work", slog.String("kind", string(h.Kind)), slog.String("subject", j.Args.Subject), slog.Any("err", err))
		if w.failed != nil {
			w.failed(h.Kind)
		}
	}
	return err
}

// do does the work of a subject: in this process, or apart if work may have ended a gateway.
func (w *worker) do(ctx context.Context, h Handler, subject string) error {
	note, others, err := w.begun.begin(ctx, h.Kind, subject)
	if err != nil {
		return err
	}
	defer w.begun.end(ctx, note)
	if h.Own && others.living {
		return nil // another gateway does it
	}
	// Work that is held by one gateway at a time was left by the other.
	if a := w.aparts[h.Kind]; a != nil && (others.gone || others.living || w.begun.doubt()) {
		return a.work(ctx, subject)
	}
	return w.here(ctx, h, subject)
}

// here does the work of a subject in this process. Work that hangs is left behind.
func (w *worker) here(ctx context.Context, h Handler, subject string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	signs := make(chan struct{}, 1)
	ctx = hold.Watched(ctx, "", false, func(string) {
		select {
		case signs <- struct{}{}:
		default: // there is one
		}
	})
	done := contain.Start("background", func() error { return h.Work(ctx, subject) })
	quiet := cmp.Or(h.Quiet, quietFor)
	hang := time.NewTimer(quiet)
	defer hang.Stop()
	for {
		select {
		case err := <-done:
			return err
		case <-signs:
			hang.Reset(quiet)
			continue
		case <-hang.C:
		}
		w.begun.hang()
		cancel()
		late := time.NewTimer(contain.Grace)
		defer late.Stop()
		select {
		case err := <-done:
			return err
		case <-late.C:
			return contain.Abandon("background", fmt.Errorf("nothing happened for %v", quiet), done)
		}
	}
}
