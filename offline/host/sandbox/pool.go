package sandbox

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

// Pool keeps up to Config.Size warm children of one role. It is safe for concurrent use.
type Pool struct {
	cfg     Config
	slots   chan struct{} // one entry for each child that may work or be started
	starter *starter
	close   sync.Once
	closed  chan struct{}

	mu   sync.Mutex
	idle []*worker // warm children, the one that worked last at the end: it is taken first
}

// NewPool returns a pool. Children are started by the first tasks that need them.
func NewPool(c Config) *Pool {
	c = c.withDefaults()
	p := &Pool{cfg: c, slots: make(chan struct{}, c.Size), starter: newStarter(), closed: make(chan struct{})}
	for range c.Size {
		p.slots <- struct{}{}
	}
	return p
}

// Do runs one task: it waits for a free child and calls task in the caller's goroutine with a connection to it. Both
// sides are in a fresh task; when task returns, the child is told that nothing more comes and its end is awaited.
//
// The error is, first match: a [*WorkerError] when the child died or was ended; the cause of ctx; what task returned;
// a [*TaskError] when Serve failed. After any error the child is replaced.
func (p *Pool) Do(ctx context.Context, task func(c *Conn) error) error {
	w, err := p.take(ctx)
	if err != nil {
		return err
	}
	err = w.do(ctx, task)
	if err != nil || w.worn || w.tasks >= p.cfg.MaxTasks {
		if err != nil {
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
	if ctx.Err() != nil { // below, a child that is free could win
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
	if w != nil && !w.alive() {
		w.stop()
		w = nil
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
	p.cfg.Log.DebugContext(ctx, "sandbox child started", slog.String("role", p.cfg.Role), slog.String("protections", w.protections))
	return w, nil
}

// Protections starts a child if none is warm and returns what restrains it, such as
// "rlimits no_new_privs landlock:7 seccomp". For logs and health pages.
func (p *Pool) Protections(ctx context.Context) (string, error) {
	w, err := p.take(ctx)
	if err != nil {
		return "", err
	}
	defer p.put(w)
	return w.protections, nil
}

// Close waits for running tasks and ends all children. Later tasks get [ErrClosed].
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
