package apitest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"tcode/server"
	"tcode/server/httpapi"
	"tcode/server/internal/harness"
	"tcode/server/tenant"
)

// TestHistoryOfBadKeys: the histories of verifications are empty for a key that is no good, and
// say what is wrong with it. They need none.
//
//engine:sqlite the key decides
func TestHistoryOfBadKeys(t *testing.T) {
	t.Parallel()
	r := harness.Start(t)
	key, stopped := r.Tenant("ACME01"), r.Tenant("STOP01")
	must(t, r.Admin.Tenants.Suspend(t.Context(), "STOP01"))
	narrow, err := r.Admin.Tenants.CreateKey(t.Context(), "ACME01",
		tenant.KeyOptions{Name: "narrow", Scopes: []tenant.Scope{tenant.ScopeStamp}})
	must(t, err)
	old, err := r.Admin.Tenants.CreateKey(t.Context(), "ACME01", tenant.KeyOptions{Name: "old"})
	must(t, err)
	must(t, r.Admin.Tenants.RevokeKey(t.Context(), "ACME01", old.Prefix))
	gone := old.Secret
	for _, path := range []string{"/v1/tcode/verify/history", "/v1/trust/verify/history"} {
		for bad, problem := range map[string]string{
			"tck_live_bad":         "does not hold a whole API key",
			"x":                    "does not hold a whole API key",
			key + "0":              "does not hold a whole API key",
			key[:len(key)-1] + "-": "does not hold a whole API key",
			wrongSecret(key):       "does not know the API key",
			gone:                   "was revoked at 20",
			stopped:                "this tenant is suspended",
			narrow.Secret:          "lacks the scope verify-history",
			key:                    "",
			"":                     "",
		} {
			a := r.Want(r.Get(bad, path), 200)
			if got := a.Header.Get("X-Api-Key-Problem"); a.Body["totalCount"] != 0.0 ||
				!strings.Contains(got, problem) || (got == "") != (problem == "") {
				t.Errorf("%s with key %q: %s, problem %q, want %q", path, bad, a.Raw, got, problem)
			}
		}
		two := r.Get(key, path+"?From=2026-01-02&To=2026-01-01")
		if a := r.WantCode(two, 400, "VALIDATION_FAILED"); !strings.Contains(string(a.Raw), `"To":`) {
			t.Errorf("To before From: %s", a.Raw)
		}
	}
	a := r.Want(r.Get("tck_live_bad", "/v1/tcode/verify/reference/TCR-0000000000000000"), 200)
	if a.Header.Get("X-Api-Key-Problem") == "" {
		t.Errorf("a look-up: %v", a.Header)
	}
}

// wrongSecret returns a key with the same prefix and another secret.
func wrongSecret(key string) string {
	last := byte('A')
	if key[len(key)-1] == last {
		last = 'B'
	}
	return key[:len(key)-1] + string(last)
}

// TestContextOfVerification: the history of the issuer keeps the context that came
// with a payload.
func TestContextOfVerification(t *testing.T) {
	t.Parallel()
	r := harness.Start(t)
	key := r.Tenant("ACME01")
	st := r.Stamp(key, "n")
	text := string(r.Download(key, st.Id.String(), "payload"))
	a := r.Want(r.Post("", "/v1/tcode/verify", map[string]any{
		"payload": text, "context": map[string]any{"scannerId": "gate-4", "location": "Main entrance"},
	}), 200)
	if a.Header.Get("X-Ignored-Properties") != "" {
		t.Errorf("ignored: %v", a.Header)
	}
	r.WantCode(r.Post("", "/v1/tcode/verify", map[string]any{"payload": text, "context": map[string]any{"scannerId": 4}}), 400, "VALIDATION_FAILED")
	r.Want(r.Post("", "/v1/tcode/verify", map[string]any{"payload": text}), 200)
	var items []any
	for len(items) < 2 {
		items = r.Want(r.Get(key, "/v1/tcode/verify/history"), 200).Body["items"].([]any)
		time.Sleep(10 * time.Millisecond) // the gateway writes the history in groups
	}
	if said := items[1].(map[string]any); said["scannerId"] != "gate-4" || said["location"] != "Main entrance" || said["method"] != "payload" {
		t.Errorf("with a context: %v", said)
	}
	if silent := items[0].(map[string]any); silent["scannerId"] != nil || silent["location"] != nil {
		t.Errorf("without: %v", silent)
	}
	for i, item := range items {
		e := item.(map[string]any)
		if e["test"] != false || e["id"] == "" || i > 0 && e["id"] == items[0].(map[string]any)["id"] {
			t.Errorf("entry %d: %v", i, e)
		}
	}
	scans := r.Want(r.Get(key, "/v1/tcode/verify/document/"+st.Reference+"/scans"), 200).Body["items"].([]any)
	if len(scans) != 1 {
		t.Fatalf("scans: %v", scans)
	}
	if s := scans[0].(map[string]any); s["scannerId"] != "gate-4" || s["location"] != "Main entrance" || s["gatewayVerdict"] != "valid" || s["signed"] != false {
		t.Errorf("the scan: %v", s)
	}
	today := time.Now().UTC().Format(time.DateOnly)
	for query, want := range map[string]float64{
		"": 2, "?From=" + today: 2, "?To=" + today: 2, "?From=2099-01-01": 0, "?to=2020-01-01": 0,
	} {
		if a := r.Want(r.Get(key, "/v1/tcode/verify/history"+query), 200); a.Body["totalCount"] != want {
			t.Errorf("%s: %v, want %v", query, a.Body["totalCount"], want)
		}
	}
}

