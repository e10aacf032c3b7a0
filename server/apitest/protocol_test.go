package apitest

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"tcode/server/internal/harness"
	"tcode/server/tenant"
)

// TestHeadersEmptyOrTwice: a gateway refuses an empty or a repeated header of the
// contract and names it. It does not treat the header as absent.
//
//engine:sqlite the form of the request decides, before a row is read
func TestHeadersEmptyOrTwice(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	tests := []struct {
		operation, header string
		values            []string
	}{
		{"createStamp", "Idempotency-Key", []string{""}},
		{"createStamp", "Idempotency-Key", []string{"a", "b"}},
		{"createPlacementTemplate", "Idempotency-Key", []string{"a", "a"}},
		{"updateTdocTemplate", "If-Match", []string{""}},
		{"deletePlacementTemplate", "If-Match", []string{`"1"`, `"2"`}},
		{"syncScans", "TCode-Batch-Id", []string{"a", "b"}},
	}
	for _, tt := range tests {
		q := w.ask(tt.operation)
		q.Header = http.Header{tt.header: tt.values}
		a := w.Do(q)
		errors, _ := a.Body["errors"].(map[string]any)
		if a.StatusCode != 400 || errors[tt.header] == nil {
			t.Errorf("%s with %s %q: %d %s", tt.operation, tt.header, tt.values, a.StatusCode, a.Raw)
		}
	}
}

// TestAllow: the methods that an address allows have HEAD wherever they have GET,
// and the address answers HEAD.
//
//engine:sqlite the form of the request decides, before a row is read
func TestAllow(t *testing.T) {
	t.Parallel()
	r := harness.Start(t)
	for _, tt := range []struct{ method, path, want string }{
		{"OPTIONS", "/v1/tcode/stamps", "OPTIONS, GET, HEAD, POST"},
		{"DELETE", "/v1/tcode/stamps", "OPTIONS, GET, HEAD, POST"},
		{"POST", "/v1/tcode/verify/history", "OPTIONS, GET, HEAD"},
		{"HEAD", "/v1/tcode/verify", "OPTIONS, POST"},
		{"PUT", "/d/TCR-0000000000000000", "OPTIONS, GET, HEAD"},
	} {
		a := r.Do(harness.Request{Method: tt.method, Path: tt.path})
		want := http.StatusMethodNotAllowed
		if tt.method == "OPTIONS" {
			want = http.StatusNoContent
		}
		if got := a.Header.Get("Allow"); got != tt.want || a.StatusCode != want {
			t.Errorf("%s %s: %d, Allow %q, want %d, %q", tt.method, tt.path, a.StatusCode, got, want, tt.want)
		}
	}
}

// TestEncodedPaths: a gateway decodes each of the encodings of a path once.
//
//engine:sqlite the form of the request decides, before a row is read
func TestEncodedPaths(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ref, id := w.Standing.Reference, w.Standing.Id.String()
	encode := func(s string) string { return fmt.Sprintf("%%%02X", s[0]) + s[1:] }
	object := w.ask("getTrustObject").Path
	cut := strings.LastIndexByte(object, '/') + 1
	for _, path := range []string{
		"/v1/reference-data/trust-store/root/%31",
		object[:cut] + encode(object[cut:]),
		"/v1/tcode/stamps/" + encode(id),
		"/d/" + strings.Replace(ref, "-", "%2D", 1),
		"/v1/reference-data/public-keys/%41CME01",
	} {
		if a := w.Get(w.Key, path); a.StatusCode != 200 {
			t.Errorf("%s: %d %.200s", path, a.StatusCode, a.Raw)
		}
	}
	twice := strings.Replace(ref, "-", "%252D", 1)
	w.Want(w.Get("", "/d/"+twice), 404)
	if d := w.Get("", "/v1/tcode/verify/reference/"+twice).Data(); d["verdict"] != "not_found" {
		t.Errorf("encoded twice: %v", d)
	}
	w.WantCode(w.Get("", "/v1/reference-data/trust-store/root/1%25"), 400, "VALIDATION_FAILED")
}

// TestWholeNumbers: the error of an invalid whole number names its field, and not
// the body.
//
//engine:sqlite the form of the request decides, before a row is read
func TestWholeNumbers(t *testing.T) {
	t.Parallel()
	r := harness.Start(t)
	key := r.Tenant("ACME01")
	for number, want := range map[string]int{"300": 201, "300.0": 400, "3e2": 400, "3E2": 400, "300.5": 400, "1e400": 400, "99999999999": 400} {
		a := r.Want(r.Post(key, placementPath, `{"name":"n","scanSafety":{"targetDpi":`+number+`}}`), want)
		if errors, _ := a.Body["errors"].(map[string]any); want == 400 && errors["scanSafety.targetDpi"] == nil {
			t.Errorf("%s: %s", number, a.Raw)
		}
	}
}

