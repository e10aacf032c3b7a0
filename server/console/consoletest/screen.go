package consoletest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/qrcode"

	_ "image/png"

	"tcode/offline/host/browsertest"
	"tcode/server/account"
	"tcode/testdata/corpus"
)

// Screen is a Chromium tab on the console.
type Screen struct {
	T      *testing.T
	Ctx    context.Context
	w      *World
	axe    string
	looked int         // screens that Look has checked
	said   chan string // errors of the browser's log
}

// Open starts Chromium.
func Open(t *testing.T, w *World) *Screen {
	t.Helper()
	chromium := browsertest.Headless(t)
	axe, err := os.ReadFile(filepath.Join(corpus.Root(), "server", "pages", "axe", "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		missing(t, "axe-core is not installed: npm ci in server/pages/axe")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	t.Cleanup(cancel)
	ctx, end := chromedp.NewContext(ctx, chromedp.WithAllocatorOptions(chromedp.ExecPath(chromium), chromedp.NoSandbox))
	t.Cleanup(end)
	s := &Screen{T: t, Ctx: ctx, w: w, axe: string(axe), said: make(chan string, 100)}
	s.Do(chromedp.Navigate("about:blank"))
	entries := chromedp.Events(ctx, log.EntryAdded)
	if _, err := chromedp.Call(ctx, log.Enable, cdp.Empty{}); err != nil {
		t.Fatal(err)
	}
	go func() {
		for e, err := range entries {
			if err == nil && (e.Entry.Level == log.EntryLevelError || e.Entry.Source == log.EntrySourceSecurity) {
				s.said <- e.Entry.Text
			}
		}
	}()
	return s
}

// missing skips the test, or fails it where all tests must run.
func missing(t *testing.T, why string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(why)
	}
	t.Skip(why)
}

// Do does steps in the tab.
func (s *Screen) Do(steps ...chromedp.Action[chromedp.Void]) {
	s.T.Helper()
	if err := chromedp.Do(s.Ctx, steps...); err != nil {
		s.T.Fatal(err)
	}
}

// Eval returns the value of a script on the present page.
func Eval[T any](s *Screen, script string) T {
	s.T.Helper()
	v, err := chromedp.Run(s.Ctx, chromedp.Evaluate[T](script, chromedp.EvalAwaitPromise))
	if err != nil {
		s.T.Fatalf("%.100s: %v", script, err)
	}
	return v
}

// At navigates to a path of the gateway.
func (s *Screen) At(path string) { s.T.Helper(); s.Do(chromedp.Navigate(s.w.URL + path)) }

// Fill types into fields, names and texts alternately, and sends the form of the last one.
func (s *Screen) Fill(fields ...string) {
	s.T.Helper()
	for i := 0; i < len(fields); i += 2 {
		s.Do(chromedp.SendKeys(chromedp.ID(fields[i]), fields[i+1]))
	}
	s.Press(fmt.Sprintf(`#%s`, fields[len(fields)-2]))
}

// Press sends the form that has the element, as Enter in a field does.
func (s *Screen) Press(selector string) {
	s.T.Helper()
	s.leave(selector, fmt.Sprintf(`(document.querySelector(%q).form || document.querySelector(%q)).requestSubmit(), true`, selector, selector))
}

// Follow follows a link.
func (s *Screen) Follow(selector string) {
	s.T.Helper()
	s.leave(selector, fmt.Sprintf(`document.querySelector(%q).click(), true`, selector))
}

// leave runs a script that leaves the page, and waits until the next one has loaded.
func (s *Screen) leave(selector, script string) {
	s.T.Helper()
	if _, err := chromedp.Run(s.Ctx, chromedp.WaitEvent(page.LoadEventFired, nil, chromedp.Evaluate[bool](script))); err != nil {
		s.T.Fatalf("%s: %v", selector, err)
	}
}

// Until waits until a page has loaded for which the condition, in JavaScript, is true.
func (s *Screen) Until(condition string) {
	s.T.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		ok, err := chromedp.Run(s.Ctx, chromedp.Evaluate[bool](`(() => { try { return document.readyState === 'complete' && !!(`+condition+`) } catch { return false } })()`)) // fails while a page gives way to another
		if err == nil && ok {
			return
		}
		if time.Now().After(deadline) {
			s.T.Fatalf("never %s: %s", condition, Eval[string](s, `document.body.innerText`))
		}
	}
}

// Is checks the path and the heading of the present screen, once it has loaded: a script may have
// left the one before it.
func (s *Screen) Is(path, heading string) {
	s.T.Helper()
	s.Until(`true`)
	at, h1 := Eval[string](s, `location.pathname`), Eval[string](s, `document.querySelector('h1')?.textContent ?? ''`)
	if at != path || h1 != heading {
		s.T.Fatalf("at %s %q, want %s %q", at, h1, path, heading)
	}
}

// Quiet fails the test if the browser logged an error.
func (s *Screen) Quiet() {
	s.T.Helper()
	for {
		select {
		case said := <-s.said:
			s.T.Errorf("the browser logs: %s", said)
		default:
			return
		}
	}
}

