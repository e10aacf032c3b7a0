package apitest

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tcode/server"
	"tcode/server/internal/harness"
	"tcode/server/store/storetest"
)

// failedCheck returns the name of the check that fails in a verdict, or "".
func failedCheck(verdict map[string]any) string {
	checks, _ := verdict["checks"].([]any)
	for _, c := range checks {
		if c := c.(map[string]any); c["status"] == "fail" {
			return c["name"].(string)
		}
	}
	return ""
}

// verdictsOf requests the verdicts on a stamp, and on its document if it has one,
// with every operation that gives a verdict.
func (w *world) verdictsOf(key string, stamp, document map[string]any, payload string) map[string]map[string]any {
	w.T.Helper()
	ref := stamp["reference"].(string)
	asks := map[string]harness.Request{
		"reference":     {Method: "GET", Path: "/v1/tcode/verify/reference/" + ref},
		"original hash": {Method: "GET", Path: fmt.Sprint("/v1/tcode/verify/hash/", stamp["originalSha256"])},
		"stamped hash":  {Method: "GET", Path: fmt.Sprint("/v1/tcode/verify/hash/", stamp["stampedSha256"])},
		"payload":       {Method: "POST", Path: "/v1/tcode/verify", Body: map[string]any{"payload": payload}},
		"twin":          {Method: "GET", Path: "/v1/tcode/verify/digital-twin/" + ref},
	}
	if document != nil {
		asks["document"] = harness.Request{Method: "POST", Path: "/v1/trust/verify/by-reference", Body: map[string]any{"reference": document["reference"]}}
		asks["document hash"] = harness.Request{Method: "POST", Path: "/v1/trust/verify/by-hash", Body: map[string]any{"hash": document["contentSha256"]}}
	}
	out := map[string]map[string]any{}
	for name, q := range asks {
		q.Key = key
		d := w.Want(w.Do(q), http.StatusOK).Data()
		if name == "twin" {
			v := d["verification"].(map[string]any)
			if s, ok := d["stamp"].(map[string]any); ok {
				v["status"] = s["status"]
			}
			d = v
		}
		out[name] = d
	}
	return out
}

// TestTestDocumentsAreNotFound: without a test key, no verdict on a test document
// looks like the verdict on a real one.
func TestTestDocumentsAreNotFound(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		w := newWorldOn(t, e)
		test := testKey(w.Rig, "ACME01")
		body := w.IssuanceBody()
		body["modeType"], body["issuancePath"] = "test", "both"
		document := w.Issued(body)
		id := document["stamp"].(map[string]any)["id"].(string)
		stamp := w.Want(w.Get(test, "/v1/tcode/stamps/"+id), 200).Data()
		text := string(w.Download(test, id, "payload"))
		asked := 0
		for _, key := range []string{"", w.Key, w.Tenant("OTHER1")} {
			for name, d := range w.verdictsOf(key, stamp, document, text) {
				asked++
				if d["verdict"] != "not_found" || failedCheck(d) != "not_test" {
					t.Errorf("%s: %v", name, d)
				}
			}
		}
		for name, d := range w.verdictsOf(test, stamp, document, text) {
			asked++
			if d["verdict"] != "valid" || failedCheck(d) != "" {
				t.Errorf("%s with a test key: %v", name, d)
			}
		}
		if asked != 28 {
			t.Errorf("%d verdicts", asked)
		}
		for _, ref := range []any{stamp["reference"], document["reference"]} {
			a := w.Get("", fmt.Sprint("/d/", ref))
			if a.StatusCode != 404 || !strings.Contains(string(a.Raw), "It proves nothing: it was made to try things out.") || strings.Contains(string(a.Raw), "Tenant ACME01") {
				t.Errorf("page of %s: %d\n%s", ref, a.StatusCode, a.Raw)
			}
		}
	})
}

