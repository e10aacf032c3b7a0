package sandbox

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"tcode/offline/contain"
)

// A Pool keeps up to Config.Size warm children of one role. It is safe for concurrent use.
type Pool struct {
	cfg     Config
	slots   chan struct{} // one entry for each child that may work or start
	starter *starter
	close   sync.Once
	closed  chan struct{}

	replaced atomic.Uint64 // children, after errors
	full     atomic.Int64  // since when no slot is free, as UnixNano; 0: one is

	mu   sync.Mutex
	idle []*worker            // warm children, the one that worked last at the end: take takes it first
	busy map[*worker]struct{} // children of running tasks, and those that start

	closeTime time.Duration // see Close
}

// NewPool returns a pool. The first tasks start the children that they need.
func NewPool(c Config) *Pool {
	c = c.withDefaults()
	p := &Pool{cfg: c, slots: make(chan struct{}, c.Size), starter: newStarter(), closed: make(chan struct{}), busy: map[*worker]struct{}{}, closeTime: closeTime}
	for range c.Size {
		p.slots <- struct{}{}
	}
	return p
}

// Do runs one task: it waits for a free child and calls task in the caller's goroutine with a connection to it. The
// task is new for both sides. When task returns, Do tells the child that no more frames come and waits for its end.
//
// The error is the first of these that applies: a [*WorkerError] if the child died or was killed; the cause of ctx; the
// error of task; a [*TaskError] if Serve failed. After any error, and if task panics, the pool replaces the child.
func (p *Pool) Do(ctx context.Context, task func(c *Conn) error) error {
	w, err := p.take(ctx)
	if err != nil {
		return err
	}
	returned := false
	defer func() { // task may panic
		if !returned || err != nil || w.worn || w.tasks >= p.cfg.MaxTasks {
			w.stop()
			p.ends(w, nil)
		} else {
			p.ends(w, w)
		}
		p.release()
	}()
	err = w.do(ctx, task)
	returned = true
	if err != nil {
		p.replaced.Add(1)
		p.cfg.Log.DebugContext(ctx, "sandbox child replaced", slog.String("role", p.cfg.Role), slog.Any("err", err))
	}
	return err
}

// warm takes the child that worked last, nil if none is idle.
func (p *Pool) warm() (w *worker) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.idle); n > 0 {
		w, p.idle = p.idle[n-1], p.idle[:n-1]
	}
	return w
}

// take waits for a slot and fills it with a living child.
func (p *Pool) take(ctx context.Context) (*worker, error) {
	if !registered(p.cfg.Role) {
		return nil, fmt.Errorf("sandbox %s: %w", p.cfg.Role, ErrNoMain)
	}
	select {
	case <-p.closed:
		return nil, ErrClosed
	default:
	}
	if ctx.Err() != nil { // otherwise the select below could choose a free child
		return nil, context.Cause(ctx)
	}
	select {
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-p.closed:
		return nil, ErrClosed
	case <-p.slots:
	}
	if len(p.slots) == 0 {
		p.full.Store(time.Now().UnixNano())
	}
	w := p.warm()
	if w != nil {
		p.begins(w)
		if _, ok := w.note(phaseOf(ctx)); !ok {
			w.stop()
			p.ends(w, nil)
			w = nil
		}
	}
	if w == nil {
		var err error
		if w, err = p.start(ctx); err != nil {
			p.release()
			return nil, err
		}
	}
	return w, nil
}

// release gives a slot back.
func (p *Pool) release() {
	p.full.Store(0)
	p.slots <- struct{}{}
}

// begins notes that w works, or starts.
func (p *Pool) begins(w *worker) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.busy[w] = struct{}{}
}

// ends notes that w does not work. by is w if it may work again, nil if it ended.
func (p *Pool) ends(w, by *worker) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.busy, w)
	if by != nil {
		p.idle = append(p.idle, by)
	}
}

func (p *Pool) start(ctx context.Context) (*worker, error) {
	w, err := p.starter.start(p.cfg)
	if err != nil {
		return nil, &WorkerError{Role: p.cfg.Role, Err: fmt.Errorf("%w: %w", ErrStart, err)}
	}
	if p.cfg.SlowStart != nil {
		defer contain.After(slowStart, "slow-start", p.cfg.SlowStart).Stop()
	}
	p.begins(w)
	if err := w.hello(ctx); err != nil {
		w.stop()
		p.ends(w, nil)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		we := &WorkerError{Role: p.cfg.Role, Err: errors.Join(ErrStart, err), Exit: w.exit, Stderr: w.stderr.String()}
		p.cfg.Log.WarnContext(ctx, "sandbox child did not start", slog.String("role", p.cfg.Role), slog.Any("err", we),
			slog.String("stderr", we.Stderr))
		return nil, we
	}
	w.note(phaseOf(ctx))
	p.cfg.Log.DebugContext(ctx, "sandbox child started", slog.String("role", p.cfg.Role), slog.String("protections", w.protections))
	return w, nil
}

// Protections returns the restrictions of a child, such as "rlimits no_new_privs landlock:7 seccomp", for logs and
// health pages. It starts a child if none is warm.
func (p *Pool) Protections(ctx context.Context) (string, error) {
	w, err := p.take(ctx)
	if err != nil {
		return "", err
	}
	w.note(idle)
	p.ends(w, w)
	p.release()
	return w.protections, nil
}

// closeTime is how long Close waits for running tasks to end by themselves, and as long again after it
// killed their children. A task that still goes on then is not waiting for its child, and is left behind.
const closeTime = 10 * time.Second

// Close waits for running tasks and ends all children. It kills the children of tasks that take longer than 10 s, which
// fail with [ErrClosed]. So do later tasks.
func (p *Pool) Close() {
	p.close.Do(func() {
		close(p.closed)
		if left := p.drain(p.cfg.Size); left > 0 {
			p.killBusy()
			if left = p.drain(left); left > 0 {
				p.cfg.Log.Error("tasks of child processes did not end",
					slog.String("role", p.cfg.Role), slog.Int("tasks", left))
			}
		}
		p.starter.stop()
	})
}

// drain takes up to n slots, ends their children, and returns the number of slots that are missing after closeTime.
func (p *Pool) drain(n int) (missing int) {
	late := time.NewTimer(p.closeTime)
	defer late.Stop()
	for ; n > 0; n-- {
		select {
		case <-p.slots:
		case <-late.C:
			return n
		}
		if w := p.warm(); w != nil {
			w.stop()
		}
	}
	return 0
}

// killBusy kills the children of running tasks.
func (p *Pool) killBusy() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for w := range p.busy {
		w.kill(ErrClosed)
	}
}
