package server_test

import (
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"tcode/server"
	"tcode/server/httpapi"
)

func TestLookupLimit(t *testing.T) {
	t.Parallel()
	at := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC) // stands still: nothing is refilled
	r := start(t, func(c *server.Config) {
		c.Limits = &httpapi.Limits{LookupsPerMinute: 3, KeyLookupsPerMinute: 5}
		c.Now = func() time.Time { return at }
		c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	})
	key := r.tenant("ACME01")
	look := func(from, key string) answer {
		return r.do(request{method: "GET", path: "/v1/tcode/verify/reference/x", key: key, header: http.Header{"X-Forwarded-For": {from}}})
	}
	for range 3 {
		r.want(look("192.0.2.1", ""), 200)
	}
	a := r.wantCode(look("192.0.2.1", ""), 429, "RATE_LIMITED")
	if a.Header.Get("Retry-After") != "20" || a.Header.Get("RateLimit") != `"lookups";r=0;t=20` || a.Header.Get("RateLimit-Policy") != `"lookups";q=3;w=60` {
		t.Errorf("headers of a refusal: %v", a.Header)
	}
	r.want(look("192.0.2.2", ""), 200) // another client
	for range 5 {
		r.want(look("192.0.2.1", key), 200) // a key has its own share
	}
	r.want(look("192.0.2.1", key), 429)
	r.want(look("192.0.2.1", "bad"), 429)
	for range 10 { // neither is the trust store counted, nor what needs a key
		h := http.Header{"X-Forwarded-For": {"192.0.2.1"}}
		r.want(r.do(request{method: "GET", path: "/v1/reference-data/trust-store/timestamp", header: h}), 200)
		r.want(r.do(request{method: "GET", path: "/v1/tcode/stamps", key: key, header: h}), 200)
	}
}

// TestGuessing: an address that tries keys is held up, its good keys are not.
func TestGuessing(t *testing.T) {
	t.Parallel()
	at := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC) // stands still: nothing is refilled
	r := start(t, func(c *server.Config) {
		c.Limits = &httpapi.Limits{LookupsPerMinute: 2, RequestsPerMinute: 100}
		c.Now = func() time.Time { return at }
	})
	key := r.tenant("ACME01")
	list := func(key string) answer { return r.do(request{method: "GET", path: "/v1/tcode/stamps", key: key}) }
	r.want(list(""), 401)
	wrong := []byte(key)
	wrong[len(wrong)-1] ^= 1 // another digit, whatever the last one is
	r.want(list(string(wrong)), 401)
	a := r.wantCode(list("tck_live_00000000_"+strings.Repeat("0", 32)), 429, "RATE_LIMITED")
	if a.Header.Get("Retry-After") != "30" {
		t.Errorf("Retry-After = %s", a.Header.Get("Retry-After"))
	}
	if a := r.want(list(key), 200); a.Header.Get("RateLimit") != `"requests";r=99;t=0` || a.Header.Get("RateLimit-Policy") != `"requests";q=100;w=60` {
		t.Errorf("headers of a good key: %v", a.Header)
	}
	r.want(r.do(request{method: "GET", path: "/v1/reference-data/tenants"}), 200) // look-ups are counted apart
}

// TestForwardedForIsNotBelieved: without a trusted proxy anyone could make
// themselves a new client with each request.
func TestForwardedForIsNotBelieved(t *testing.T) {
	t.Parallel()
	at := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	r := start(t, func(c *server.Config) {
		c.Limits = &httpapi.Limits{LookupsPerMinute: 1}
		c.Now = func() time.Time { return at }
	})
	r.want(r.do(request{method: "GET", path: "/v1/reference-data/tenants", header: http.Header{"X-Forwarded-For": {"192.0.2.1"}}}), 200)
	r.want(r.do(request{method: "GET", path: "/v1/reference-data/tenants", header: http.Header{"X-Forwarded-For": {"192.0.2.2"}}}), 429)
}
