package apitest

import (
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"tcode/server"
	"tcode/server/httpapi"
	"tcode/server/internal/harness"
)

//engine:sqlite the limits are counted in memory
func TestLookupLimit(t *testing.T) {
	t.Parallel()
	at := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC) // stands still: nothing is refilled
	r := harness.Start(t, func(c *server.Config) {
		c.Limits = &httpapi.Limits{LookupsPerMinute: 3, KeyLookupsPerMinute: 5}
		c.Now = func() time.Time { return at }
		c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	})
	key := r.Tenant("ACME01")
	look := func(from, key string) harness.Answer {
		return r.Do(harness.Request{Method: "GET", Path: "/v1/tcode/verify/reference/x", Key: key, Header: http.Header{"X-Forwarded-For": {from}}})
	}
	for range 3 {
		r.Want(look("192.0.2.1", ""), 200)
	}
	a := r.WantCode(look("192.0.2.1", ""), 429, "RATE_LIMITED")
	if a.Header.Get("Retry-After") != "20" || a.Header.Get("RateLimit") != `"lookups";r=0;t=20` || a.Header.Get("RateLimit-Policy") != `"lookups";q=3;w=60` {
		t.Errorf("headers of a refusal: %v", a.Header)
	}
	r.Want(look("192.0.2.2", ""), 200) // another client
	for range 5 {
		r.Want(look("192.0.2.1", key), 200) // a key has its own share
	}
	r.Want(look("192.0.2.1", key), 429)
	r.Want(look("192.0.2.1", "bad"), 429)
	for range 10 { // requests for the trust store, or with a key, do not count
		h := http.Header{"X-Forwarded-For": {"192.0.2.1"}}
		r.Want(r.Do(harness.Request{Method: "GET", Path: "/v1/reference-data/trust-store/timestamp", Header: h}), 200)
		r.Want(r.Do(harness.Request{Method: "GET", Path: "/v1/tcode/stamps", Key: key, Header: h}), 200)
	}
}

// TestGuessing: a gateway limits an address that tries keys, but not its valid
// keys.
func TestGuessing(t *testing.T) {
	t.Parallel()
	at := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC) // stands still: nothing is refilled
	r := harness.Start(t, func(c *server.Config) {
		c.Limits = &httpapi.Limits{LookupsPerMinute: 2, RequestsPerMinute: 100}
		c.Now = func() time.Time { return at }
	})
	key := r.Tenant("ACME01")
	list := func(key string) harness.Answer {
		return r.Get(key, "/v1/tcode/stamps")
	}
	r.Want(list(""), 401)
	wrong := []byte(key)
	wrong[len(wrong)-1] ^= 1 // another digit than the last one
	r.Want(list(string(wrong)), 401)
	a := r.WantCode(list("tck_live_00000000_"+strings.Repeat("0", 32)), 429, "RATE_LIMITED")
	if a.Header.Get("Retry-After") != "30" {
		t.Errorf("Retry-After = %s", a.Header.Get("Retry-After"))
	}
	if a := r.Want(list(key), 200); a.Header.Get("RateLimit") != `"requests";r=99;t=0` || a.Header.Get("RateLimit-Policy") != `"requests";q=100;w=60` {
		t.Errorf("headers of a good key: %v", a.Header)
	}
	r.Want(r.Get("", "/v1/reference-data/tenants"), 200) // look-ups count separately
}

// TestForwardedForIsNotBelieved: without a trusted proxy a gateway ignores the
// header, with which a client could pretend to be a new one in each request.
//
//engine:sqlite the limits are counted in memory
func TestForwardedForIsNotBelieved(t *testing.T) {
	t.Parallel()
	at := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	r := harness.Start(t, func(c *server.Config) {
		c.Limits = &httpapi.Limits{LookupsPerMinute: 1}
		c.Now = func() time.Time { return at }
	})
	r.Want(r.Do(harness.Request{Method: "GET", Path: "/v1/reference-data/tenants", Header: http.Header{"X-Forwarded-For": {"192.0.2.1"}}}), 200)
	r.Want(r.Do(harness.Request{Method: "GET", Path: "/v1/reference-data/tenants", Header: http.Header{"X-Forwarded-For": {"192.0.2.2"}}}), 429)
}
