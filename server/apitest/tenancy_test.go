package apitest

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"

	"tcode/server/internal/harness"
	"tcode/server/tenant"
)

// plan changes a tenant's plan.
func plan(r *harness.Rig, ref string, change func(*tenant.Plan)) {
	r.T.Helper()
	if _, err := r.Admin.Tenants.ChangePlan(r.T.Context(), ref, change); err != nil {
		r.T.Fatal(err)
	}
}

func stampBody(name string) map[string]any {
	return map[string]any{"name": name, "documentTypeCode": "DIP", "pdf": base64.StdEncoding.EncodeToString(harness.PDF(name))}
}

// TestPlans: a gateway answers a request that the plan refuses with 403 FORBIDDEN
// and the reason. A tenant can still read and revoke its earlier stamps.
func TestPlans(t *testing.T) {
	t.Parallel()
	r := harness.Start(t)
	key := r.Tenant("ACME01")
	create := func(name string) harness.Answer {
		return r.Post(key, "/v1/tcode/stamps", stampBody(name))
	}
	forbidden := func(a harness.Answer, reason string) {
		t.Helper()
		r.WantCode(a, http.StatusForbidden, "FORBIDDEN")
		if a.Body["reason"] != reason {
			t.Errorf("reason %v, want %s: %s", a.Body["reason"], reason, a.Raw)
		}
	}
	plan(r, "ACME01", func(p *tenant.Plan) { p.Quotas[tenant.KindStamps] = 1 })
	id := r.Want(create("one"), http.StatusCreated).Data()["id"].(string)
	forbidden(create("two"), "quota_exceeded")
	plan(r, "ACME01", func(p *tenant.Plan) { p.All, p.Entitled = false, []tenant.Entitlement{tenant.EntitledTemplates} })
	forbidden(create("three"), "not_entitled")
	r.Want(r.Get(key, "/v1/tcode/stamps/"+id), http.StatusOK)
	trace := strings.Repeat("1f", 16)
	r.Want(r.Do(harness.Request{
		Method: "POST", Path: "/v1/tcode/stamps/" + id + "/revoke", Key: key, Body: map[string]any{"reason": "lost"},
		Header: http.Header{"Traceparent": {"00-" + trace + "-00f067aa0ba902b7-01"}},
	}), http.StatusNoContent)
	if err := r.Admin.Tenants.Suspend(t.Context(), "ACME01"); err != nil {
		t.Fatal(err)
	}
	forbidden(create("four"), "tenant_suspended")
	forbidden(r.Get(key, "/v1/tcode/stamps/"+id), "tenant_suspended")

	rows, err := r.Admin.Tenants.Audit(t.Context(), tenant.AuditFilter{Tenant: "ACME01", Action: "stamp."})
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 2 || rows[0].Action != "stamp.revoke" || rows[0].By.TraceID != trace || rows[0].Subject != id ||
		rows[1].Action != "stamp.create" || !strings.Contains(key, rows[1].By.Name) || len(rows[1].By.TraceID) != 32 {
		t.Errorf("audit rows %+v", rows)
	}
}

// TestRateByPlan: a gateway limits a key to its tenant's rate and names the rate in
// headers. A change of the plan applies from the next request on.
func TestRateByPlan(t *testing.T) {
	t.Parallel()
	r := harness.Start(t)
	key := r.Tenant("ACME01")
	list := func() harness.Answer { return r.Get(key, "/v1/tcode/stamps") }
	plan(r, "ACME01", func(p *tenant.Plan) { p.RequestsPerMinute = 3 })
	for range 3 {
		a := r.Want(list(), http.StatusOK)
		if got := a.Header.Get("RateLimit-Policy"); !strings.Contains(got, "q=3;w=60") {
			t.Errorf("RateLimit-Policy %q", got)
		}
	}
	a := r.WantCode(list(), http.StatusTooManyRequests, "RATE_LIMITED")
	if a.Header.Get("Retry-After") == "" || a.Header.Get("RateLimit") == "" {
		t.Errorf("headers %v", a.Header)
	}
	plan(r, "ACME01", func(p *tenant.Plan) { p.RequestsPerMinute = 60_000 })
	// A thousand requests are refilled each second, so that one is allowed soon.
	for a = list(); a.StatusCode == http.StatusTooManyRequests; {
		a = list()
	}
	r.Want(a, http.StatusOK)
}