// TestVerificationsAreClaims: a verification that names its scanner is a scan within the budgets of
// claims, and is answered when they are used up.
func TestVerificationsAreClaims(t *testing.T) {
	t.Parallel()
	r := harness.Start(t, func(c *server.Config) { c.Limits = &httpapi.Limits{ScansPerMinute: 2} })
	key := r.Tenant("ACME01")
	st := r.Stamp(key, "n")
	text := string(r.Download(key, st.Id.String(), "payload"))
	for range 3 {
		a := r.Want(r.Post("", "/v1/tcode/verify", map[string]any{"payload": text, "context": map[string]any{"scannerId": "gate-4"}}), 200)
		if a.Data()["verdict"] != "valid" {
			t.Errorf("%s", a.Raw)
		}
	}
	for _, scanner := range []any{"no scanner has spaces", nil} {
		r.Want(r.Post("", "/v1/tcode/verify", map[string]any{"payload": text, "context": map[string]any{"scannerId": scanner, "location": "x"}}), 200)
	}
	if scans := r.Want(r.Get(key, "/v1/tcode/verify/document/"+st.Reference+"/scans"), 200); scans.Body["totalCount"] != 2.0 {
		t.Errorf("scans: %s", scans.Raw)
	}
}

// TestReasonOfOriginal: the answer to the hash of a file that was stamped, and is not
// stamped itself, says so.
func TestReasonOfOriginal(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	one := w.Want(w.Post(w.Key, "/v1/tcode/stamps", harness.StampBody("same")), 201).Data()
	two := w.Want(w.Post(w.Key, "/v1/tcode/stamps", harness.StampBody("same")), 201).Data()
	look := func(hash any) map[string]any {
		t.Helper()
		return w.Want(w.Get("", fmt.Sprint("/v1/tcode/verify/hash/", hash)), 200).Data()
	}
	const want = "matchedOn: original. This file is an original of 2 stamped documents, and is itself not stamped."
	if d := look(one["originalSha256"]); d["verdict"] != "valid" || d["reason"] != want {
		t.Errorf("the original: %v", d)
	}
	if d := look(two["stampedSha256"]); d["verdict"] != "valid" || d["reason"] != nil {
		t.Errorf("the stamped file: %v", d)
	}
	ask := func(hash any) map[string]any {
		t.Helper()
		return w.Want(w.Post("", "/v1/trust/verify/by-hash", map[string]any{"hash": hash}), 200).Data()
	}
	body := w.IssuanceBody()
	body["issuancePath"] = "tcode"
	if d := ask(w.Issued(body)["pdfSha256"]); d["verdict"] != "valid" || !strings.Contains(fmt.Sprint(d["reason"]), "an original of a stamped document") {
		t.Errorf("the original of a document: %v", d)
	}
	if d := ask(*w.Document.PdfSha256); d["verdict"] != "valid" || d["reason"] != nil { // it has no TCode: the file is the document
		t.Errorf("a document's own file: %v", d)
	}
}
