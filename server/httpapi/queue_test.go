package httpapi

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
)

// No more than the places work at once, all have their turn, and who goes away
// takes no place.
func TestQueue(t *testing.T) {
	t.Parallel()
	q := newQueue(2)
	var working, most, done atomic.Int64
	var group sync.WaitGroup
	for range 50 {
		group.Go(func() {
			release, err := q.wait(t.Context())
			if err != nil {
				t.Error(err)
				return
			}
			defer release()
			n := working.Add(1)
			for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
			}
			done.Add(1)
			working.Add(-1)
		})
	}
	group.Wait()
	if most.Load() > 2 || done.Load() != 50 {
		t.Errorf("%d at once, %d done", most.Load(), done.Load())
	}
	for range 2 {
		if _, err := q.wait(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := q.wait(gone); err == nil {
		t.Error("a request that is gone got a place that there is not")
	}
}