// TestOneAnswerForBadKeys: a gateway says what is wrong with a key, and gives one answer to an unknown
// key and to a wrong secret: a secret cannot be guessed in parts.
func TestOneAnswerForBadKeys(t *testing.T) {
	t.Parallel()
	r := harness.Start(t)
	good := r.Tenant("ACME01")
	ctx := t.Context()
	revoked, err := r.Admin.Tenants.CreateKey(ctx, "ACME01", tenant.KeyOptions{Name: "revoked"})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Admin.Tenants.RevokeKey(ctx, "ACME01", revoked.Prefix); err != nil {
		t.Fatal(err)
	}
	const unknown = "this gateway does not know the API key"
	for name, tt := range map[string]struct {
		values []string
		said   string
	}{
		"missing":        {nil, "is missing"},
		"empty":          {[]string{""}, "is missing"},
		"malformed":      {[]string{"hello"}, "does not hold a whole API key"},
		"unknown":        {[]string{"tck_live_AAAAAAAA_" + strings.Repeat("A", 32)}, unknown},
		"wrong":          {[]string{good[:len(good)-4] + "AAAA"}, unknown},
		"revoked, wrong": {[]string{wrongSecret(revoked.Secret)}, unknown},
		"revoked":        {[]string{revoked.Secret}, "this API key was revoked at 2"},
		"twice":          {[]string{good, good}, "is there twice"},
	} {
		h := http.Header{}
		if tt.values != nil {
			h["X-Api-Key"] = tt.values
		}
		a := r.WantCode(r.Do(harness.Request{Method: "GET", Path: "/v1/tcode/stamps", Header: h}), http.StatusUnauthorized, "UNAUTHORIZED")
		if !strings.Contains(string(a.Raw), tt.said) {
			t.Errorf("%s: %s, want %s", name, a.Raw, tt.said)
		}
	}
	r.Want(r.Get(good, "/v1/tcode/stamps"), http.StatusOK)
}

// TestQuotaOfRequests: a gateway refuses requests with a key beyond the quota, but
// never a revocation.
func TestQuotaOfRequests(t *testing.T) {
	t.Parallel()
	r := harness.Start(t)
	key := r.Tenant("ACME01")
	id := r.Stamp(key, "a").Id.String()
	plan(r, "ACME01", func(p *tenant.Plan) { p.Quotas[tenant.KindRequests] = 3 })
	get := func() harness.Answer {
		return r.Get(key, "/v1/tcode/stamps/"+id)
	}
	for range 2 { // the stamp was the first
		r.Want(get(), http.StatusOK)
	}
	if a := r.WantCode(get(), http.StatusForbidden, "FORBIDDEN"); a.Body["reason"] != "quota_exceeded" {
		t.Errorf("reason %v", a.Body["reason"])
	}
	r.Want(r.Post(key, "/v1/tcode/stamps/"+id+"/revoke", map[string]any{}), http.StatusNoContent)
}

// TestEntitlements: the operations of a list need an entitlement of the plan. All
// others are open to each tenant, with any plan.
func TestEntitlements(t *testing.T) {
	t.Parallel()
	want := map[string]tenant.Entitlement{
		"createStamp": tenant.EntitledStamps, "replaceStamp": tenant.EntitledStamps, "checkDuplicate": tenant.EntitledStamps,
		"createPlacementTemplate": tenant.EntitledTemplates, "updatePlacementTemplate": tenant.EntitledTemplates, "patchPlacementTemplate": tenant.EntitledTemplates, "patchTdocTemplate": tenant.EntitledTemplates,
		"duplicatePlacementTemplate": tenant.EntitledTemplates, "createTdocTemplate": tenant.EntitledTemplates,
		"updateTdocTemplate": tenant.EntitledTemplates, "unarchiveTdocTemplate": tenant.EntitledTemplates,
	}
	w := newWorld(t)
	for _, id := range w.there() {
		e, needs := want[id]
		if !needs && !mine[id] {
			continue
		}
		q := w.ask(id)
		plan(w.Rig, "ACME01", func(p *tenant.Plan) { p.All, p.Entitled = false, nil })
		a := w.Do(q)
		if refused := a.Body["reason"] == "not_entitled" && a.StatusCode == http.StatusForbidden; refused != needs {
			t.Errorf("%s without entitlements: %d %s", id, a.StatusCode, a.Raw)
		}
		if needs {
			plan(w.Rig, "ACME01", func(p *tenant.Plan) { p.Entitled = []tenant.Entitlement{e} })
			if a := w.Do(q); a.StatusCode >= 300 {
				t.Errorf("%s with %s: %d %s", id, e, a.StatusCode, a.Raw)
			}
		}
		plan(w.Rig, "ACME01", func(p *tenant.Plan) { p.All = true })
	}
}

// mine are the operations on a tenant's own records, which no plan closes.
var mine = map[string]bool{
	"listStamps": true, "getStamp": true, "downloadStamp": true, "suspendStamp": true, "reactivateStamp": true, "revokeStamp": true,
	"listPlacementTemplates": true, "getPlacementTemplate": true, "deletePlacementTemplate": true,
	"listTdocTemplates": true, "getTdocTemplate": true, "deleteTdocTemplate": true, "archiveTdocTemplate": true, "getTdocCsvFields": true,
}
