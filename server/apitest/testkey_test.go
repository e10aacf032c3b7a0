package apitest

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"tcode/server/internal/harness"
	"tcode/server/store/storetest"
	"tcode/server/tenant"
)

// testKey makes a test key.
func testKey(r *harness.Rig, reference string) string {
	r.T.Helper()
	made, err := r.Admin.Tenants.CreateKey(r.T.Context(), reference, tenant.KeyOptions{Name: "t", Test: true})
	must(r.T, err)
	return made.Secret
}

// templateChanges are the operations that change the templates of live documents.
var templateChanges = []string{"update", "patch", "delete", "archive", "unarchive", "place"}

// TestTestKeysReachNothingLive: a gateway answers a request with a test key for a
// live record like one for an unknown id, and does not change the record. A test
// key cannot change templates.
func TestTestKeysReachNothingLive(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		w := newWorldOn(t, e)
		test := testKey(w.Rig, "ACME01")
		hidden, forbidden, lists, managed := 0, 0, 0, 0
		for _, id := range w.there() {
			op := operations()[id]
			if !op.protected {
				continue
			}
			q := w.ask(id)
			q.Key = test
			a := w.Do(q)
			ofTemplate, changes := strings.Contains(op.path, "templates"), false
			for _, verb := range templateChanges {
				changes = changes || strings.HasPrefix(id, verb)
			}
			switch {
			case op.scope() == tenant.ScopeManage: // keys, webhooks and devices are those of live documents
				managed++
				if w.WantCode(a, http.StatusForbidden, "FORBIDDEN"); a.Body["reason"] != "missing_scope" {
					t.Errorf("%s: %s", id, a.Raw)
				}
			case ofTemplate && changes:
				forbidden++
				if w.WantCode(a, http.StatusForbidden, "FORBIDDEN"); a.Body["reason"] != "test_key" {
					t.Errorf("%s: %s", id, a.Raw)
				}
			case !ofTemplate && strings.Contains(op.path, "{"):
				hidden++
				q.Path = strings.Replace(op.path, "{id}", anonymous, 1)
				q.Path = strings.Replace(q.Path, "{jobId}", anonymous, 1)
				if got, want := unsigned(a), unsigned(w.Do(q)); a.StatusCode != http.StatusNotFound || got != want {
					t.Errorf("%s: %d %s, an unknown id %s", id, a.StatusCode, got, want)
				}
			case a.StatusCode >= 300:
				t.Errorf("%s: %d %s", id, a.StatusCode, a.Raw)
			case strings.HasPrefix(id, "list") && !ofTemplate:
				lists++
				for _, live := range append(slices.Collect(maps.Values(w.jobs)), w.Standing.Id.String(), w.Document.Id.String()) {
					if strings.Contains(string(a.Raw), live) {
						t.Errorf("%s lists %s, which is live: %s", id, live, a.Raw)
					}
				}
			}
		}
		if hidden < 20 || forbidden != 14 || lists != 4 || managed < 20 {
			t.Errorf("%d operations by id, %d changes of templates, %d lists, %d of management", hidden, forbidden, lists, managed)
		}
	})
}

// unsigned returns an answer without its trace id.
func unsigned(a harness.Answer) string {
	return strings.ReplaceAll(string(a.Raw), a.Header.Get("TCode-Trace-Id"), "")
}

