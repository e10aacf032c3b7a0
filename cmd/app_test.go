package cmd_test

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"tcode/offline/trust"
	"tcode/scanner/web"
	"tcode/scanner/web/phonetest"
	"tcode/sync/feed"
	"tcode/testdata"
)

// appPhone returns a phone that is off, where the app can run.
func appPhone(t *testing.T) *phonetest.Phone {
	t.Helper()
	if !web.New().Built() {
		if os.Getenv("CI") == "true" {
			t.Fatal("the engine is not built: go generate ./scanner/web")
		}
		t.Skip("the engine is not built: go generate ./scanner/web")
	}
	return phonetest.New(t)
}

// fingerprint returns that of the gateway's trust root.
func (w *world) fingerprint() string {
	w.t.Helper()
	res, err := http.Get(w.url() + feed.Path + "root/1")
	if err != nil {
		w.t.Fatal(err)
	}
	state, err := trust.Pin([][]byte{[]byte(readAll(w.t, res.Body))}, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	return state.Fingerprint.String()
}

// enrolApp enrols the phone as its user does: by the link of the enrolment code.
func enrolApp(t *testing.T, w *world, p *phonetest.Phone) {
	t.Helper()
	p.On(w.url() + "/scan/#tcode-enrol=" + w.fingerprint())
	p.Wait("#device-name")
	p.Do(chromedp.Click(".actions .button--main"))
	p.Wait(".hero")
}

func picture(t *testing.T, p *phonetest.Phone, name string) {
	dir := os.Getenv("TCODE_SCREENSHOTS")
	if dir == "" {
		return
	}
	raw, err := chromedp.Run(p.Context(), chromedp.CaptureScreenshot())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), raw, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestAppInTheField: a phone enrols by the link of a code, judges a stamped file, and its scan reaches the gateway.
func TestAppInTheField(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	letter, err := testdata.Documents.ReadFile("documents/letter.pdf")
	if err != nil {
		t.Fatal(err)
	}
	paper := w.stamp(w.issuers[0], "letter", letter)
	w.published(0)
	p := appPhone(t)
	enrolApp(t, w, p)
	picture(t, p, "enrolled")
	judged := phonetest.Must[map[string]any](p, "file", map[string]any{"name": "letter.pdf", "bytes": paper.pdf})
	t.Log(judged)
	time.Sleep(3 * time.Second)
	t.Log(phonetest.Must[map[string]any](p, "history", nil))
	t.Log(phonetest.Must[map[string]any](p, "counts", nil))
	t.Log(phonetest.Must[map[string]any](p, "trust", nil))
	picture(t, p, "after")
	for _, wrong := range p.Wrong() {
		t.Error(wrong)
	}
	t.Log(w.scansAtGateway())
}
