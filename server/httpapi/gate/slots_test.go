package gate_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"tcode/server/httpapi/gate"
)

// TestTurns: neither one tenant nor two hold all places, and a request that stops waiting holds
// none. The next place goes to one that has fewer.
func TestTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slots := gate.NewSlots(4, time.Hour, gate.Busy)
		take := func(ctx context.Context, tenant string) (func(), error) { return slots.Take(ctx, tenant, 0) }
		try := func(tenant string) (func(), error) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			return take(ctx, tenant)
		}
		var held []func()
		for range 2 {
			release, err := try("slow")
			if err != nil {
				t.Fatal(err)
			}
			held = append(held, release)
		}
		if _, err := try("slow"); err == nil {
			t.Error("one tenant holds more than half of the places")
		}
		for _, tenant := range []string{"other", "third"} {
			if _, err := try(tenant); err != nil {
				t.Errorf("%s is kept out: %v", tenant, err)
			}
		}
		if _, err := try("other"); err == nil {
			t.Error("five places of four")
		}
		next := make(chan string, 2)
		for _, tenant := range []string{"slow", "fourth"} {
			go func() {
				if _, err := take(t.Context(), tenant); err == nil {
					next <- tenant
				}
			}()
			synctest.Wait()
		}
		held[0]()
		if got := <-next; got != "fourth" {
			t.Errorf("the place goes to %s, which waits longer and has one", got)
		}
		held[1]()
		if got := <-next; got != "slow" {
			t.Errorf("a place is free, and %s gets it", got)
		}
	})
}

// TestTurnOfOneOfMany: 999 clients send all they can, each request with much work. A client that
// sends little, now and then, gets the next place each time, the first time too.
func TestTurnOfOneOfMany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slots := gate.NewSlots(1, 10*time.Hour, gate.Busy)
		ctx, end := context.WithCancel(t.Context())
		var served atomic.Int64 // of the others
		var group sync.WaitGroup
		for i := range 999 {
			group.Go(func() {
				for ctx.Err() == nil {
					release, err := slots.Take(ctx, fmt.Sprint("192.0.2.", i), 15_000)
					if err != nil {
						return
					}
					served.Add(1)
					time.Sleep(100 * time.Millisecond)
					release()
				}
			})
		}
		time.Sleep(time.Second)
		for i := range 4 {
			before := served.Load()
			release, err := slots.Take(ctx, "198.51.100.1", 1000)
			if err != nil {
				t.Fatal(err)
			}
			if n := served.Load() - before; n > 1 {
				t.Errorf("%d others are served before batch %d", n, i)
			}
			time.Sleep(10 * time.Millisecond)
			release()
			time.Sleep(time.Minute)
		}
		end()
		group.Wait()
	})
}