// TestTestAndLive: test documents and live ones are separate: in their external
// ids, their Idempotency-Keys, the answers to a hash, and lists.
func TestTestAndLive(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		r := harness.StartOn(t, e)
		live := r.Tenant("ACME01")
		test := testKey(r, "ACME01")
		stamp := func(key string) map[string]any {
			t.Helper()
			a := r.Do(harness.Request{
				Method: "POST", Path: "/v1/tcode/stamps", Key: key, Body: harness.StampBody("same", "externalId", "E-1"),
				Header: http.Header{"Idempotency-Key": {"once"}},
			})
			return r.Want(a, http.StatusCreated).Data()
		}
		real := stamp(live)
		rehearsal := stamp(test)
		if real["id"] == rehearsal["id"] || stamp(test)["id"] != rehearsal["id"] || stamp(live)["id"] != real["id"] {
			t.Fatalf("live %v, test %v", real, rehearsal)
		}
		r.WantCode(r.Post(test, "/v1/tcode/stamps", harness.StampBody("same", "externalId", "E-1")), 409, "DUPLICATE")
		check := func(key string) string {
			a := r.Post(key, "/v1/tcode/stamps/duplicate-check", map[string]any{"externalId": "E-1", "sha256": real["originalSha256"]})
			return fmt.Sprint(r.Want(a, 200).Data()["matches"])
		}
		if got := check(live); !strings.Contains(got, real["id"].(string)) || strings.Contains(got, rehearsal["id"].(string)) {
			t.Errorf("duplicates of live: %s", got)
		}
		if got := check(test); strings.Contains(got, real["id"].(string)) || !strings.Contains(got, rehearsal["id"].(string)) {
			t.Errorf("duplicates of tests: %s", got)
		}

		// The live document is revoked, and each operation says so.
		r.Want(r.Post(live, "/v1/tcode/stamps/"+real["id"].(string)+"/revoke", nil), 204)
		a := r.Want(r.Get("", "/v1/tcode/verify/hash/"+real["originalSha256"].(string)), 200)
		if d := a.Data(); d["verdict"] != "revoked" || d["test"] != false || d["matchCount"] != float64(1) {
			t.Errorf("by hash: %s", a.Raw)
		}
		r.Want(r.Get("", "/v1/tcode/verify/reference/"+rehearsal["reference"].(string)), 200)
		for _, tt := range []struct {
			key, path string
			want      int
		}{
			{live, "/v1/tcode/stamps", 2},
			{test, "/v1/tcode/stamps", 1},
			{test, "/v1/tcode/stamps?Search=same&Status=Active&DateRange=today", 1},
			{test, "/v1/tcode/stamps?Search=E-1", 1},
			{test, "/v1/tcode/stamps?Status=Revoked", 0},
		} {
			a := r.Want(r.Get(tt.key, tt.path), 200)
			if a.Body["totalCount"] != float64(tt.want) || len(a.Body["items"].([]any)) != tt.want {
				t.Errorf("%s with %.9s: %s", tt.path, tt.key, a.Raw)
			}
		}
		// A test key gets the public answers about live documents.
		a = r.Want(r.Get(test, "/v1/tcode/verify/reference/"+real["reference"].(string)), 200)
		if a.Data()["name"] != nil {
			t.Errorf("the name of a live document: %s", a.Raw)
		}
		history := func(key string) (refs string) {
			a := r.Want(r.Get(key, "/v1/tcode/verify/history"), 200)
			return fmt.Sprint(a.Body["items"])
		}
		for !strings.Contains(history(live), rehearsal["reference"].(string)) {
			time.Sleep(10 * time.Millisecond) // the gateway writes the history in groups
		}
		if h := history(live); !strings.Contains(h, real["reference"].(string)) {
			t.Errorf("live history: %s", h)
		}
		if h := history(test); strings.Contains(h, real["reference"].(string)) || !strings.Contains(h, rehearsal["reference"].(string)) {
			t.Errorf("history of tests: %s", h)
		}
	})
}

// TestTestQuota: test documents do not count in the quota of live documents, and
// have a quota of the same size.
func TestTestQuota(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		w := newWorldOn(t, e)
		test := testKey(w.Rig, "ACME01")
		used := func(kind tenant.Kind) (n int64) {
			t.Helper()
			must(t, w.Admin.Tenants.FlushRequests(t.Context()))
			us, err := w.Admin.Tenants.Usage(t.Context(), "ACME01", 0)
			must(t, err)
			for _, u := range us {
				if u.Kind == kind {
					n = u.Used
				}
			}
			return n
		}
		const more = 2
		_, err := w.Admin.Tenants.ChangePlan(t.Context(), "ACME01", func(p *tenant.Plan) {
			p.Quotas = map[tenant.Kind]int64{
				tenant.KindStamps: used(tenant.KindStamps) + more, tenant.KindDocuments: used(tenant.KindDocuments) + more,
				tenant.KindBulkJobs: used(tenant.KindBulkJobs) + more,
			}
		})
		must(t, err)
		asks := map[tenant.Kind]func() harness.Request{
			tenant.KindStamps:    func() harness.Request { return harness.Request{Path: "/v1/tcode/stamps", Body: harness.StampBody("n")} },
			tenant.KindDocuments: func() harness.Request { return harness.Request{Path: harness.DocumentsPath, Body: w.IssuanceBody()} },
			tenant.KindBulkJobs:  func() harness.Request { return w.ask("createTcodeBulkJob") },
		}
		// Jobs come last: their rows count in the quota of stamps.
		for _, kind := range []tenant.Kind{tenant.KindStamps, tenant.KindDocuments, tenant.KindBulkJobs} {
			had, ask := used(kind), asks[kind]
			try := func(key string) harness.Answer {
				q := ask()
				q.Method, q.Key = "POST", key
				return w.Do(q)
			}
			for range had + more {
				w.Want(try(test), http.StatusCreated)
			}
			if a := w.WantCode(try(test), http.StatusForbidden, "FORBIDDEN"); a.Body["reason"] != "quota_exceeded" {
				t.Errorf("%s: %s", kind, a.Raw)
			}
			if live, apart := used(kind), used(kind.Of(true)); live != had || apart != had+more {
				t.Errorf("%s: %d and, of tests, %d; want %d and %d", kind, live, apart, had, had+more)
			}
			for range more {
				w.Want(try(w.Key), http.StatusCreated)
			}
			w.WantCode(try(w.Key), http.StatusForbidden, "FORBIDDEN")
			q := ask() // a test document of a live key counts as a test document, too
			if q.Method, q.Key = "POST", w.Key; kind == tenant.KindStamps {
				q.Body.(map[string]any)["modeType"] = "test"
				w.WantCode(w.Do(q), http.StatusForbidden, "FORBIDDEN")
			}
		}
		for used(tenant.KindRequests.Of(true)) == 0 {
			time.Sleep(10 * time.Millisecond) // the gateway writes them each second
		}
	})
}

