//go:build linux

package sandbox_test

import (
	"errors"
	"testing"

	"tcode/offline/host/sandbox"
)

// TestLimitTogether is not parallel, because the limit is that of the process. When three children together exceed the
// limit, the pool kills the largest, and the others continue.
func TestLimitTogether(t *testing.T) {
	sandbox.LimitTogether(256 << 20)
	t.Cleanup(func() { sandbox.LimitTogether(0) })
	hold := func(then func() error, order string) error {
		return newPool(t, sandbox.Config{Size: 1}).Do(t.Context(), func(c *sandbox.Conn) error {
			say := func(order string) error {
				if err := c.Send(kindOrder, []byte(order)); err != nil {
					return err
				}
				_, _, err := c.Receive()
				return err
			}
			if err := say(order); err != nil {
				return err
			}
			if then != nil {
				return errors.Join(then(), say("pid"))
			}
			for {
				if err := say("pid"); err != nil {
					return err
				}
			}
		})
	}
	var last error
	largest := func() error { last = hold(nil, "hold 300"); return nil }
	second := func() error { return hold(largest, "hold 4") }
	if err := hold(second, "hold 4"); err != nil {
		t.Errorf("smaller children: %v", err)
	}
	if !errors.Is(last, sandbox.ErrMemory) {
		t.Errorf("largest child: %v, want ErrMemory", last)
	}
}
