package apitest

import (
	"crypto/rand"
	"encoding/hex"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"tcode/offline/trust"
	"tcode/server"
	"tcode/server/httpapi"
	"tcode/server/internal/harness"
)

const timePath = "/v1/reference-data/trust-store/time"

// TestTime: the gateway signs its clock for a nonce, and no cache keeps it.
// Every gateway of one database does.
func TestTime(t *testing.T) {
	t.Parallel()
	at := time.Date(2030, 1, 1, 12, 0, 0, 999_999_999, time.UTC)
	r := harness.Start(t, func(c *server.Config) { c.Now = func() time.Time { return at } })
	fp := r.Admin.Publisher.Fingerprint()
	online, err := trust.ParseVerifierKey(r.Admin.Publisher.PublicKey().Note)
	must(t, err)
	ask := func(r *harness.Rig, h http.Header) trust.TimeNote {
		t.Helper()
		var nonce [32]byte
		rand.Read(nonce[:])
		a := r.Want(r.Do(harness.Request{Method: "GET", Path: timePath + "?nonce=" + hex.EncodeToString(nonce[:]), Header: h}), 200)
		if a.Header.Get("Cache-Control") != "no-store" || a.Header.Get("ETag") != "" || !strings.HasPrefix(a.Header.Get("Content-Type"), "text/plain") {
			t.Errorf("headers %v", a.Header)
		}
		note, err := trust.ParseTimeNote(fp, online, nonce, a.Raw)
		must(t, err)
		return *note
	}
	for name, h := range map[string]http.Header{
		"plain": nil, "any type": {"Accept": {"application/octet-stream"}}, "a key that is no good": {"X-Api-Key": {"bad"}},
		"conditional": {"If-None-Match": {"*"}}, "a part": {"Range": {"bytes=0-1"}},
	} {
		if got := ask(r, h).Time; !got.Equal(at.Truncate(time.Second)) {
			t.Errorf("%s: time %v", name, got)
		}
	}
	other := r.Beside(func(c *server.Config) { c.Now = func() time.Time { return at.Add(time.Hour) } })
	if got := ask(other, nil).Time; !got.Equal(at.Add(time.Hour).Truncate(time.Second)) {
		t.Errorf("the other gateway's time %v", got)
	}
	good := strings.Repeat("0f", 32)
	for _, query := range []string{
		"", "?nonce=", "?nonce=" + good[2:], "?nonce=" + good + "00", "?nonce=" + strings.ToUpper(good), "?nonce=" + good[:63] + "g",
		"?nonce=" + good + "&nonce=" + good, "?nonce=" + good[:62] + "%0a%0a", "?nonce=" + good[:63] + "%0a",
	} {
		r.WantCode(r.Get("", timePath+query), 400, "VALIDATION_FAILED")
	}
	// Without the database the gateway cannot know which key signs: a device may
	// have a newer root. It says so, and does not sign with an old key.
	broken := harness.Broken(t)
	time.Sleep(1100 * time.Millisecond)
	broken.WantCode(broken.Get("tck_live_AAAAAAAA_"+strings.Repeat("A", 32), timePath+"?nonce="+good), 503, "SERVICE_UNAVAILABLE")
}

// TestTimeLimit: a gateway counts requests for the time by address, separately from
// look-ups.
func TestTimeLimit(t *testing.T) {
	t.Parallel()
	at := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC) // stands still: nothing is refilled
	r := harness.Start(t, func(c *server.Config) {
		c.Limits = &httpapi.Limits{LookupsPerMinute: 2}
		c.Now = func() time.Time { return at }
		c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	})
	get := func(path, from string) harness.Answer {
		return r.Do(harness.Request{Method: "GET", Path: path, Header: http.Header{"X-Forwarded-For": {from}}})
	}
	ask := timePath + "?nonce=" + strings.Repeat("0f", 32)
	r.Want(get(ask, "192.0.2.1"), 200)
	r.Want(get(ask, "192.0.2.1"), 200)
	if a := r.WantCode(get(ask, "192.0.2.1"), 429, "RATE_LIMITED"); a.Header.Get("Retry-After") != "30" {
		t.Errorf("Retry-After %q", a.Header.Get("Retry-After"))
	}
	r.Want(get(ask, "192.0.2.2"), 200)
	r.Want(get("/v1/tcode/verify/reference/x", "192.0.2.1"), 200)
}
