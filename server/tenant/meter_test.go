package tenant_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tcode/server/fault"
	"tcode/server/store/storetest"
	"tcode/server/tenant"
)

// TestRequestsQuota: a quota of requests is exact within one gateway, includes earlier
// writes, and begins again with the month.
func TestRequestsQuota(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, testRequestsQuota)
}

func testRequestsQuota(t *testing.T, e storetest.Engine) {
	b := storetest.NewOn(t, e)
	ctx := t.Context()
	b.Tenant(t, "A", "AAAAAA")
	key, err := b.Tenants.CreateKey(ctx, "AAAAAA", tenant.KeyOptions{Name: "k"})
	if err != nil {
		t.Fatal(err)
	}
	who := func() tenant.Identity {
		t.Helper()
		id, err := b.Tenants.Authenticate(ctx, key.Secret)
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	// Without a quota they are counted.
	for range 3 {
		if err := b.Tenants.CountRequest(ctx, who(), false); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Tenants.FlushRequests(ctx); err != nil {
		t.Fatal(err)
	}
	_, err = b.Tenants.ChangePlan(ctx, "AAAAAA", func(p *tenant.Plan) { p.Quotas[tenant.KindRequests] = 10 })
	if err != nil {
		t.Fatal(err)
	}
	// Another gateway on the same database includes them.
	other := tenant.New(b.DB, b.Ring, nil, b.Clock.Now)
	id := who()
	var went, refused atomic.Int64
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			err := other.CountRequest(ctx, id, false)
			switch f := fault.As(err); {
			case err == nil:
				went.Add(1)
			case f.Kind == fault.Forbidden && f.Reason == fault.ReasonQuotaExceeded:
				refused.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if went.Load() != 7 || refused.Load() != 13 {
		t.Errorf("%d went, %d refused; want 7 and 13", went.Load(), refused.Load())
	}
	if err := other.CountRequest(ctx, id, true); err != nil {
		t.Errorf("a free request: %v", err)
	}
	for range 2 { // nothing is written twice
		if err := other.FlushRequests(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if n := used(t, b, "AAAAAA", tenant.KindRequests); n != 11 {
		t.Errorf("%d requests counted, want 11", n)
	}
	b.Clock.Add(30 * 24 * time.Hour)
	if err := other.CountRequest(ctx, id, false); err != nil {
		t.Errorf("next month: %v", err)
	}
	if err := other.FlushRequests(ctx); err != nil {
		t.Fatal(err)
	}
	if n := used(t, b, "AAAAAA", tenant.KindRequests); n != 1 {
		t.Errorf("%d requests counted in the next month, want 1", n)
	}
}

// TestTestRequests: requests of a test key do not reduce the quota of live keys, and have
// an equal quota of their own.
func TestTestRequests(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		b := storetest.NewOn(t, e)
		b.Tenant(t, "A", "AAAAAA")
		_, err := b.Tenants.ChangePlan(t.Context(), "AAAAAA", func(p *tenant.Plan) { p.Quotas[tenant.KindRequests] = 3 })
		if err != nil {
			t.Fatal(err)
		}
		count := func(gateway *tenant.Service, test bool) (went int) {
			t.Helper()
			key, err := b.Tenants.CreateKey(t.Context(), "AAAAAA", tenant.KeyOptions{Name: "k", Test: test})
			if err != nil {
				t.Fatal(err)
			}
			id, err := b.Tenants.Authenticate(t.Context(), key.Secret)
			if err != nil || id.Test != test {
				t.Fatal(id.Test, err)
			}
			for range 5 {
				if gateway.CountRequest(t.Context(), id, false) == nil {
					went++
				}
			}
			if err := gateway.FlushRequests(t.Context()); err != nil {
				t.Fatal(err)
			}
			return went
		}
		other := tenant.New(b.DB, b.Ring, nil, b.Clock.Now)
		if tests, live := count(b.Tenants, true), count(b.Tenants, false); tests != 3 || live != 3 {
			t.Errorf("%d of a test key and %d of a live one, want 3 of each", tests, live)
		}
		if tests, live := count(other, true), count(other, false); tests != 0 || live != 0 {
			t.Errorf("on another gateway %d of a test key and %d of a live one more", tests, live)
		}
		for _, kind := range []tenant.Kind{tenant.KindRequests, tenant.KindRequests.Of(true)} {
			if n := used(t, b, "AAAAAA", kind); n != 3 {
				t.Errorf("%d %s counted, want 3", n, kind)
			}
		}
	})
}

// TestCountsOutliveAFailedWrite: counts that could not be written are written later.
func TestCountsOutliveAFailedWrite(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	ctx := t.Context()
	id := b.Tenant(t, "A", "AAAAAA")
	repair := storetest.Break(t, b.Dir, "usage_months", "")
	if err := b.Tenants.CountRequest(ctx, id, false); err != nil {
		t.Fatal(err)
	}
	if err := b.Tenants.FlushRequests(ctx); err == nil {
		t.Error("the write did not fail")
	}
	repair()
	if err := b.Tenants.FlushRequests(ctx); err != nil {
		t.Fatal(err)
	}
	if n := used(t, b, "AAAAAA", tenant.KindRequests); n != 1 {
		t.Errorf("%d requests counted, want 1", n)
	}
}
