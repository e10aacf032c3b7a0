package gate_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"tcode/server/httpapi/gate"
)

type mark struct{}

// TestPatience calls the methods of a call's context before and after its end, for
// every way in which it can end.
func TestPatience(t *testing.T) {
	t.Parallel()
	const limit = time.Minute
	for _, tt := range []struct {
		name string
		end  func(cancel, end func())
		want error
	}{
		{"taken too long", func(_, _ func()) { time.Sleep(limit) }, context.DeadlineExceeded},
		{"the client is gone", func(cancel, _ func()) { cancel() }, context.Canceled},
		{"over", func(_, end func()) { end() }, context.Canceled},
	} {
		for _, asked := range []bool{false, true} {
			t.Run(tt.name, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					parent, cancel := context.WithCancel(context.WithValue(t.Context(), mark{}, 7))
					defer cancel()
					before := time.Now()
					ctx, end := gate.WithPatience(parent, limit)
					defer end()
					if d, ok := ctx.Deadline(); !ok || !d.Equal(before.Add(limit)) {
						t.Errorf("Deadline = %v, %v, want in %v", d, ok, limit)
					}
					if asked {
						ctx.Done()
					}
					time.Sleep(limit - time.Nanosecond)
					if err := ctx.Err(); err != nil {
						t.Errorf("Err = %v before the end", err)
					}
					tt.end(cancel, end)
					if tt.name == "taken too long" {
						time.Sleep(time.Nanosecond)
					}
					synctest.Wait()
					if err := ctx.Err(); !errors.Is(err, tt.want) {
						t.Errorf("Err = %v, want %v", err, tt.want)
					}
					select {
					case <-ctx.Done():
					default:
						t.Error("Done is open after the end")
					}
					if got := ctx.Value(mark{}); got != 7 {
						t.Errorf("Value = %v, want the parent's", got)
					}
					if !gate.HasCall(ctx) {
						t.Error("the call is not in it")
					}
				})
			})
		}
	}
}

// TestPatienceOfChildren: contexts that are derived from a call's context end with
// it, without a goroutine for each.
func TestPatienceOfChildren(t *testing.T) {
	parent, cancel := context.WithCancel(t.Context())
	defer cancel()
	ctx, end := gate.WithPatience(parent, time.Hour)
	before := runtime.NumGoroutine()
	var children []context.Context
	for range 100 {
		child, stop := context.WithCancel(ctx)
		defer stop()
		children = append(children, child)
	}
	if n := runtime.NumGoroutine() - before; n > 50 {
		t.Errorf("%d more goroutines for 100 children", n)
	}
	end()
	for _, c := range children {
		<-c.Done()
	}
}