// TestListsSayTest: each record of a list says whether it is a test document, and a
// filter limits a list to one kind.
func TestListsSayTest(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		w := newWorldOn(t, e)
		made := map[string]map[any]bool{"/v1/tcode/stamps": {w.Standing.Id.String(): false}, harness.DocumentsPath: {w.Document.Id.String(): false}}
		rehearsal := w.Stamp(testKey(w.Rig, "ACME01"), "standing")
		made["/v1/tcode/stamps"][rehearsal.Id.String()] = true
		body := w.IssuanceBody()
		body["modeType"] = "test"
		made[harness.DocumentsPath][w.Issued(body)["id"]] = true
		for path, want := range made {
			for query, kinds := range map[string][]bool{"": {false, true}, "Test=true": {true}, "Test=false": {false}, "Test=false&Search=standing": {false}} {
				seen := 0
				for _, it := range w.Want(w.Get(w.Key, path+"?"+query), 200).Body["items"].([]any) {
					it := it.(map[string]any)
					isTest, known := want[it["id"]]
					if !known {
						continue
					}
					if seen++; it["test"] != isTest || len(kinds) == 1 && isTest != kinds[0] {
						t.Errorf("%s?%s: %v", path, query, it)
					}
				}
				if seen != len(kinds) && !(path == harness.DocumentsPath && strings.Contains(query, "Search")) {
					t.Errorf("%s?%s lists %d of them", path, query, seen)
				}
			}
		}
	})
}

// TestOneStory: each operation gives the same verdict and status for the stamp
// of an expired document, and for the stamp of a suspended issuer.
func TestOneStory(t *testing.T) {
	t.Parallel()
	var ahead atomic.Int64
	w := newWorld(t, func(c *server.Config) {
		c.Now = func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
	})
	body := w.IssuanceBody()
	body["issuancePath"], body["expiresAt"] = "both", time.Now().Add(time.Hour).UTC().Format(time.RFC3339)
	document := w.Issued(body)
	id := document["stamp"].(map[string]any)["id"].(string)
	stamp := w.Want(w.Get(w.Key, "/v1/tcode/stamps/"+id), 200).Data()
	text := string(w.Download(w.Key, id, "payload"))
	want := func(stampSays, documentSays, page string) {
		t.Helper()
		status := map[string]string{"valid": "Active", "suspended": "Suspended", "revoked": "Revoked", "expired": "Expired"}
		for name, d := range w.verdictsOf("", stamp, document, text) {
			verdict := stampSays
			if strings.HasPrefix(name, "document") {
				verdict = documentSays
			}
			if d["verdict"] != verdict || d["status"] != status[verdict] {
				t.Errorf("%s: verdict %v, status %v, want %s", name, d["verdict"], d["status"], verdict)
			}
		}
		for _, ref := range []any{stamp["reference"], document["reference"]} {
			a := w.Want(w.Get("", fmt.Sprint("/d/", ref)), 200)
			if !strings.Contains(string(a.Raw), page) {
				t.Errorf("page of %s lacks %q\n%s", ref, page, a.Raw)
			}
		}
	}
	want("valid", "valid", "REFERENCE IS VALID")
	must(t, w.Admin.Tenants.Suspend(t.Context(), "ACME01"))
	want("suspended", "suspended", "itself is suspended for now")
	must(t, w.Admin.Tenants.Activate(t.Context(), "ACME01"))
	ahead.Store(int64(2 * time.Hour))
	want("revoked", "expired", "EXPIRED")
}

// TestFilesOfSuspendedTenant: a gateway refuses a signed address while the tenant is
// suspended, also one from before the suspension.
func TestFilesOfSuspendedTenant(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		w := newWorldOn(t, e)
		var links []string
		for _, path := range []string{"/v1/tcode/stamps/" + w.Standing.Id.String(), harness.DocumentsPath + "/" + w.Document.Id.String()} {
			links = append(links, w.Want(w.Get(w.Key, path+"/download"), 200).Data()["url"].(string))
		}
		get := func(status int) {
			t.Helper()
			for _, link := range links {
				if a := w.Want(w.Get("", link), status); status == 403 && a.Body["reason"] != "tenant_suspended" {
					t.Errorf("%s", a.Raw)
				}
			}
		}
		get(200)
		must(t, w.Admin.Tenants.Suspend(t.Context(), "ACME01"))
		get(403)
		must(t, w.Admin.Tenants.Activate(t.Context(), "ACME01"))
		get(200)
		other := w.Tenant("OTHER1")
		if a := w.Get("", strings.Replace(links[0], "tenant=ACME01", "tenant=OTHER1", 1)); a.StatusCode != 403 {
			t.Errorf("with another tenant's name, whose key is %.8s: %d", other, a.StatusCode)
		}
	})
}
