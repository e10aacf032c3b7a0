//go:build linux

package sandbox_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

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

// TestStandStill: while the kernel takes a killed child down, the other children stand still. Without that they use more
// memory than the limit.
func TestStandStill(t *testing.T) {
	sandbox.LimitTogether(256 << 20)
	t.Cleanup(func() { sandbox.LimitTogether(0) })
	large := exec.Command("dd", "if=/dev/zero", "of=/dev/null", "bs=400M")
	large.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := large.Start(); err != nil {
		t.Fatal(err)
	}
	end := sandbox.Dying(large)
	stood := false
	err := newPool(t, sandbox.Config{Size: 1}).Do(t.Context(), func(c *sandbox.Conn) error {
		ask := func() (string, error) {
			if err := c.Send(kindOrder, []byte("pid")); err != nil {
				return "", err
			}
			_, data, err := c.Receive()
			return string(data), err
		}
		pid, err := ask()
		if err != nil {
			return err
		}
		for give := time.Now().Add(time.Minute); !stood && time.Now().Before(give); time.Sleep(time.Millisecond) {
			stat, err := os.ReadFile("/proc/" + pid + "/stat")
			if err != nil {
				return err
			}
			stood = bytes.Contains(stat, []byte(") T "))
		}
		if err := end(); err != nil {
			return err
		}
		_, err = ask()
		return err
	})
	if err != nil || !stood {
		t.Errorf("err = %v, stood still %v; want an answer after it stood still", err, stood)
	}
}
