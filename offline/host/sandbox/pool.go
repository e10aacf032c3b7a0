package sandbox

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

// A Pool keeps up to Config.Size warm children of one role. It is safe for concurrent use.
type Pool struct {
	cfg     Config
	slots   chan struct{} // one entry for each child that may work or start
	starter *starter
	close   sync.Once
	closed  chan struct{}

	replaced atomic.Uint64 // children, after errors

	mu   sync.Mutex
	idle []*worker // warm children, the one that worked last at the end: take takes it first
}

// NewPool returns a pool. The first tasks start the children that they need.
func NewPool(c Config) *Pool {
	c = c.withDefaults()
	p := &Pool{cfg: c, slots: make(chan struct{}, c.Size), starter: newStarter(), closed: make(chan struct{})}
	for range c.Size {
		p.slots <- struct{}{}
	}
	return p
}

// Do runs one task: it waits for a free child and calls task in the caller's goroutine with a connection to it. The
// task is new for both sides. When task returns, Do tells the child that no more frames come and waits for its end.
//
// The error is the first of these that applies: a [*WorkerError] if the child died or was killed; the cause of ctx; the
// error of task; a [*TaskError] if Serve failed. After any error the pool replaces the child.
func (p *Pool) Do(ctx context.Context, task func(c *Conn) error) error {
	w, err := p.take(ctx)
	if err != nil {
		return err
	}
	err = w.do(ctx, task)
	if err != nil || w.worn || w.tasks >= p.cfg.MaxTasks {
		if err != nil {
			p.replaced.Add(1)
			p.cfg.Log.DebugContext(ctx, "sandbox child replaced", slog.String("role", p.cfg.Role), slog.Any("err", err))
		}
		w.stop()
		w = nil
	}
	p.put(w)
	return err
}

// put gives a slot back with its child, or without one.
func (p *Pool) put(w *worker) {
	if w != nil {
		p.mu.Lock()
		p.idle = append(p.idle, w)
		p.mu.Unlock()
	}
	p.slots <- struct{}{}
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
	w := p.warm()
	if w != nil {
		if _, ok := w.note(phaseOf(ctx)); !ok {
			w.stop()
			w = nil
		}
	}
	if w == nil {
		var err error
		if w, err = p.start(ctx); err != nil {
			p.put(nil)
			return nil, err
		}
	}
	return w, nil
}

func (p *Pool) start(ctx context.Context) (*worker, error) {
	w, err := p.starter.start(p.cfg)
	if err != nil {
		return nil, &WorkerError{Role: p.cfg.Role, Err: fmt.Errorf("%w: %w", ErrStart, err)}
	}
	if p.cfg.SlowStart != nil {
		defer time.AfterFunc(slowStart, p.cfg.SlowStart).Stop()
	}
	if err := w.hello(ctx); err != nil {
		w.stop()
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
	defer p.put(w)
	w.note(idle)
	return w.protections, nil
}

// Close waits for running tasks and ends all children. Later tasks fail with [ErrClosed].
func (p *Pool) Close() {
	p.close.Do(func() {
		close(p.closed)
		for range p.cfg.Size {
			<-p.slots
			if w := p.warm(); w != nil {
				w.stop()
			}
		}
		p.starter.stop()
	})
}
