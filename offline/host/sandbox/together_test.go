//go:build linux

package sandbox_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"tcode/offline/host/sandbox"
)

// during runs one task that gives an order, and asks the child until over is closed. It calls begun, if not nil, after the
// order.
func during(ctx context.Context, p *sandbox.Pool, order string, begun func(), over <-chan struct{}) error {
	return p.Do(ctx, func(c *sandbox.Conn) error {
		for {
			if err := c.Send(kindOrder, []byte(order)); err != nil {
				return err
			}
			if _, _, err := c.Receive(); err != nil {
				return err
			}
			if begun != nil {
				begun()
				begun = nil
			}
			select {
			case <-over:
				return nil
			default:
				order = "pid"
			}
		}
	})
}

func limitTogether(t *testing.T, bytes uint64) {
	t.Helper()
	sandbox.LimitTogether(bytes / sandbox.MemoryScale) // of the orders here, the race detector keeps nothing more
	t.Cleanup(func() { sandbox.LimitTogether(0) })
}

// TestLimitTogether is not parallel, because the limit is that of the process; so are the other tests here. When three
// children together exceed the limit, the pool kills the largest, and the others continue. The task may be tried again.
func TestLimitTogether(t *testing.T) {
	limitTogether(t, 256<<20)
	over := make(chan struct{})
	var small errgroup.Group
	var begun sync.WaitGroup
	for range 2 {
		begun.Add(1)
		small.Go(func() error {
			return during(t.Context(), newPool(t, sandbox.Config{Size: 1}), "fill 40", begun.Done, over)
		})
	}
	begun.Wait()
	largest := during(t.Context(), newPool(t, sandbox.Config{Size: 1}), "fill 200", nil, nil)
	close(over)
	if !errors.Is(largest, sandbox.ErrCrowded) || !errors.Is(largest, sandbox.ErrKilled) || errors.Is(largest, sandbox.ErrMemory) {
		t.Errorf("largest child: %v, want ErrCrowded", largest)
	}
	if err := small.Wait(); err != nil {
		t.Errorf("smaller children: %v", err)
	}
}

// TestTooLargeAlone: a task that exceeds the limit alone is the cause.
func TestTooLargeAlone(t *testing.T) {
	limitTogether(t, 256<<20)
	other := newPool(t, sandbox.Config{Size: 1})
	alive(t, other)
	if err := during(t.Context(), newPool(t, sandbox.Config{Size: 1}), "fill 300", nil, nil); !errors.Is(err, sandbox.ErrMemory) {
		t.Errorf("err = %v, want ErrMemory", err)
	}
	alive(t, other)
}

// TestIdleFirst: the memory of an idle child is for those that work.
func TestIdleFirst(t *testing.T) {
	limitTogether(t, 256<<20)
	resting := newPool(t, sandbox.Config{Size: 1})
	if _, err := ask(t.Context(), resting, "fill 100"); err != nil {
		t.Fatal(err)
	}
	before, err := ask(t.Context(), resting, "pid")
	if err != nil {
		t.Fatal(err)
	}
	if err := during(t.Context(), newPool(t, sandbox.Config{Size: 1}), "fill 150", nil, soon()); err != nil {
		t.Errorf("child that works: %v", err)
	}
	if after, err := ask(t.Context(), resting, "pid"); err != nil || after == before {
		t.Errorf("pid = %q, %v; want another child than %q", after, err, before)
	}
}

// TestFilesCountOnce: the pages of the program's file, and of other files, are in memory once for all children.
func TestFilesCountOnce(t *testing.T) {
	limitTogether(t, 600<<20)
	file := filepath.Join(t.TempDir(), "zeros")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(file, 300<<20); err != nil {
		t.Fatal(err)
	}
	over := soon()
	var all errgroup.Group
	for range 3 {
		p := newPool(t, sandbox.Config{Size: 1, MemoryBytes: 1 << 30, Arg: func() string { return file }})
		all.Go(func() error { return during(t.Context(), p, "pid", nil, over) })
	}
	if err := all.Wait(); err != nil {
		t.Error(err)
	}
}

// TestStandStill: while the kernel takes a killed child down, the other children stand still. Without that they use more
// memory than the limit.
func TestStandStill(t *testing.T) {
	limitTogether(t, 256<<20)
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

// soon is closed after a time in which the parent checks the memory of each child.
func soon() <-chan struct{} {
	over := make(chan struct{})
	time.AfterFunc(time.Second, func() { close(over) })
	return over
}

// TestAgain: a task that has no room next to others is done when other children have given theirs up.
func TestAgain(t *testing.T) {
	limitTogether(t, 256<<20)
	over := make(chan struct{})
	var other errgroup.Group
	var begun sync.WaitGroup
	begun.Add(1)
	other.Go(func() error {
		return during(t.Context(), newPool(t, sandbox.Config{Size: 1}), "fill 80", begun.Done, over)
	})
	begun.Wait()
	large, calls := newPool(t, sandbox.Config{Size: 1}), 0
	err := sandbox.Again(t.Context(), func(ctx context.Context) error {
		calls++
		return during(ctx, large, "fill 170", nil, soon())
	})
	if err != nil || calls != 2 {
		t.Errorf("err = %v after %d calls, want none after 2", err, calls)
	}
	close(over)
	if err := other.Wait(); !errors.Is(err, sandbox.ErrCrowded) {
		t.Errorf("smaller child: %v, want ErrCrowded", err)
	}
	calls = 0
	if err := sandbox.Again(t.Context(), func(ctx context.Context) error {
		calls++
		return during(ctx, large, "fill 300", nil, nil)
	}); !errors.Is(err, sandbox.ErrMemory) || calls != 1 {
		t.Errorf("err = %v after %d calls, want ErrMemory after one", err, calls)
	}
}
