//go:build linux || darwin

package sandbox_test

import (
	"testing"
	"time"

	"tcode/offline/host/sandbox"
)

// TestCPUTime: a child that works uses processor time, each task begins at 0, and on Linux a child that sleeps uses
// nearly none.
func TestCPUTime(t *testing.T) {
	t.Parallel()
	p := newPool(t, sandbox.Config{Size: 1})
	spent := func(order string) (used time.Duration) {
		var conn *sandbox.Conn
		err := p.Do(t.Context(), func(c *sandbox.Conn) error {
			conn = c
			if err := c.Send(kindOrder, []byte(order)); err != nil {
				return err
			}
			_, _, err := c.Receive()
			used = c.CPUTime()
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if after := conn.CPUTime(); after < used || conn.CPUTime() != after {
			t.Errorf("%s: %v, and %v after the task", order, used, after)
		}
		return used
	}
	const busy = 200 * time.Millisecond
	if got := spent("work 200ms"); got < busy {
		t.Errorf("work for %v of processor time counts as %v", busy, got)
	}
	if got := spent("echo next"); got >= busy {
		t.Errorf("the next task begins with %v of the one before", got)
	}
	if got := spent("sleep 400ms"); sandbox.KnowsCPUTime && got >= busy {
		t.Errorf("400ms of sleep count as %v of work", got)
	} else if !sandbox.KnowsCPUTime && got < busy {
		t.Errorf("400ms of waiting count as %v", got)
	}
}

// TestWaitTime: where the system does not tell the processor time of a child, the waits for it count, and waits at the
// same time count once.
func TestWaitTime(t *testing.T) {
	t.Parallel()
	k := sandbox.NewWaitClock()
	const nap = 20 * time.Millisecond
	time.Sleep(nap)
	if got := k.Read(); got != 0 {
		t.Errorf("before the first wait: %v", got)
	}
	start := time.Now()
	first, second := k.Wait(), k.Wait()
	time.Sleep(nap)
	if got := k.Read(); got < nap {
		t.Errorf("while waiting for %v: %v", nap, got)
	}
	first()
	second()
	most := time.Since(start)
	if got := k.Read(); got < nap || got > most {
		t.Errorf("two waits of %v at the same time: %v, want one of them", most, got)
	}
}
