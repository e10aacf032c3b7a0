package apitest

import (
	"net/http"
	"strings"
	"testing"

	"tcode/server/internal/harness"
	"tcode/server/store/storetest"
)

// TestTwin: the record and the page agree during the life of a stamp.
func TestTwin(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		w := newWorldOn(t, e)
		ref, id := w.Standing.Reference, w.Standing.Id.String()
		twin := func(reference string) map[string]any {
			t.Helper()
			return w.Want(w.Get("", "/v1/tcode/verify/digital-twin/"+reference), 200).Data()
		}
		page := func(reference string, status int) string {
			t.Helper()
			a := w.Want(w.Do(harness.Request{Method: "GET", Path: "/d/" + reference, Header: http.Header{"Accept-Language": {"de"}}}), status)
			if a.Header.Get("Cache-Control") != "no-store" || a.Header.Get("Content-Language") != "de" {
				t.Errorf("headers %v", a.Header)
			}
			return string(a.Raw)
		}
		d := twin(strings.ToLower(ref))
		stamp, document := d["stamp"].(map[string]any), d["document"].(map[string]any)
		if d["url"] != w.URL+"/d/"+ref || d["reference"] != ref || stamp["status"] != "Active" || stamp["keyId"] != w.Standing.KeyId ||
			document["issuerName"] != "Tenant ACME01" || document["documentTypeNames"].(map[string]any)["de"] != "Diplom" {
			t.Errorf("twin %v", d)
		}
		if p := page(ref, 200); !strings.Contains(p, "REFERENZ IST GÜLTIG") || !strings.Contains(p, "Diplom") || !strings.Contains(p, ref) || strings.Contains(p, "standing") {
			t.Errorf("page\n%s", p)
		}
		next := w.Want(w.Post(w.Key, "/v1/tcode/stamps/"+id+"/replace", w.ReplaceBody()), 200).Data()["reference"].(string)
		d = twin(ref)
		if d["verification"].(map[string]any)["verdict"] != "revoked" || d["stamp"].(map[string]any)["replacedBy"] != next {
			t.Errorf("twin of the replaced one %v", d)
		}
		if p := page(ref, 200); !strings.Contains(p, "ERSETZT") || !strings.Contains(p, `href="/d/`+next+`"`) {
			t.Errorf("page of the replaced one\n%s", p)
		}
		// An unknown reference and a malformed one look the same.
		unknown, malformed := page("TCR-0000000000000000", 404), page("x%2Fy%00", 404)
		if cut := func(p string) string { before, _, _ := strings.Cut(p, "<time"); return before }; cut(unknown) != cut(malformed) || !strings.Contains(unknown, "NICHT GEFUNDEN") {
			t.Errorf("unknown\n%s\nmalformed\n%s", unknown, malformed)
		}
		for _, reference := range []string{"TCR-0000000000000000", "x"} {
			if d := twin(reference); said(d) != 1 || d["verification"].(map[string]any)["verdict"] != "not_found" {
				t.Errorf("twin of %s: %v", reference, d)
			}
		}
		head := w.Do(harness.Request{Method: "HEAD", Path: "/d/" + ref})
		if head.StatusCode != 200 || len(head.Raw) != 0 || head.Header.Get("Content-Length") == "" {
			t.Errorf("HEAD: %d, %d bytes, %v", head.StatusCode, len(head.Raw), head.Header)
		}
	})
}

