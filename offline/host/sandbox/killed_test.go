//go:build linux || darwin

package sandbox_test

import (
	"errors"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"tcode/offline/host/sandbox"
)

// TestKilled: the error for a child killed from outside during a task differs from that for a child that a task has
// ended.
func TestKilled(t *testing.T) {
	t.Parallel()
	p := newPool(t, sandbox.Config{Size: 1})
	said, err := ask(t.Context(), p, "pid")
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimPrefix(said, "ok "))
	if err != nil {
		t.Fatal(err)
	}
	err = p.Do(t.Context(), func(c *sandbox.Conn) error {
		if err := c.Send(kindOrder, []byte("spin")); err != nil {
			return err
		}
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			return err
		}
		_, _, err := c.Receive()
		return err
	})
	if !errors.Is(err, sandbox.ErrKilled) || errors.Is(err, sandbox.ErrCrashed) {
		t.Errorf("err = %v, want ErrKilled alone", err)
	}
	alive(t, p)
}
