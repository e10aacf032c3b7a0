package scanners_test

import (
	"crypto/ed25519"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"tcode/server/account"
	"tcode/server/console/consoletest"
	"tcode/server/internal/harness"
	"tcode/server/verify"
	"tcode/sync/wire"
)

func TestMain(m *testing.M) { harness.Main(m) }

// scan sends a scan that a new device signs, whose data and clock have an age, and returns
// the device's id.
func scan(w *consoletest.World, reference string, age, skew time.Duration) string {
	w.T.Helper()
	public, key, err := ed25519.GenerateKey(nil)
	harness.Must(w.T, err)
	now := wire.TruncateMillis(w.Clock.Now())
	b := wire.Batch{ID: uuid.NewString(), ScannerID: wire.ScannerID(public), SentAt: now.Add(skew), Items: []wire.Item{{
		ScanID: uuid.NewString(), Seq: 1, Reference: reference, ScannedAt: now, TrustVersion: uint64(now.Add(-age).Unix()),
	}}}
	deviceKey, signature, err := wire.SignBatch(b, key)
	harness.Must(w.T, err)
	_, err = w.Admin.Verify.Sync(w.T.Context(), b, verify.Proof{DeviceKey: deviceKey, Signature: signature})
	harness.Must(w.T, err)
	return b.ScannerID
}

// TestDevices: a tenant sees the devices that scanned its stamps, names, refuses and accepts
// them for itself. A viewer reads, and devices of others do not exist.
func TestDevices(t *testing.T) {
	t.Parallel()
	w := consoletest.NewWorld(t)
	own, other := w.Stamp(w.Tenant("ACME02"), "ours").Reference, w.Stamp(w.Tenant("OTHER1"), "theirs").Reference
	b, viewer := w.Browser("browser"), w.Browser("viewer")
	b.Enrol(w.Invite(account.Spec{Tenant: "ACME02", Email: "ruth@acme.example", Role: account.Owner}))
	viewer.Enrol(w.Invite(account.Spec{Tenant: "ACME02", Email: "vi@acme.example", Role: account.Viewer}))
	if page := b.Want("/console/scanners", nil, 200, "").Text; !strings.Contains(page, "No scanner has sent a scan") {
		t.Errorf("none: %s", page)
	}
	fresh, old, foreign := scan(w, own, time.Hour, 0), scan(w, own, 9*24*time.Hour, -3*time.Hour), scan(w, other, time.Hour, 0)
	page := b.Want("/console/scanners", nil, 200, "").Text
	for text, want := range map[string]bool{fresh: true, old: true, foreign: false, "9 d": true, "−3 h": true, "(not named)": true} {
		if strings.Contains(page, text) != want {
			t.Errorf("the list has %q: %v: %s", text, !want, page)
		}
	}
	for show, want := range map[string]string{"fresh": fresh, "too_old": old, "stale": "", "refused": "", "nothing": fresh} {
		if page := b.Want("/console/scanners?show="+show, nil, 200, "").Text; want != "" && !strings.Contains(page, want) || want == "" && strings.Contains(page, "dev_") {
			t.Errorf("%s: %s", show, page)
		}
	}
	at := "/console/scanners/device/" + old
	b.Want(at, nil, 200, "")
	b.Want(at+"/name", url.Values{"name": {"Gate 2"}}, 303, at+"?done=named")
	b.Want(at+"/name", url.Values{"name": {"a\nb"}}, 400, "")
	b.Want(at+"/refuse", url.Values{"reason": {" "}}, 400, "")
	b.Want(at+"/refuse", url.Values{"reason": {"lost"}}, 303, at+"?done=refused")
	if page := b.Want(at, nil, 200, "").Text; !strings.Contains(page, "Gate 2") || !strings.Contains(page, "lost") || !strings.Contains(page, "Accept the device again") {
		t.Errorf("refused: %s", page)
	}
	if page := viewer.Want(at, nil, 200, "").Text; strings.Contains(page, "<form class=\"card") {
		t.Errorf("a viewer may change a device: %s", page)
	}
	viewer.Want(at+"/accept", url.Values{}, 403, "")
	b.Want(at+"/accept", url.Values{}, 303, at+"?done=accepted")
	for _, id := range []string{foreign, "dev_x", "x"} {
		b.Want("/console/scanners/device/"+id, nil, 404, "")
		for _, form := range []string{"/name", "/refuse", "/accept"} {
			b.Want("/console/scanners/device/"+id+form, url.Values{"name": {"x"}, "reason": {"x"}}, 404, "")
		}
	}
	for _, text := range consoletest.Hostile {
		consoletest.StaysText(t, strings.TrimSpace(text), b.Send(at+"/name", url.Values{"name": {text}}).Text+b.Want(at, nil, 200, "").Text)
	}
}

// TestScreens: the screens in Chromium; another program reads both codes of the sheet.
//
//engine:sqlite the screens are the same on both
func TestScreens(t *testing.T) {
	t.Parallel()
	w := consoletest.NewWorld(t)
	key := w.Tenant("ACME02")
	s := consoletest.Open(t, w)
	s.As(account.Spec{Tenant: "ACME02", Email: "ruth@acme.example", Role: account.Owner})
	s.At("/console/scanners")
	s.Look("scanners-none")
	own := w.Stamp(key, "ours").Reference
	scan(w, own, time.Hour, 0)
	old := scan(w, own, 9*24*time.Hour, -3*time.Hour)
	scan(w, own, 30*time.Hour, 0)
	s.At("/console/scanners")
	s.Is("/console/scanners", "Scanners")
	s.Look("scanners")
	s.At("/console/scanners/device/" + old)
	s.Fill("name", "Library desk")
	s.Look("scanner")
	s.At("/console/scanners/enrolment")
	s.Is("/console/scanners/enrolment", "Enrolment sheet")
	s.Look("sheet")
	if got, want := s.ScannedAt(".code-pic"), w.URL+"/scan/#"; !strings.HasPrefix(got, want) || !strings.Contains(got, w.Admin.Publisher.Fingerprint().String()) {
		t.Errorf("the QR code says %q, want %q and the fingerprint", got, want)
	}
	s.Language("ar")
	s.At("/console/scanners")
	s.Look("scanners-ar")
	s.Quiet()
}
