package app_test

import (
	"bytes"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"tcode/cmd/internal/world"
	"tcode/offline/trust"
	"tcode/scanner/web"
	"tcode/scanner/web/phonetest"
	"tcode/sync/feed"
	"tcode/testdata"
)

// needEngine skips the test where the app was built without its engine, or fails it where all tests must run.
func needEngine(t *testing.T) {
	t.Helper()
	if !web.New().Built() {
		if os.Getenv("CI") == "true" {
			t.Fatal("the engine is not built: go generate ./scanner/web")
		}
		t.Skip("the engine is not built: go generate ./scanner/web")
	}
}

// appPhone returns a phone that is off, where the app can run.
func appPhone(t *testing.T) *phonetest.Phone {
	t.Helper()
	needEngine(t)
	return phonetest.New(t)
}

// fingerprint returns that of the gateway's trust root.
func fingerprint(w *world.World) string {
	w.T.Helper()
	res, err := http.Get(w.URL() + feed.Path + "root/1")
	if err != nil {
		w.T.Fatal(err)
	}
	state, err := trust.Pin([][]byte{[]byte(world.ReadAll(w.T, res.Body))}, nil)
	if err != nil {
		w.T.Fatal(err)
	}
	return state.Fingerprint.String()
}

// enrolApp enrols the phone as its user does: by the link of the enrolment code.
func enrolApp(t *testing.T, w *world.World, p *phonetest.Phone,
	options ...chromedp.ExecAllocatorOption,
) {
	t.Helper()
	enrolAppAt(t, w.URL(), fingerprint(w), p, options...)
}

// enrolAppAt is enrolApp for the address of a proxy.
func enrolAppAt(t *testing.T, address, fingerprint string, p *phonetest.Phone, options ...chromedp.ExecAllocatorOption) {
	t.Helper()
	p.On(address+"/scan/#tcode-enrol="+fingerprint, options...)
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

// stampedForApp returns a world with one stamped letter that its trust documents know.
func stampedForApp(t *testing.T) (*world.World, world.Paper) {
	t.Helper()
	w := world.New(t, 1)
	letter, err := testdata.Documents.ReadFile("documents/letter.pdf")
	if err != nil {
		t.Fatal(err)
	}
	p := w.Stamp(w.Issuers[0], "letter", letter)
	w.AwaitPublished(0)
	return w, p
}

// appAnswer is the part of an answer that these tests look at.
type appAnswer struct {
	Answer struct {
		Findings []struct{ ScanID, Verdict string }
		Screens  []struct{ Headline string }
	}
}

// appHistory is a page of the history, as far as these tests look at it.
type appHistory struct {
	Entries []appHistoryEntry
	More    bool
}

type appHistoryEntry struct{ ScanID, State, Headline string }

// sentAll waits until nothing waits on the phone, and returns its history.
func sentAll(t *testing.T, p phonetest.Page) appHistory {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if phonetest.Must[struct{ Waiting int }](p, "counts", nil).Waiting == 0 {
			return phonetest.Must[appHistory](p, "history", map[string]any{"limit": 500})
		}
		if _, err := phonetest.Ask[any](p, "sync", nil); err != nil {
			t.Fatal(err)
		}
	}
	t.Fatal("scans still wait")
	return appHistory{}
}

// onceAtGateway checks that the gateway has each scan of the history exactly once, and no other.
func onceAtGateway(t *testing.T, w *world.World, h appHistory) {
	t.Helper()
	at := w.ScansAtGateway()
	if len(at) != len(h.Entries) || h.More {
		t.Errorf("%d scans on the phone, %d at the gateway", len(h.Entries), len(at))
	}
	for _, e := range h.Entries {
		if at[e.ScanID] != 1 || e.State != "done" {
			t.Errorf("scan %s is %s, and %d times at the gateway", e.ScanID, e.State, at[e.ScanID])
		}
	}
}

