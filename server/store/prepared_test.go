package store_test

import (
	"context"
	"testing"

	"tcode/server/store/storetest"
)

// TestBriefLookUps: SQLite does not watch a look-up for the end of its request, which
// would take two goroutines each time.
func TestBriefLookUps(t *testing.T) {
	d := storetest.NewOn(t, storetest.SQLite)
	st := d.Stamp(t, d.Tenant(t, "Acme", "ACME01"), "n")
	lookUp := func(ctx context.Context) float64 {
		return testing.AllocsPerRun(100, func() {
			if _, err := d.DB.RecordByReference(ctx, st.Reference); err != nil {
				t.Fatal(err)
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	// One more is the context that does not inherit the end.
	if with, without := lookUp(ctx), lookUp(context.Background()); with > without+1 {
		t.Errorf("%g allocations under a context that can end, %g under one that cannot", with, without)
	}
	cancel()
	if _, err := d.DB.RecordByReference(ctx, st.Reference); err == nil {
		t.Error("a look-up for a request that is over is answered")
	}
}
