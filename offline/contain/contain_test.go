package contain_test

import (
	"context"
	"errors"
	"io"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"tcode/offline/contain"
)

// watch collects the events of a test, one test at a time.
func watch(t *testing.T) func() []contain.Event {
	t.Helper()
	var mu sync.Mutex
	var events []contain.Event
	contain.Observe(func(e contain.Event) {
		mu.Lock()
		defer mu.Unlock()
		events = append(events, e)
	})
	return func() []contain.Event {
		mu.Lock()
		defer mu.Unlock()
		return events
	}
}

func explode() error {
	var none []int
	_ = none[len(none)]
	return nil
}

func TestDo(t *testing.T) {
	events := watch(t)
	if err := contain.Do("row", func() error { return io.EOF }); err != io.EOF {
		t.Errorf("error: %v", err)
	}
	err := contain.Do("row", explode)
	p, ok := errors.AsType[*contain.Panic](err)
	if !ok || !strings.Contains(string(p.Stack), "explode") || strings.Contains(err.Error(), "goroutine") {
		t.Errorf("panic: %v", err)
	}
	if _, ok := errors.AsType[runtime.Error](err); !ok {
		t.Errorf("%T is not the error that was the value of the panic", err)
	}
	if got := events(); len(got) != 1 || got[0].Name != "row" || got[0].Err != err {
		t.Errorf("events: %v", got)
	}
	// What was contained inside, and raised again, is reported once.
	again := contain.Do("job", func() error { panic(contain.Do("row", explode)) })
	if _, ok := errors.AsType[*contain.Panic](again); !ok || len(events()) != 2 {
		t.Errorf("raised again: %v, %v", again, events())
	}
}

func TestStart(t *testing.T) {
	watch(t)
	for name, f := range map[string]func() error{
		"error": func() error { return io.EOF },
		"panic": explode,
		"exit":  func() error { runtime.Goexit(); return nil },
	} {
		if err := <-contain.Start("row", f); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if err := <-contain.Start("row", func() error { return nil }); err != nil {
		t.Error(err)
	}
}

func TestWithin(t *testing.T) {
	events := watch(t)
	synctest.Test(t, func(t *testing.T) {
		free := make(chan struct{})
		err := contain.Within(t.Context(), "sweep", time.Minute, func(context.Context) error { <-free; return nil })
		if !errors.Is(err, contain.ErrHung) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("hang: %v", err)
		}
		if !contain.Fault(err) || contain.Fault(io.EOF) || contain.Fault(context.DeadlineExceeded) {
			t.Errorf("Fault tells them not apart")
		}
		if contain.Behind() != 1 || len(events()) != 1 {
			t.Errorf("%d behind, events %v", contain.Behind(), events())
		}
		close(free)
		synctest.Wait()
		if contain.Behind() != 0 {
			t.Errorf("%d behind after it ended", contain.Behind())
		}
		// What ends within the grace did not hang.
		err = contain.Within(t.Context(), "sweep", time.Minute, func(ctx context.Context) error {
			<-ctx.Done()
			time.Sleep(contain.Grace - time.Second)
			return ctx.Err()
		})
		if err != context.DeadlineExceeded || len(events()) != 1 {
			t.Errorf("late: %v, %v", err, events())
		}
		// The caller's end is an end as well.
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := contain.Within(ctx, "sweep", time.Minute, func(context.Context) error { time.Sleep(time.Hour); return nil }); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
		time.Sleep(2 * time.Hour) // it ends in its own time
	})
}

func TestGroup(t *testing.T) {
	events := watch(t)
	g, ctx := contain.WithContext(t.Context())
	g.Go("page", explode)
	g.Go("page", func() error { <-ctx.Done(); return nil })
	err := g.Wait()
	if _, ok := errors.AsType[*contain.Panic](err); !ok || context.Cause(ctx) != err {
		t.Errorf("%v, cause %v", err, context.Cause(ctx))
	}
	if len(events()) != 1 {
		t.Errorf("events: %v", events())
	}
	var limited contain.Group
	limited.Limit(3)
	var now, most atomic.Int32
	for range 30 {
		limited.Go("page", func() error {
			n := now.Add(1)
			defer now.Add(-1)
			for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
			}
			runtime.Gosched()
			return explode()
		})
	}
	if err := limited.Wait(); err == nil || most.Load() > 3 {
		t.Errorf("%v, %d ran concurrently", err, most.Load())
	}
}

func TestAfterFunc(t *testing.T) {
	events := watch(t)
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		contain.AfterFunc(ctx, "end", func() { panic("seeded") })
		contain.After(time.Minute, "late", func() { panic("seeded") })
		cancel()
		time.Sleep(time.Hour)
		if got := events(); len(got) != 2 || got[0].Name != "end" || got[1].Name != "late" {
			t.Errorf("events: %v", got)
		}
	})
}
