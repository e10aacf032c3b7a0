package store_test

import (
	"testing"

	"tcode/server/issue/stamp"
	"tcode/server/store/storetest"
)

// TestCountsAreExact: kept counts equal the present rows: after a change, by this gateway
// or another, the next list shows it.
func TestCountsAreExact(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		b := storetest.NewOn(t, e)
		id := b.Tenant(t, "Acme", "ACME01")
		first := b.Stamp(t, id, "invoice")
		storetest.Seed(t, b.Dir, first.ID, 700)
		other := storetest.Open(t, b.Dir, b.Clock)
		active, named, another := 700-70-7+1, 351, 0
		check := func(when string) {
			t.Helper()
			for range 2 { // counted, and kept
				for _, tt := range []struct {
					f    stamp.Filter
					want int
				}{
					{stamp.Filter{Statuses: []stamp.Status{stamp.Active}}, active},
					{stamp.Filter{Search: "invoice"}, named},
					{stamp.Filter{Search: "another", Statuses: []stamp.Status{stamp.Active}}, another},
					{stamp.Filter{Search: "invoice", Statuses: []stamp.Status{stamp.Suspended, stamp.Active, stamp.Revoked}}, named},
				} {
					p, err := b.Stamps.List(t.Context(), "ACME01", tt.f)
					if err != nil {
						t.Fatal(err)
					}
					if p.TotalCount != tt.want || p.TotalIsLowerBound {
						t.Errorf("%s: %+v has %d, want %d", when, tt.f, p.TotalCount, tt.want)
					}
				}
			}
		}
		check("at first")
		if err := other.Stamps.Act(t.Context(), id, first.ID, stamp.ActionSuspend, ""); err != nil {
			t.Fatal(err)
		}
		active--
		check("after a suspension by another gateway")
		if _, err := b.Stamps.Replace(t.Context(), id, first.ID, stamp.Replacement{PDF: storetest.Request("x").PDF}); err != nil {
			t.Fatal(err)
		}
		active, named = active+1, named+1
		check("after a replacement")
		other.Stamp(t, id, "another invoice")
		active, named, another = active+1, named+1, 1
		check("after another stamp")
	})
}

// TestCountsOfLongLists: a list above the exact limit says so, also when it is not counted
// again.
func TestCountsOfLongLists(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		b := storetest.NewOn(t, e)
		id := b.Tenant(t, "Acme", "ACME01")
		storetest.Seed(t, b.Dir, b.Stamp(t, id, "n").ID, stamp.MaxCount-1)
		for i, want := range []bool{false, true, true} {
			p, err := b.Stamps.List(t.Context(), "ACME01", stamp.Filter{})
			if err != nil {
				t.Fatal(err)
			}
			if p.TotalCount != stamp.MaxCount || p.TotalIsLowerBound != want {
				t.Errorf("list %d: %d rows, lower bound %t", i, p.TotalCount, p.TotalIsLowerBound)
			}
			if i == 0 {
				b.Stamp(t, id, "one more")
			}
		}
	})
}
