package gate_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"tcode/server/httpapi/gate"
)

// TestTurns: neither one tenant nor two hold all places, and a request that stops waiting holds
// none. The next place goes to one that has fewer.
func TestTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		take := gate.NewSlots(4, time.Hour, gate.Busy).Take
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
