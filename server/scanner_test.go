package server_test

import (
	"bytes"
	"path/filepath"
	"testing"
	"time"

	"tcode/offline"
	"tcode/offline/host/cache"
	"tcode/offline/payload"
	"tcode/offline/trust"
	"tcode/server/store/storetest"
	"tcode/sync/feed"
)

// A scanner is a device that follows a gateway.
type scanner struct {
	r     *rig
	cache *cache.Cache
	feed  *feed.Feed
}

// enrol returns a scanner that is enrolled at the gateway; have, if not nil, are
// the trust documents it comes with.
func enrol(t *testing.T, r *rig, have []byte) *scanner {
	t.Helper()
	c, err := cache.Open(t.Context(), filepath.Join(t.TempDir(), "cache.sqlite"))
	must(t, err)
	t.Cleanup(func() { c.Close() })
	f, err := feed.New(feed.Config{Cache: c, Gateway: r.url})
	must(t, err)
	print := r.admin.Publisher.Fingerprint()
	if have != nil {
		_, err := c.Import(t.Context(), bytes.NewReader(have), &print)
		must(t, err)
	}
	_, err = f.Enrol(t.Context(), &print)
	must(t, err)
	return &scanner{r, c, f}
}

// refresh fetches what the gateway has to publish.
func (s *scanner) refresh() {
	t := s.r.t
	t.Helper()
	_, err := s.r.admin.Publisher.Publish(t.Context())
	must(t, err)
	_, err = s.feed.Refresh(t.Context())
	must(t, err)
}

// export is what the scanner has of the gateway's trust documents, refreshed.
func (s *scanner) export() []byte {
	s.r.t.Helper()
	s.refresh()
	var b bytes.Buffer
	must(s.r.t, s.cache.Export(s.r.t.Context(), &b))
	return b.Bytes()
}

// judge is the scanner's verdict on the text of a symbol, and what its check of
// the key's compromise said.
func (s *scanner) judge(text string) (offline.Verdict, string) {
	t := s.r.t
	t.Helper()
	snapshot, err := s.cache.Snapshot(t.Context())
	must(t, err)
	res := offline.New(snapshot, offline.Policy{}).Verify(offline.Clock{Now: time.Now()}, offline.Request{Text: text})
	check, _ := offline.FindCheck(res.Checks, offline.CheckKeyNotCompromised)
	return res.Verdict, check.Code
}

// After a compromise scanners go on to call genuine what the gateway's rows hold,
// and do not believe what a thief signs with the very same key.
func TestCompromiseReachesScanners(t *testing.T) {
	t.Parallel()
	r := startOn(t, storetest.SQLite)
	key := r.tenant("ACME01")
	s := enrol(t, r, nil)
	st := r.stamp(key, "before")
	text := func(record map[string]any) string { return string(r.download(key, record["id"].(string), "payload")) }
	stolen, _, err := r.admin.Tenants.Signer(t.Context(), "ACME01")
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
	forged.Reference[0] ^= 1 // a document of the thief's own, dated when he likes
	must(t, forged.Seal(stolen))
	raw, err = forged.Append(nil)
	must(t, err)
	forgedText := payload.EncodeText(raw)
	if verdict, _ := s.judge(forgedText); verdict != offline.Valid {
		t.Fatalf("nobody knows of the theft yet: %s", verdict)
	}

	out, err := r.admin.Tenants.CompromiseSigningKey(t.Context(), "ACME01", 0, time.Now().Add(-time.Hour))
	must(t, err)
	s.refresh()
	if verdict, code := s.judge(genuine); verdict != offline.Valid || code != offline.CodeSurvivor {
		t.Errorf("a stamp of the gateway's: %s, %s; want valid, survivor", verdict, code)
	}
	if verdict, code := s.judge(forgedText); verdict != offline.Unverified || code != offline.CodeKeyCompromised {
		t.Errorf("a forged stamp: %s, %s; want unverified, key_compromised", verdict, code)
	}
	after := r.stamp(key, "after")
	if verdict, code := s.judge(text(after)); verdict != offline.Valid || code != offline.CodeOK {
		t.Errorf("a stamp by the next key: %s, %s", verdict, code)
	}
	if out.Next == nil || after["keyId"] != out.Next.ID() {
		t.Errorf("stamped by %v, want %v", after["keyId"], out.Next)
	}
	snapshot, err := s.cache.Snapshot(t.Context())
	must(t, err)
	if k, ok := snapshot.State().Bundle.Key("ACME01", 0); !ok || k.State != trust.KeyCompromised || k.SurvivorList != out.Key.SurvivorList {
		t.Errorf("the scanner's record of the key: %+v", k)
	}
}