// TestHistoryOverHTTP: only the key decides which tenant's history the answer has.
func TestHistoryOverHTTP(t *testing.T) {
	t.Parallel()
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		w := newWorldOn(t, e)
		ref := w.Standing.Reference
		for range 3 {
			w.Want(w.Get(w.Key, "/v1/tcode/verify/reference/"+ref), 200)
		}
		w.Want(w.Get("", "/d/"+ref), 200)
		list := func(key, query string) map[string]any {
			t.Helper()
			return w.Want(w.Get(key, "/v1/tcode/verify/history"+query), 200).Body
		}
		first := map[string]any{}
		for first["totalCount"] != 4.0 { // within a second
			first = list(w.Key, "?pagesize=1")
			if t.Context().Err() != nil {
				t.Fatal("the history does not fill")
			}
		}
		newest := first["items"].([]any)[0].(map[string]any)
		if newest["reference"] != ref || newest["verdict"] != "valid" || newest["method"] != "reference" || newest["keyPrefix"] != nil || first["hasNext"] != true || first["totalPages"] != 4.0 {
			t.Errorf("first page %v", first)
		}
		if got := list(w.Key, "?Page=2&PageSize=1")["items"].([]any)[0].(map[string]any)["keyPrefix"]; got != w.Key[9:17] {
			t.Errorf("the key of the entry is %v, want %s", got, w.Key[9:17])
		}
		for who, key := range map[string]string{"anyone": "", "another tenant": w.Tenant("OTHER1")} {
			if l := list(key, ""); l["totalCount"] != 0.0 || len(l["items"].([]any)) != 0 {
				t.Errorf("%s sees %v", who, l)
			}
		}
	})
}

// TestErrorPages: a browser that requests the public page gets a page for each
// error, in the requested language. A client that requests JSON gets the error.
//
//engine:sqlite the texts and headers of the answer decide, not its rows
func TestErrorPages(t *testing.T) {
	t.Parallel()
	p := newProvoker(t)
	unknown := "/d/TCR-0000000000000000"
	p.tight.Get("", unknown)
	tests := []struct {
		on           *harness.Rig
		path         string
		status       int
		code, german string
	}{
		{p.Rig, unknown, 404, "NOT_FOUND", "NICHT GEFUNDEN"},
		{p.Rig, "/d/x", 404, "NOT_FOUND", "NICHT GEFUNDEN"},
		{p.Rig, "/d/%00%ff", 404, "NOT_FOUND", "NICHT GEFUNDEN"},
		{p.Rig, "/d/", 404, "NOT_FOUND", "NICHT GEFUNDEN"},
		{p.Rig, "/d", 404, "NOT_FOUND", "NICHT GEFUNDEN"},
		{p.Rig, unknown + "/more", 404, "NOT_FOUND", "NICHT GEFUNDEN"},
		{p.tight.Rig, unknown, 429, "RATE_LIMITED", "Zu viele Abfragen"},
		{p.broken, unknown, 500, "INTERNAL", "KEINE ANTWORT"},
		{p.late.Rig, unknown, 503, "SERVICE_UNAVAILABLE", "KEINE ANTWORT"},
	}
	for _, tt := range tests {
		for _, accept := range []string{"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "*/*", "", "image/png"} {
			a := tt.on.Do(harness.Request{Method: "GET", Path: tt.path, Header: http.Header{"Accept-Language": {"de"}, "Accept": {accept}}})
			h := a.Header
			if a.StatusCode != tt.status || !strings.Contains(string(a.Raw), tt.german) || h.Get("Content-Language") != "de" || h.Get("Content-Type") != "text/html; charset=utf-8" {
				t.Errorf("%s, Accept %q: %d %s\n%.300s", tt.path, accept, a.StatusCode, h, a.Raw)
			}
			if h.Get("Cache-Control") != "no-store" || h.Get("Vary") != "Accept, Accept-Language, Accept-Encoding" || !strings.Contains(h.Get("Content-Security-Policy"), "default-src 'none'") {
				t.Errorf("%s, Accept %q: headers %s", tt.path, accept, h)
			}
			if (tt.status == 429 || tt.status == 503) && h.Get("Retry-After") == "" {
				t.Errorf("%s: %d does not say when to retry", tt.path, a.StatusCode)
			}
		}
		for _, accept := range []string{"application/json", "text/html;q=0.5, application/json"} {
			a := tt.on.Do(harness.Request{Method: "GET", Path: tt.path, Header: http.Header{"Accept": {accept}}})
			if a.StatusCode != tt.status || a.Body["code"] != tt.code || a.Header.Get("Content-Type") != "application/json" {
				t.Errorf("%s, Accept %q: %d %.300s", tt.path, accept, a.StatusCode, a.Raw)
			}
		}
	}
	// No other address becomes a page.
	a := p.Do(harness.Request{Method: "GET", Path: "/documents", Header: http.Header{"Accept": {"text/html"}}})
	p.WantCode(a, 404, "NOT_FOUND")
}
