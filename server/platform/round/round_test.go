package round_test

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"tcode/offline/contain"
	"tcode/server/platform/round"
)

// TestDo: rounds that panic or hang end, their service says so until a round has no fault, and the
// next round waits a moment.
func TestDo(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &round.Service{Name: "looks"}
		ctx := s.Of(t.Context())
		free := make(chan struct{})
		for name, f := range map[string]func(context.Context) error{
			"panic": func(context.Context) error { panic("seeded") },
			"hang":  func(context.Context) error { <-free; return nil },
		} {
			begun := time.Now()
			if err := round.Do(ctx, time.Minute, f); !contain.Fault(err) || !errors.Is(s.Err(), err) {
				t.Errorf("%s: %v, the service says %v", name, err, s.Err())
			}
			if took := time.Since(begun); took < 10*time.Second || took > 2*time.Minute {
				t.Errorf("%s: the next round is after %v", name, took)
			}
			if err := round.Do(round.Part(ctx, "other"), time.Minute, func(context.Context) error { return nil }); err != nil || s.Err() == nil {
				t.Errorf("after a round of another part: %v, %v", err, s.Err())
			}
			begun = time.Now()
			if err := round.Do(ctx, time.Minute, func(context.Context) error { return io.EOF }); err != io.EOF || s.Err() != nil || time.Since(begun) != 0 {
				t.Errorf("after %s: %v, %v", name, err, s.Err())
			}
		}
		close(free)
		ctx, end := context.WithCancel(ctx)
		err := round.Do(ctx, time.Minute, func(ctx context.Context) error { end(); <-ctx.Done(); return ctx.Err() })
		if !errors.Is(err, context.Canceled) || s.Err() != nil {
			t.Errorf("at the end: %v, %v", err, s.Err())
		}
	})
}
