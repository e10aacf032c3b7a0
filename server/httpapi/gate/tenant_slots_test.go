package gate_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"tcode/server/httpapi/gate"
)

// TestTurns: a tenant that holds its share excludes no other tenant, and a request
// that stops waiting holds no place.
func TestTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		take := gate.NewTenantSlots(4).Take
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
		for range 2 {
			if _, err := try("other"); err != nil {
				t.Errorf("another tenant is kept out: %v", err)
			}
		}
		if _, err := try("third"); err == nil {
			t.Error("five places of four")
		}
		held[0]()
		if _, err := try("third"); err != nil {
			t.Errorf("a place is free, but: %v", err)
		}
		held[1]()
		if _, err := try("slow"); err != nil {
			t.Errorf("a place and a share are free, but: %v", err)
		}
	})
}
