package contain

import (
	"context"
	"sync"
)

// A Group is several goroutines that work on one task. The zero Group has no context.
type Group struct {
	wait   sync.WaitGroup
	slots  chan struct{}
	first  sync.Once
	err    error
	cancel context.CancelCauseFunc
}

// WithContext returns a Group and a context that ends with ctx, at the first error of the
// group, which is its cause, and when Wait returns.
func WithContext(ctx context.Context) (*Group, context.Context) {
	ctx, cancel := context.WithCancelCause(ctx)
	return &Group{cancel: cancel}, ctx
}

// Limit lets at most n functions run concurrently; Go waits for a free place. Call it before
// Go.
func (g *Group) Limit(n int) { g.slots = make(chan struct{}, n) }

// Go calls f in a goroutine, by [Do].
func (g *Group) Go(name string, f func() error) {
	if g.slots != nil {
		g.slots <- struct{}{}
	}
	g.wait.Add(1)
	go func() {
		err := errExited
		defer func() {
			if err != nil {
				g.fail(err)
			}
			if g.slots != nil {
				<-g.slots
			}
			g.wait.Done()
		}()
		err = Do(name, f)
	}()
}

func (g *Group) fail(err error) {
	g.first.Do(func() {
		g.err = err
		if g.cancel != nil {
			g.cancel(err)
		}
	})
}

// Wait waits until all functions have returned, and returns the first error.
func (g *Group) Wait() error {
	g.wait.Wait()
	if g.cancel != nil {
		g.cancel(g.err)
	}
	return g.err
}
