//go:build linux || darwin

package sandbox_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"tcode/offline/host/sandbox"
)

// TestPanickingTask: a task that panics in the parent costs its child, and no place of the pool.
func TestPanickingTask(t *testing.T) {
	t.Parallel()
	p := newPool(t, sandbox.Config{Size: 1})
	for range 3 {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("the panic did not reach the caller")
				}
			}()
			_ = p.Do(t.Context(), func(c *sandbox.Conn) error {
				if err := c.Send(kindOrder, []byte("echo one")); err != nil {
					return err
				}
				panic("in the task")
			})
		}()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		if got, err := ask(ctx, p, "echo two"); err != nil || got != "ok two" {
			t.Fatalf("the next task: %q, %v", got, err)
		}
		cancel()
	}
}

// TestCloseEnds: Close ends, whether a task waits for its child or for something else.
func TestCloseEnds(t *testing.T) {
	t.Parallel()
	p := sandbox.NewPool(sandbox.Config{Role: "obey", Size: 2})
	p.SetCloseTime(100 * time.Millisecond)
	failed, free, began := make(chan error, 1), make(chan struct{}), make(chan struct{}, 2)
	defer close(free)
	go func() {
		failed <- p.Do(context.Background(), func(c *sandbox.Conn) error {
			began <- struct{}{}
			_, _, err := c.Receive() // of a child that has no order
			return err
		})
	}()
	go func() {
		_ = p.Do(context.Background(), func(*sandbox.Conn) error { began <- struct{}{}; <-free; return nil })
	}()
	<-began
	<-began
	p.Close()
	if err := <-failed; !errors.Is(err, sandbox.ErrClosed) {
		t.Errorf("the task that waited for its child: %v, want ErrClosed", err)
	}
}
