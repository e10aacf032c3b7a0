package app_test

import (
	"bytes"
	"errors"
	"maps"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"tcode/offline"
	"tcode/offline/statuslist"
	"tcode/scanner/web"
	"tcode/scanner/web/engine"
	"tcode/scanner/web/phonetest"
	"tcode/sync/wire"
)

// TestAppVectors takes verdict vectors to the engine in Chromium: their trust documents are imported from a file, its clock stands still at
// the vector's time, and the typed text gets the bytes of the engine on this machine. It takes every fourth vector, all with
// TCODE_ANSWERS=all. A browser has no boot-time clock, and files have neither floors nor damage, so some vectors are not
// for it.
func TestAppVectors(t *testing.T) {
	t.Parallel()
	p := appPhone(t)
	srv := httptest.NewServer(web.New())
	t.Cleanup(srv.Close)
	proxy, err := phonetest.Before(srv.URL, phonetest.Clock)
	if err != nil {
		t.Fatal(err)
	}
	clocked := httptest.NewServer(proxy)
	t.Cleanup(clocked.Close)
	p.On(clocked.URL + "/scan/")
	p.Wait("#title")

	vectors := verdictVectors(t)
	names := slices.SortedFunc(maps.Keys(vectors), func(a, b string) int { // the newest scan is a floor of the clock
		if c := vectors[a].Now.Compare(vectors[b].Now); c != 0 {
			return c
		}
		return strings.Compare(a, b)
	})
	asked, same := 0, 0
	for i, name := range names {
		if i%4 > 0 && os.Getenv("TCODE_ANSWERS") != "all" {
			continue
		}
		asked++
		ours, why := typedInApp(t, p, vectors[name])
		d := engineOf(t, vectors[name])
		want, err := d.engine.Typed(t.Context(), d.text, wire.Context{})
		switch {
		case errors.Is(err, engine.ErrNotTCode) && d.text != "":
			if why != "request "+err.Error() {
				t.Errorf("%s: %s, want no TCode: %s", name, why, ours)
			}
			same++
			continue
		case why != "":
			t.Logf("%s: %s", name, why)
			continue
		case err != nil:
			t.Fatal(err)
		}
		if a, b := kept.ReplaceAllString(want.JSON, ""), kept.ReplaceAllString(ours, ""); a != b {
			t.Errorf("%s:\n%s\nin Chromium:\n%s", name, a, b)
			continue
		}
		same++
	}
	if same < asked/2 {
		t.Errorf("only %d of %d vectors could be compared", same, asked)
	}
	t.Logf("of %d vectors %d have the same answer in Chromium, the others are not for it", asked, same)
	for _, wrong := range p.Wrong() {
		t.Error(wrong)
	}
}

// typedInApp puts a vector into the app and returns the JSON of its answer, or why it cannot have that device.
func typedInApp(t *testing.T, p *phonetest.Phone, v offline.Vector) (json, why string) {
	t.Helper()
	switch {
	case !v.Proof.Time.IsZero(), v.Boot != offline.VectorBoot{}:
		return "", "a browser has no boot-time clock"
	case !v.NewestScan.IsZero():
		return "", "its history is not this one"
	case len(v.Remembered) > 0, !v.Floor.IsZero(), v.Ahead != 0:
		return "", "files have no memory of a device"
	case v.Payload == "" && v.Text == "":
		return "", "no text"
	}
	phonetest.Must[any](p, "forget", map[string]any{"confirm": "forget"})
	p.SetClock(v.Now)
	if len(v.Roots) > 0 {
		var file bytes.Buffer
		s, err := vectorBook(t, v).Snapshot(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		// A vector holds the shard of its stamp. The others, which are empty, are in a file too.
		held := v
		held.Shards = maps.Clone(v.Shards)
		for i, hash := range s.State().Shards {
			if _, ok := v.Shards[uint16(i)]; !ok && held.Shards != nil && hash == new(statuslist.Shard).Hash() {
				held.Shards[uint16(i)] = nil
			}
		}
		if err := vectorBook(t, held).Export(t.Context(), &file); err != nil {
			return "", err.Error()
		}
		members := map[string]any{"bytes": file.Bytes(), "fingerprint": s.State().Fingerprint.String()}
		if r, err := phonetest.Ask[any](p, "importTrust", members); err != nil || !r.OK {
			return "", r.Code + " " + r.Why
		}
	}
	ms := func(seconds int64, usual time.Duration) int64 {
		if seconds == 0 {
			return usual.Milliseconds()
		}
		return seconds * 1000
	}
	language := v.Language
	if language == "" {
		language = "en"
	}
	set, err := phonetest.Ask[any](p, "settings", map[string]any{"set": map[string]any{
		"language": language, "freshMs": ms(v.FreshSeconds, 24*time.Hour), "hardExpiryMs": ms(v.HardSeconds, 7*24*time.Hour), "acceptTest": v.AcceptTest,
	}})
	if err != nil || !set.OK {
		return "", set.Code + " " + set.Why // no device has this policy
	}
	d := engineOf(t, v)
	r, err := phonetest.Ask[struct{ Answer struct{ JSON string } }](p, "typed", map[string]any{"text": d.text})
	if err != nil {
		t.Fatal(err)
	}
	if !r.OK {
		return "", r.Code + " " + r.Why
	}
	return r.Result.Answer.JSON, ""
}