// TestAppInTheField: a phone enrols by the link of a code and judges a file. The gateway ends, the browser ends and starts again:
// the app opens, judges and keeps. The gateway comes back and gets each scan once. A changed file is never valid.
func TestAppInTheField(t *testing.T) {
	t.Parallel()
	w, stamped := stampedForApp(t)
	p := appPhone(t)
	enrolApp(t, w, p)
	p.Do(chromedp.EmulateViewport(390, 720))
	picture(t, p, "enrolled")
	judge := func(pdf []byte, want string) string {
		t.Helper()
		a := phonetest.Must[appAnswer](p, "file", map[string]any{"name": "letter.pdf", "bytes": pdf}).Answer
		if len(a.Screens) != 1 || a.Screens[0].Headline != want {
			t.Fatalf("answer %+v, want %s", a, want)
		}
		return a.Findings[0].ScanID
	}
	online := judge(stamped.PDF, "valid")
	h := sentAll(t, p)
	onceAtGateway(t, w, h)
	kept := `navigator.serviceWorker.ready.then(() => caches.has('tcode-files'))`
	if !phonetest.Eval[bool](p, kept) {
		t.Fatal("the app is not kept on the phone")
	}
	p.Do(chromedp.Reload()) // now the service worker answers
	p.Wait("#title")
	w.Down()
	p.Off()
	p.On(w.URL() + "/scan/")
	p.Wait("#title")
	offline := judge(stamped.PDF, "valid")
	changed := bytes.Replace(stamped.PDF, []byte("%PDF-1."), []byte("%PDF-2."), 1)
	judge(changed, "not_genuine")
	p.Do(chromedp.Navigate(w.URL() + "/scan/#/answer/" + offline))
	p.Wait(".verdict__word")
	p.Do(chromedp.EmulateViewport(390, 720))
	picture(t, p, "offline")
	if word := phonetest.Eval[string](p, `document.querySelector('.verdict__word').textContent`); word != "VALID" {
		t.Errorf("the screen says %q", word)
	}
	p.Off()
	w.Start()
	p.On(w.URL() + "/scan/#/history")
	p.Wait(".item")
	h = sentAll(t, p)
	picture(t, p, "history")
	onceAtGateway(t, w, h)
	if len(h.Entries) != 3 || h.Entries[2].ScanID != online || h.Entries[1].ScanID != offline {
		t.Errorf("history %+v", h)
	}
	for _, wrong := range p.Wrong() {
		t.Error(wrong)
	}
}

// TestAppKills kills Chromium while a file is judged, at random moments and right behind the answer, with a gateway that takes
// scans meanwhile. Each answer that was shown has its scan after the next start, and the gateway gets every scan once.
// TCODE_APP_KILLS is the number of kills of each kind.
func TestAppKills(t *testing.T) {
	t.Parallel()
	w, stamped := stampedForApp(t)
	p := appPhone(t)
	enrolApp(t, w, p)
	p.Off()
	kills := world.Count(t, "TCODE_APP_KILLS", 2)
	shown, unknown := map[string]bool{}, 0
	for round := range 2 * kills {
		p.On(w.URL() + "/scan/")
		p.Wait("#title")
		phonetest.Must[any](p, "counts", nil)
		killed := make(chan struct{})
		if round%2 == 0 {
			go func() {
				defer close(killed)
				time.Sleep(rand.N(120 * time.Millisecond))
				p.Kill()
			}()
		} else {
			close(killed)
		}
		r, err := phonetest.Ask[appAnswer](p, "file",
			map[string]any{"name": "letter.pdf", "bytes": stamped.PDF})
		<-killed
		p.Kill()
		switch {
		case err != nil:
			unknown++
		case !r.OK:
			t.Errorf("round %d: %s %s", round, r.Code, r.Why)
		default:
			shown[r.Result.Answer.Findings[0].ScanID] = true
		}
	}
	p.On(w.URL() + "/scan/")
	p.Wait("#title")
	h := sentAll(t, p)
	onceAtGateway(t, w, h)
	for _, e := range h.Entries {
		delete(shown, e.ScanID)
	}
	if len(shown) > 0 {
		t.Errorf("answers were shown whose scans are lost: %v", shown)
	}
	t.Logf("%d kills, %d without a reply, %d scans on the phone and at the gateway", 2*kills, unknown, len(h.Entries))
}
