package opstest

import (
	"bytes"
	"path/filepath"
	"testing"
	"time"

	"tcode/offline"
	"tcode/offline/host/cache"
	"tcode/offline/payload"
	"tcode/offline/trust"
	"tcode/server/httpapi/api"
	"tcode/server/internal/harness"
	"tcode/server/store/storetest"
	"tcode/sync/feed"
	"tcode/sync/transport/nethttp"
)

// A scanner is a device that follows a gateway.
type scanner struct {
	r     *harness.Rig
	cache *cache.Cache
	feed  *feed.Feed
}

// enrol returns a scanner that is enrolled at the gateway; have, if not nil, are
// its first trust documents.
func enrol(t *testing.T, r *harness.Rig, have []byte) *scanner {
	t.Helper()
	c, err := cache.Open(t.Context(), filepath.Join(t.TempDir(), "cache.sqlite"))
	must(t, err)
	t.Cleanup(func() { c.Close() })
	f, err := feed.New(feed.Config{Book: c.Book, Transport: nethttp.New(nil), Gateway: r.URL})
	must(t, err)
	print := r.Admin.Publisher.Fingerprint()
	if have != nil {
		_, err := c.Import(t.Context(), bytes.NewReader(have), &print)
		must(t, err)
	}
	_, err = f.Enrol(t.Context(), &print)
	must(t, err)
	return &scanner{r, c, f}
}

// follow makes r the scanner's gateway.
func (s *scanner) follow(r *harness.Rig) {
	t := s.r.T
	t.Helper()
	f, err := feed.New(feed.Config{Book: s.cache.Book, Transport: nethttp.New(nil), Gateway: r.URL})
	must(t, err)
	s.r, s.feed = r, f
}

// refresh fetches the newest trust documents of the gateway.
func (s *scanner) refresh() {
	t := s.r.T
	t.Helper()
	_, err := s.r.Admin.Publisher.Publish(t.Context())
	must(t, err)
	_, err = s.feed.Refresh(t.Context())
	must(t, err)
}

// export refreshes the scanner and returns its trust documents of the gateway.
func (s *scanner) export() []byte {
	s.r.T.Helper()
	s.refresh()
	var b bytes.Buffer
	must(s.r.T, s.cache.Export(s.r.T.Context(), &b))
	return b.Bytes()
}

// judge returns the scanner's verdict on the text of a symbol, and the code of its
// check of the key's compromise.
func (s *scanner) judge(text string) (offline.Verdict, string) {
	t := s.r.T
	t.Helper()
	snapshot, err := s.cache.Snapshot(t.Context())
	must(t, err)
	res := offline.New(snapshot, offline.Policy{}).Verify(offline.Clock{Now: time.Now()}, offline.Request{Text: text})
	check, _ := offline.FindCheck(res.Checks, offline.CheckKeyNotCompromised)
	return res.Verdict, check.Code
}

// TestCompromiseReachesScanners: after a compromise scanners still accept the
// stamps in the gateway's rows, and do not accept stamps that a thief signs with
// the same key.
//
//engine:sqlite its gateway runs on SQLite
func TestCompromiseReachesScanners(t *testing.T) {
	t.Parallel()
	r := harness.StartOn(t, storetest.SQLite)
	key := r.Tenant("ACME01")
	s := enrol(t, r, nil)
	st := r.Stamp(key, "before")
	text := func(st api.TCodeStamp) string { return string(r.Download(key, st.Id.String(), "payload")) }
	stolen, _, err := r.Admin.Tenants.Signer(t.Context(), "ACME01")
	must(t, err)
	genuine := text(st)
	s.refresh()
	if verdict, code := s.judge(genuine); verdict != offline.Valid || code != offline.CodeOK {
		t.Fatalf("before: %s, %s", verdict, code)
	}
	raw, err := payload.DecodeText(genuine)
	must(t, err)
	forged, err := payload.Parse(raw)
	must(t, err)
	forged.Reference[0] ^= 1 // the thief's own document, with any date
	must(t, forged.Seal(stolen))
	raw, err = forged.Append(nil)
	must(t, err)
	forgedText := payload.EncodeText(raw)
	if verdict, _ := s.judge(forgedText); verdict != offline.Valid {
		t.Fatalf("before the report of the theft: %s", verdict)
	}

	out, err := r.Admin.Tenants.CompromiseSigningKey(t.Context(), "ACME01", 0, time.Now().Add(-time.Hour))
	must(t, err)
	s.refresh()
	if verdict, code := s.judge(genuine); verdict != offline.Valid || code != offline.CodeSurvivor {
		t.Errorf("a stamp of the gateway's: %s, %s; want valid, survivor", verdict, code)
	}
	if verdict, code := s.judge(forgedText); verdict != offline.Unverified || code != offline.CodeKeyCompromised {
		t.Errorf("a forged stamp: %s, %s; want unverified, key_compromised", verdict, code)
	}
	after := r.Stamp(key, "after")
	if verdict, code := s.judge(text(after)); verdict != offline.Valid || code != offline.CodeOK {
		t.Errorf("a stamp by the next key: %s, %s", verdict, code)
	}
	if out.Next == nil || after.KeyId != out.Next.ID() {
		t.Errorf("stamped by %v, want %v", after.KeyId, out.Next)
	}
	snapshot, err := s.cache.Snapshot(t.Context())
	must(t, err)
	if k, ok := snapshot.State().Bundle.Key("ACME01", 0); !ok || k.State != trust.KeyCompromised || k.SurvivorList != out.Key.SurvivorList {
		t.Errorf("the scanner's record of the key: %+v", k)
	}
}
