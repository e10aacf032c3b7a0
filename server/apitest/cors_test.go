package apitest

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tcode/server"
	"tcode/server/internal/harness"
)

// openTags have the operations whose answers scripts of other web sites may read.
var openTags = []string{"verification", "trust-verification", "reference-data", "trust-store"}

// shutOperations are those of openTags that stay shut: scans that devices send, and
// histories, which tell more to a key.
var shutOperations = []string{"syncScans", "listScans", "listVerifications", "listDocumentVerifications"}

// TestCORS: for every operation of the contract, scripts of another web site can read
// the answers of public verification, reference data and trust store, errors included,
// after the browser has asked with a preflight. They can read no other answer, and can
// send a key nowhere.
//
//engine:sqlite the headers of the answer decide, not its rows
func TestCORS(t *testing.T) {
	t.Parallel()
	p := newWorld(t)
	open := 0
	for id, op := range operations() {
		if !p.exists(id) {
			continue
		}
		want := ""
		if slices.Contains(openTags, op.Tags[0]) && !slices.Contains(shutOperations, id) {
			want = "*"
			open++
			if op.protected {
				t.Errorf("%s needs a key and is open", id)
			}
		}
		q := harness.Request{Method: op.method, Path: regexp.MustCompile(`\{\w+\}`).ReplaceAllString(op.path, "1")} // 401
		if !op.protected || op.method == http.MethodGet {
			q = p.ask(id)
		}
		for _, key := range []string{"", p.Key} {
			if q.Key = key; key != "" && op.protected && op.method != http.MethodGet {
				continue // it would only take time
			}
			if q.Header == nil {
				q.Header = http.Header{}
			}
			q.Header.Set("Origin", "https://elsewhere.example")
			a := p.Do(q)
			if got := strings.Join(a.Header.Values("Access-Control-Allow-Origin"), "|"); got != want || a.Header.Get("Access-Control-Allow-Credentials") != "" {
				t.Errorf("%s %s, with a key %v: %d, open to %q, want %q", q.Method, q.Path, key != "", a.StatusCode, got, want)
			}
		}
		a := p.Do(harness.Request{Method: "OPTIONS", Path: q.Path, Header: http.Header{
			"Origin": {"https://elsewhere.example"}, "Access-Control-Request-Method": {q.Method}, "Access-Control-Request-Headers": {"content-type,x-api-key"},
		}})
		allowed := a.Header.Get("Access-Control-Allow-Headers")
		if a.StatusCode != http.StatusNoContent || a.Header.Get("Access-Control-Allow-Origin") != want || (want == "*") != strings.Contains(allowed, "Content-Type") ||
			strings.Contains(strings.ToLower(allowed), "key") || strings.Contains(allowed, "*") {
			t.Errorf("preflight of %s: %d %v", id, a.StatusCode, a.Header)
		}
	}
	if open != 16 {
		t.Errorf("%d operations are open, want 16", open)
	}
	for _, path := range []string{"/", "/d/TCR-0000000000000000", "/docs/", "/openapi.json", "/v1/nothing", "/healthz"} {
		if a := p.Do(harness.Request{Method: "GET", Path: path, Header: http.Header{"Origin": {"https://elsewhere.example"}}}); a.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s is open", path)
		}
	}
	// An error is readable too, so that a program can say why there is no answer.
	tight := harness.Start(t, func(c *server.Config) { c.Limits.LookupsPerMinute = 1 })
	tight.Get("", "/v1/reference-data/tenants")
	a := p.WantCode(tight.Get("", "/v1/reference-data/tenants"), 429, "RATE_LIMITED")
	if a.Header.Get("Access-Control-Allow-Origin") != "*" || !strings.Contains(a.Header.Get("Access-Control-Expose-Headers"), "Retry-After") {
		t.Errorf("429: %v", a.Header)
	}
	// Another method of the same path is not open.
	a = p.Do(harness.Request{Method: "OPTIONS", Path: "/v1/tcode/verify", Header: http.Header{"Origin": {"https://elsewhere.example"}, "Access-Control-Request-Method": {"DELETE"}}})
	if a.Header.Get("Access-Control-Allow-Origin") != "" {
		t.Error("DELETE is open")
	}
}