// TestErrorsOfTables: an operation that can answer in CSV answers errors in
// JSON, and says so.
//
//engine:sqlite the form of the request decides, before a row is read
func TestErrorsOfTables(t *testing.T) {
	t.Parallel()
	r := harness.Start(t)
	key := r.Tenant("ACME01")
	for accept, want := range map[string]string{
		"text/csv": "application/json", "text/csv, text/plain;q=0.5": "text/plain; charset=utf-8", "text/csv, application/json;q=0.1": "application/json",
	} {
		q := harness.Request{Method: "GET", Path: tdocPath + "/" + anonymous + "/csv-fields", Key: key, Header: http.Header{"Accept": {accept}}}
		a := r.WantCode(r.Do(q), 404, "NOT_FOUND")
		if got := a.Header.Get("Content-Type"); got != want {
			t.Errorf("Accept %s: error in %s, want %s", accept, got, want)
		}
		q.Key = ""
		if got := r.WantCode(r.Do(q), 401, "UNAUTHORIZED").Header.Get("Content-Type"); got != want {
			t.Errorf("Accept %s without a key: error in %s, want %s", accept, got, want)
		}
	}
}

// TestHistoryNeedsItsEntitlement: a tenant without the entitlement for history gets
// the public part of the history and of scans.
func TestHistoryNeedsItsEntitlement(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	plan := func(e ...tenant.Entitlement) {
		t.Helper()
		if _, err := w.Admin.Tenants.ChangePlan(t.Context(), "ACME01", func(p *tenant.Plan) { p.All, p.Entitled = false, e }); err != nil {
			t.Fatal(err)
		}
	}
	ref := w.Standing.Reference
	b := harness.ScanBody()
	b["items"].([]any)[0].(map[string]any)["reference"] = ref
	w.Want(w.Post("", "/v1/tcode/verify/sync", b), 200)
	w.Want(w.Get("", "/v1/tcode/verify/reference/"+ref), 200)
	count := func(path, key string) float64 {
		t.Helper()
		return w.Want(w.Get(key, path), 200).Body["totalCount"].(float64)
	}
	scanner := func() any {
		t.Helper()
		a := w.Want(w.Get(w.Key, "/v1/tcode/verify/document/"+ref+"/scans"), 200)
		return a.Body["items"].([]any)[0].(map[string]any)["scannerId"]
	}
	plan(tenant.EntitledHistory)
	for count("/v1/tcode/verify/history", w.Key) != 1 { // within a second
		if t.Context().Err() != nil {
			t.Fatal("the history does not fill")
		}
	}
	if scanner() == nil {
		t.Error("with the entitlement the scan has no scanner id")
	}
	plan(tenant.EntitledStamps)
	if n := count("/v1/tcode/verify/history", w.Key); n != 0 {
		t.Errorf("without the entitlement the history has %v entries", n)
	}
	if s := scanner(); s != nil {
		t.Errorf("without the entitlement the scan has the scanner id %v", s)
	}
}

// TestNobodyKeepsAnswers: no cache on the way may keep an answer of the API, also
// no error: the next answer may differ, and the client of another key must not see
// it.
//
//engine:sqlite the texts and headers of the answer decide, not its rows
func TestNobodyKeepsAnswers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	asked := 0
	for _, id := range w.there() {
		if operations()[id].Responses.Status(http.StatusNotAcceptable) == nil {
			continue // files and trust documents, whose own headers say which caches may keep them
		}
		asked++
		refused := w.ask(id)
		refused.Header = http.Header{"Accept": {"image/png"}}
		for _, a := range []harness.Answer{w.Do(w.ask(id)), w.Do(refused)} {
			if a.Header.Get("Cache-Control") != "no-store" || a.Header.Get("Vary") != "Accept" || a.Header.Get("X-Content-Type-Options") != "nosniff" {
				t.Errorf("%s answers %d with %v", id, a.StatusCode, a.Header)
			}
		}
	}
	if asked < 30 {
		t.Errorf("only %d operations", asked)
	}
}

// TestErrorsAreBounded: the answer to a request with very many mistakes in very
// long names is short, and safe to print on a terminal.
//
//engine:sqlite the form of the request decides, before a row is read
func TestErrorsAreBounded(t *testing.T) {
	t.Parallel()
	r := harness.Start(t)
	key := r.Tenant("ACME01")
	body, few := map[string]any{"name": "n"}, map[string]any{"payload": "x"}
	for i := range 300 {
		name := fmt.Sprintf("\x1b[31m%03d%s", i, strings.Repeat("é", 60))
		if body[name] = 1; i < 40 {
			few[name] = 1
		}
	}
	a := r.WantCode(r.Post(key, placementPath, body), 400, "VALIDATION_FAILED")
	errors := a.Body["errors"].(map[string]any)
	if len(errors) != 100 || len(a.Raw) > 40_000 {
		t.Errorf("%d fields in %d bytes", len(errors), len(a.Raw))
	}
	for name := range errors {
		if len(name) > 130 || strings.ContainsRune(name, '\x1b') || strings.ContainsRune(name, '\ufffd') {
			t.Errorf("the field %q", name)
		}
	}
	// The header that names ignored members is bounded, too.
	ignored := r.Want(r.Post("", "/v1/tcode/verify", few), 400).Header.Get("X-Ignored-Properties")
	if len(ignored) < 1000 || len(ignored) > 2048 || strings.ContainsAny(ignored, "\x1b\r\n") {
		t.Errorf("%d bytes name the ignored members: %s", len(ignored), ignored)
	}
}
