//go:build linux || darwin

package sandbox_test

import (
	"errors"
	"testing"

	"tcode/offline/host/sandbox"
)

// TestFinish: a task that has called Finish early cannot send, receives the outcome of the child, and takes nothing
// from the next task.
func TestFinish(t *testing.T) {
	t.Parallel()
	p := newPool(t, sandbox.Config{Size: 1})
	order := func(c *sandbox.Conn, order string) error { return c.Send(kindOrder, []byte(order)) }
	var kept *sandbox.Conn
	for range 3 {
		err := p.Do(t.Context(), func(c *sandbox.Conn) error {
			kept = c
			if err := order(c, "echo one"); err != nil {
				return err
			}
			if _, data, err := c.Receive(); err != nil || string(data) != "ok one" {
				t.Errorf("before = %q, %v", data, err)
			}
			if err := errors.Join(c.Finish(), c.Finish()); err != nil {
				return err
			}
			if err := order(c, "echo two"); !errors.Is(err, sandbox.ErrProtocol) {
				t.Errorf("send afterwards = %v, want it refused", err)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := kept.Finish(); err != nil {
			t.Errorf("finish of a task that is over = %v, want nothing", err)
		}
	}
	for _, tt := range []struct {
		order string
		fails func(error) bool
	}{
		{"dance", func(err error) bool { _, ok := errors.AsType[*sandbox.TaskError](err); return ok }},
		{"exit", func(err error) bool { return errors.Is(err, sandbox.ErrCrashed) }},
	} {
		err := p.Do(t.Context(), func(c *sandbox.Conn) error { return errors.Join(order(c, tt.order), c.Finish()) })
		if !tt.fails(err) {
			t.Errorf("%s, and nothing more = %v, want to hear of it", tt.order, err)
		}
		alive(t, p)
	}
}