// TestHashOfManyIssuers: the answer to the hash of an original with stamps of
// several issuers names the issuer of the first live stamp, and no other.
func TestHashOfManyIssuers(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		r := harness.StartOn(t, e)
		late, first, other := r.Tenant("LATE01"), r.Tenant("ACME01"), r.Tenant("OTHER1")
		test := testKey(r, "OTHER1")
		stamp := func(key string) map[string]any {
			t.Helper()
			return r.Want(r.Post(key, "/v1/tcode/stamps", harness.StampBody("same")), 201).Data()
		}
		hash := stamp(test)["originalSha256"].(string) // the first of all, and a test document
		want := func(issuer, verdict string, count int, test bool) {
			t.Helper()
			for _, key := range []string{"", first, other, late} { // for each caller
				a := r.Want(r.Get(key, "/v1/tcode/verify/hash/"+hash), 200)
				d := a.Data()
				if test { // only test keys find it
					if d["verdict"] != "not_found" || d["test"] != true || failedCheck(d) != "not_test" {
						t.Errorf("a test document: %s", a.Raw)
					}
					continue
				}
				if d["issuerReference"] != issuer || d["verdict"] != verdict || d["matchCount"] != float64(count) || d["test"] != test || d["matchedOn"] != "original" {
					t.Errorf("want %s %s %d: %s", issuer, verdict, count, a.Raw)
				}
			}
		}
		want("OTHER1", "valid", 1, true)
		one := stamp(first)
		want("ACME01", "valid", 1, false)
		stamp(other)
		stamp(late)
		stamp(late)
		want("ACME01", "valid", 1, false)
		revoke := func(id any) {
			t.Helper()
			r.Want(r.Post(first, fmt.Sprintf("/v1/tcode/stamps/%s/revoke", id), nil), 204)
		}
		revoke(one["id"])
		want("ACME01", "revoked", 1, false)
		two := stamp(first)
		want("ACME01", "valid", 2, false)
		revoke(two["id"])
		stamp(other)
		want("ACME01", "revoked", 2, false)
	})
}

// TestHashOfManyIssuersOfDocuments is the same for Trust documents.
func TestHashOfManyIssuersOfDocuments(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		r := harness.StartOn(t, e)
		keys := map[string]string{"first": r.Tenant("ACME01"), "other": r.Tenant("OTHER1"), "test": testKey(r, "OTHER1")}
		templates := map[string]any{}
		for name, key := range keys {
			a := r.Post(key, "/v1/trust/templates", map[string]any{
				"name": "t", "documentTypeCode": "DIP", "fields": []any{map[string]any{"key": "holder", "label": "H", "type": "text", "required": false}},
			})
			templates[name] = r.Want(a, 201).Data()["id"]
		}
		issue := func(name string) (id any) {
			t.Helper()
			a := r.Post(keys[name], "/v1/trust/issuances", map[string]any{
				"templateId": templates[name], "recipientName": fmt.Sprint("Ada ", harness.Serial()), "pdf": harness.PDFBase64("same"), "fields": []any{},
			})
			return r.Want(a, 201).Data()["id"]
		}
		want := func(issuer, verdict string, count int) {
			t.Helper()
			a := r.Want(r.Post("", "/v1/trust/verify/by-hash", map[string]any{"hash": fmt.Sprintf("%x", sha256.Sum256(harness.PDF("same")))}), 200)
			d := a.Data()
			if count == 0 {
				if d["verdict"] != verdict || d["test"] != true || failedCheck(d) != "not_test" {
					t.Errorf("want %s: %s", verdict, a.Raw)
				}
				return
			}
			if d["issuerReference"] != issuer || d["verdict"] != verdict || d["matchCount"] != float64(count) {
				t.Errorf("want %s %s %d: %s", issuer, verdict, count, a.Raw)
			}
		}
		issue("test")
		want("", "not_found", 0)
		one := issue("first")
		issue("other")
		want("ACME01", "valid", 1)
		r.Want(r.Post(keys["first"], fmt.Sprintf("/v1/trust/issuances/%s/lifecycle", one), map[string]any{"action": "revoke", "reason": "lost"}), 204)
		issue("test")
		want("ACME01", "revoked", 1)
	})
}