// A look is a way in which each screen is checked.
type look struct {
	width  int64 // px
	scheme string
}

var looks = []look{{1280, "light"}, {360, "dark"}}

// The options of axe: all its rules, and the rules whose result depends on colours and on the
// width of the window.
const (
	allRules  = `{rules: {'target-size': {enabled: true}}}`
	lookRules = `{runOnly: ['color-contrast', 'link-in-text-block', 'scrollable-region-focusable', 'target-size']}`
)

// Look checks the present screen, wide and narrow, light and dark, and saves pictures to
// TCODE_SCREENSHOTS if that is set. The narrow, dark form of later screens has the same frame
// as that of the first, so that axe checks only its colours and widths, and does so for each
// third screen, or for all with TCODE_LOOKS=all.
func (s *Screen) Look(name string) {
	s.T.Helper()
	for i, l := range looks {
		s.Do(chromedp.EmulateViewport(l.width, 800))
		_, err := chromedp.Call(s.Ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: l.scheme}, {Name: "prefers-reduced-motion", Value: "reduce"}}})
		if err != nil {
			s.T.Fatal(err)
		}
		s.fits(name, int(l.width))
		switch {
		case i == 0:
			Eval[bool](s, s.axe+";true")
			s.axeFinds(name, l, allRules)
		case s.looked == 0:
			s.axeFinds(name, l, allRules)
		case s.looked%3 == 0 || os.Getenv("TCODE_LOOKS") == "all":
			s.axeFinds(name, l, lookRules)
		}
		s.shoot(name, l)
	}
	s.looked++
	s.Do(chromedp.EmulateViewport(320, 800))
	s.fits(name, 320)
	s.Do(chromedp.EmulateViewport(1280, 800))
}

// fits fails the test if the screen is wider than the window.
func (s *Screen) fits(name string, width int) {
	s.T.Helper()
	if wide := Eval[int](s, `document.documentElement.scrollWidth`); wide > width {
		s.T.Errorf("%s: %d px wide at %d", name, wide, width)
	}
}

// axeFinds fails the test for each violation that axe finds.
func (s *Screen) axeFinds(name string, l look, rules string) {
	s.T.Helper()
	var found struct {
		Passes     int
		Violations []string
	}
	raw := Eval[string](s, `scrollTo(0, 0), axe.run(`+rules+`).then(r => JSON.stringify({passes: r.passes.length, violations: r.violations.map(v => v.id + ': ' + v.nodes.map(n => n.html).join(' '))}))`)
	if err := json.Unmarshal([]byte(raw), &found); err != nil || found.Passes < 10 && rules == allRules {
		s.T.Errorf("%s: %d rules passed, %v", name, found.Passes, err)
	}
	for _, v := range found.Violations {
		s.T.Errorf("%s, %d px, %s: %s", name, l.width, l.scheme, v)
	}
}

// shoot saves a picture of the screen.
func (s *Screen) shoot(name string, l look) {
	s.T.Helper()
	dir := os.Getenv("TCODE_SCREENSHOTS")
	if dir == "" {
		return
	}
	shot, err := chromedp.Run(s.Ctx, chromedp.CaptureScreenshot())
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, fmt.Sprintf("%s-%d-%s.png", name, l.width, l.scheme)), shot, 0o600)
	}
	if err != nil {
		s.T.Error(err)
	}
}

// Language chooses the language of the screens.
func (s *Screen) Language(tag string) {
	s.T.Helper()
	s.Do(chromedp.SetValue(chromedp.ID("language"), tag))
	s.Press("#language")
}

// Scanned reads the QR code on the screen, as an app does.
func (s *Screen) Scanned() string { s.T.Helper(); return s.ScannedAt(".qr") }

// ScannedAt reads the QR code that is the first element of a selector.
func (s *Screen) ScannedAt(selector string) string {
	s.T.Helper()
	shot, err := chromedp.Run(s.Ctx, chromedp.Screenshot(chromedp.CSS(selector)))
	if err != nil {
		s.T.Fatal(err)
	}
	picture, _, err := image.Decode(bytes.NewReader(shot))
	if err != nil {
		s.T.Fatal(err)
	}
	bits, err := gozxing.NewBinaryBitmapFromImage(picture)
	if err != nil {
		s.T.Fatal(err)
	}
	read, err := qrcode.NewQRCodeReader().Decode(bits, nil)
	if err != nil {
		s.T.Fatal(err)
	}
	return read.GetText()
}

// Forgive drops the errors that the browser logged so far: a refused form is one.
func (s *Screen) Forgive() { s.said = make(chan string, 100) }

// As signs a new user in, without the screens of the door, and returns a client with the
// same session.
func (s *Screen) As(spec account.Spec) *Browser {
	s.T.Helper()
	b := s.w.Browser(Eval[string](s, `navigator.userAgent`))
	b.Enrol(s.w.Invite(spec))
	c := b.Token()
	if _, err := chromedp.Call(s.Ctx, network.SetCookie, network.SetCookieParams{Name: c.Name, Value: c.Value, URL: s.w.URL + "/console", Path: "/console", HTTPOnly: new(true)}); err != nil {
		s.T.Fatal(err)
	}
	return b
}
