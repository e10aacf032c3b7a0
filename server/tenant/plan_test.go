package tenant_test

import (
	"slices"
	"sync"
	"testing"
	"time"

	"tcode/server/fault"
	"tcode/server/issue/stamp"
	"tcode/server/store/storetest"
	"tcode/server/tenant"
)

// limit gives a tenant a quota of stamps.
func limit(t *testing.T, b *storetest.Bundle, ref string, stamps int64) {
	t.Helper()
	_, err := b.Tenants.ChangePlan(t.Context(), ref, func(p *tenant.Plan) { p.Quotas[tenant.KindStamps] = stamps })
	if err != nil {
		t.Fatal(err)
	}
}

// used returns a tenant's operations of a kind this month.
func used(t *testing.T, b *storetest.Bundle, ref string, k tenant.Kind) int64 {
	t.Helper()
	us, err := b.Tenants.Usage(t.Context(), ref, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range us {
		if u.Kind == k {
			return u.Used
		}
	}
	return 0
}

// TestQuotaHoldsUnderConcurrency: a quota is exact for concurrent requests: exactly as
// many succeed as it allows, and refused ones are not counted.
func TestQuotaHoldsUnderConcurrency(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, testQuota)
}

func testQuota(t *testing.T, e storetest.Engine) {
	b := storetest.NewOn(t, e)
	id := b.Tenant(t, "A", "AAAAAA")
	other := b.Tenant(t, "B", "BBBBBB")
	limit(t, b, "AAAAAA", 5)
	var mu sync.Mutex
	made, refused := 0, 0
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			_, err := b.Stamps.Create(t.Context(), id, storetest.Request("n"))
			mu.Lock()
			defer mu.Unlock()
			switch f := fault.As(err); {
			case err == nil:
				made++
			case f.Kind == fault.Forbidden && f.Reason == fault.ReasonQuotaExceeded && f.Code == fault.CodeForbidden:
				refused++
			default:
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := used(t, b, "AAAAAA", tenant.KindStamps); made != 5 || refused != 15 || n != 5 {
		t.Errorf("%d made, %d refused, %d counted; want 5, 15, 5", made, refused, n)
	}
	b.Stamp(t, other, "another tenant's quota is its own")
	// The quota begins again with the next UTC month.
	b.Clock.Add(30 * 24 * time.Hour)
	b.Stamp(t, id, "next month")
	if n := used(t, b, "AAAAAA", tenant.KindStamps); n != 1 {
		t.Errorf("%d counted in the new month, want 1", n)
	}
}

// TestLifecycleIsNeverLimited: neither a quota nor a missing entitlement prevents a
// revocation.
func TestLifecycleIsNeverLimited(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	id := b.Tenant(t, "A", "AAAAAA")
	st := b.Stamp(t, id, "n")
	_, err := b.Tenants.ChangePlan(t.Context(), "AAAAAA", func(p *tenant.Plan) {
		*p = tenant.Plan{Quotas: map[tenant.Kind]int64{tenant.KindStamps: 0}}
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Stamps.Create(t.Context(), id, storetest.Request("n")); fault.As(err).Reason != fault.ReasonNotEntitled {
		t.Errorf("stamp without entitlement: %v", err)
	}
	if err := b.Stamps.Act(t.Context(), id, st.ID, stamp.ActionRevoke, ""); err != nil {
		t.Errorf("revoke: %v", err)
	}
	if n := used(t, b, "AAAAAA", tenant.KindLifecycle); n != 1 {
		t.Errorf("%d lifecycle changes counted, want 1", n)
	}
}

func TestChangePlan(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	id := b.Tenant(t, "A", "AAAAAA")
	if p, err := b.Tenants.Plan(t.Context(), "AAAAAA"); err != nil || !p.All || len(p.Quotas) != 0 || p.RequestsPerMinute != 0 {
		t.Errorf("a new tenant's plan is %+v, %v; want no limits", p, err)
	}
	if !id.Tenant.Plan.Has(tenant.EntitledTrust) {
		t.Error("an identity comes without its plan")
	}
	tests := []struct {
		name   string
		change func(*tenant.Plan)
		field  string // "" accepted
	}{
		{"words", func(p *tenant.Plan) {
			p.All, p.Entitled = false, []tenant.Entitlement{tenant.EntitledStamps, tenant.EntitledHistory}
		}, ""},
		{"rate", func(p *tenant.Plan) { p.RequestsPerMinute = 90 }, ""},
		{"quota", func(p *tenant.Plan) { p.Quotas[tenant.KindDocuments] = 0 }, ""},
		{"unknown entitlement", func(p *tenant.Plan) { p.Entitled = append(p.Entitled, "stamps templates") }, "entitlements"},
		{"negative quota", func(p *tenant.Plan) { p.Quotas[tenant.KindStamps] = -1 }, "quotas"},
		{"unknown kind", func(p *tenant.Plan) { p.Quotas["x"] = 1 }, "quotas"},
		{"lifecycle", func(p *tenant.Plan) { p.Quotas[tenant.KindLifecycle] = 1 }, "quotas"},
		{"negative rate", func(p *tenant.Plan) { p.RequestsPerMinute = -1 }, "requestsPerMinute"},
	}
	for _, tt := range tests {
		_, err := b.Tenants.ChangePlan(t.Context(), "AAAAAA", tt.change)
		if f := fault.As(err); (tt.field == "") != (err == nil) || f != nil && f.Fields[tt.field] == nil {
			t.Errorf("%s: %v, want a complaint about %q", tt.name, err, tt.field)
		}
	}
	p, err := b.Tenants.Plan(t.Context(), "aaaaaa")
	if err != nil || p.All || !slices.Equal(p.Entitled, []tenant.Entitlement{tenant.EntitledStamps, tenant.EntitledHistory}) ||
		p.RequestsPerMinute != 90 || len(p.Quotas) != 1 || p.Quotas[tenant.KindDocuments] != 0 {
		t.Errorf("plan %+v, %v", p, err)
	}
	if _, err := b.Tenants.ChangePlan(t.Context(), "NOBODY", func(*tenant.Plan) {}); !fault.Is(err, fault.NotFound) {
		t.Errorf("unknown tenant: %v", err)
	}
}

func TestMonth(t *testing.T) {
	t.Parallel()
	east := time.FixedZone("", 14*3600)
	if m := tenant.MonthOf(time.Date(2027, 1, 1, 13, 0, 0, 0, east)); m != 202612 || m.String() != "2026-12" || m.Next() != 202701 {
		t.Errorf("month %v, next %v", m, m.Next())
	}
	if m, err := tenant.ParseMonth("2026-11"); err != nil || m != 202611 || !m.Start().Equal(time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("%v, %v", m, err)
	}
	for _, s := range []string{"", "2026", "2026-13", "11-2026", "2026-11-01", "1999-01"} {
		if _, err := tenant.ParseMonth(s); err == nil {
			t.Errorf("ParseMonth(%q) is no error", s)
		}
	}
}
