package hold_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tcode/server/platform/hold"
)

// keep notes the times of renewals, which fail by a function of the time since the begin.
func keep(t *testing.T, d time.Duration, renew func(since time.Duration) error) (held context.Context, stop func(), renewed func() []time.Duration) {
	t.Helper()
	begun := time.Now()
	var mu sync.Mutex // a renewal that hangs goes on beside the next one
	var times []time.Duration
	held, stop = hold.Keep(t.Context(), d, func(context.Context) error {
		since := time.Since(begun)
		err := renew(since)
		if err == nil {
			mu.Lock()
			defer mu.Unlock()
			times = append(times, since)
		}
		return err
	})
	return held, stop, func() []time.Duration {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(times)
	}
}

var errAway = errors.New("the database is away")

func TestKeep(t *testing.T) {
	tests := map[string]struct {
		renew   func(since time.Duration) error
		ends    time.Duration // 0: not within a minute
		renewed int           // at least, within a minute
	}{
		"renewed":     {func(time.Duration) error { return nil }, 0, 11},
		"taken":       {func(time.Duration) error { return fmt.Errorf("store: %w", hold.ErrLost) }, 5 * time.Second, 0},
		"never again": {func(time.Duration) error { return errAway }, 12 * time.Second, 0},
		// A renewal that ignores its context does not keep the work.
		"hangs": {func(time.Duration) error { time.Sleep(50 * time.Second); return nil }, 12 * time.Second, 0},
		"panics once": {func(s time.Duration) error {
			if s < 6*time.Second {
				panic("seeded")
			}
			return nil
		}, 0, 10},
		"away a moment": {func(s time.Duration) error { return away(s, 4*time.Second, 10*time.Second) }, 0, 10},
		"taken later":   {func(s time.Duration) error { return lostAfter(s, 21*time.Second) }, 25 * time.Second, 4},
		// The hold is not certain any more, but no other owner took the work: it is renewed again.
		"away for long": {func(s time.Duration) error { return away(s, 4*time.Second, 30*time.Second) }, 12 * time.Second, 5},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begun := time.Now()
				held, stop, renewed := keep(t, hold.Default, tt.renew)
				var ended time.Duration
				go func() {
					<-held.Done()
					ended = time.Since(begun)
				}()
				time.Sleep(time.Minute)
				synctest.Wait()
				if ended != tt.ends {
					t.Errorf("the hold ended after %v, want %v", ended, tt.ends)
				}
				if tt.ends > 0 && !errors.Is(context.Cause(held), hold.ErrLost) {
					t.Errorf("cause %v", context.Cause(held))
				}
				if len(renewed()) < tt.renewed {
					t.Errorf("renewed at %v, want %d times", renewed(), tt.renewed)
				}
				stop()
				if held.Err() == nil {
					t.Error("after stop the context goes on")
				}
				time.Sleep(time.Minute) // what hangs ends in its own time
			})
		})
	}
}

func away(since, from, until time.Duration) error {
	if since >= from && since < until {
		return errAway
	}
	return nil
}

func lostAfter(since, from time.Duration) error {
	if since >= from {
		return hold.ErrLost
	}
	return nil
}

// TestHangs: a renewal that hangs, as one does while a database server is cut off, ends the
// work in time.
func TestHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		held, stop := hold.Keep(t.Context(), hold.Default, func(ctx context.Context) error {
			<-ctx.Done()
			return ctx.Err()
		})
		defer stop()
		<-held.Done()
		if since := time.Since(begun); since != 12*time.Second {
			t.Errorf("ended after %v", since)
		}
	})
}
