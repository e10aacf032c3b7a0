package app_test

import (
	"bytes"
	"image"
	"image/jpeg"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"tcode/cmd/internal/world"
	"tcode/offline/payload"
	"tcode/scanner/gray"
	"tcode/scanner/simulate"
	"tcode/scanner/web/phonetest"
)

// TestAppVerdictAfterCommit: in the app with its engine, no word, colour or vibration of a verdict appears before both copies of its scan are
// durable. The probe notes each write, flush, transaction, reply and change of the page. It finds the faults that it
// makes itself: a reply before the database or the log has the scan, and a page that does not wait. With slow
// commits the page waits. TCODE_APP_LOOKS is the number of looks.
func TestAppVerdictAfterCommit(t *testing.T) {
	t.Parallel()
	w, stamped := stampedForApp(t)
	p := appPhone(t)
	proxy, err := phonetest.Probed(w.URL())
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(proxy)
	t.Cleanup(srv.Close)
	probe := p.Probe()
	enrolAppAt(t, srv.URL, fingerprint(w), p)

	changed := bytes.Replace(stamped.PDF, []byte("%PDF-1."), []byte("%PDF-2."), 1)
	kinds := []struct {
		look     phonetest.Look
		headline string
	}{
		{phonetest.Look{Kind: "file", Name: "letter.pdf", Bytes: stamped.PDF}, "VALID"},
		{
			phonetest.Look{Kind: "typed", Text: payload.EncodeText(stamped.Raw)},
			"GENUINE STAMP, COMPARE",
		},
		{phonetest.Look{Kind: "file", Name: "changed.pdf", Bytes: changed}, "NOT GENUINE"},
		{phonetest.Look{
			Kind: "still", Name: "photo.jpg",
			Bytes: photoOf(t, payload.EncodeText(stamped.Raw)),
		}, "GENUINE STAMP, COMPARE"},
		{phonetest.Look{Kind: "file", Name: "photo.jpg", Bytes: photoOf(t, simulate.StrangerText)}, "UNVERIFIED"},
	}
	looks := func(n int) (all []phonetest.Look) {
		for i := range n {
			all = append(all, kinds[i%len(kinds)].look)
		}
		return all
	}
	for _, mode := range []struct {
		name  string
		looks int
		fault bool
	}{
		{phonetest.Plain, world.Count(t, "TCODE_APP_LOOKS", 5), false},
		{phonetest.Slow, 2, false},
		{phonetest.EarlyDatabase, 1, true},
		{phonetest.EarlyLog, 1, true},
		{phonetest.EarlyPage, 1, true},
	} {
		events, headlines := probe.Looks(mode.name, looks(mode.looks)...)
		for i, h := range headlines {
			if want := kinds[i%len(kinds)].headline; h != want {
				t.Errorf("%s, look %d: %s, want %s", mode.name, i+1, h, want)
			}
		}
		wrong := phonetest.Late(events, mode.looks)
		if mode.fault && len(wrong) != mode.looks || !mode.fault && len(wrong) > 0 {
			t.Errorf("mode %q: the checker says %q of\n%+v", mode.name, wrong, events)
		}
		if held := slices.ContainsFunc(events, func(e phonetest.Event) bool { return e.What == "held" }); held != (mode.name == phonetest.Slow) {
			t.Errorf("mode %q: transactions were held: %v", mode.name, held)
		}
		t.Logf("mode %q: %d looks, %d events: %s", mode.name, mode.looks, len(events), strings.Join(wrong, "; "))
	}
	h := sentAll(t, p)
	onceAtGateway(t, w, h)
	for _, wrong := range p.Wrong() {
		t.Error(wrong)
	}
}

// photoOf returns a JPEG photo of the symbol of a text.
func photoOf(t *testing.T, text string) []byte {
	t.Helper()
	m := gray.New(1200, 900)
	m.Fill(225)
	simulate.Draw(m, symbolOf(t, text), simulate.Place{X: 500, Y: 300, ModulePx: 5, Quiet: 3}, 15, 235)
	var out bytes.Buffer
	if err := jpeg.Encode(&out, &image.Gray{Pix: m.Pix, Stride: m.Stride, Rect: image.Rect(0, 0, m.Width, m.Height)}, nil); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
