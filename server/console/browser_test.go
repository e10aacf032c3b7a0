package console_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/qrcode"

	_ "image/png"

	"tcode/server/account"
)

// screen is a Chromium tab on the console.
type screen struct {
	t    *testing.T
	ctx  context.Context
	w    *world
	axe  string
	said chan string // errors of the browser's log
}

func open(t *testing.T, w *world) *screen {
	t.Helper()
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		missing(t, "chromium is not installed")
	}
	axe, err := os.ReadFile(filepath.Join("..", "pages", "axe", "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		missing(t, "axe-core is not installed: npm ci in server/pages/axe")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	t.Cleanup(cancel)
	ctx, end := chromedp.NewContext(ctx, chromedp.WithAllocatorOptions(chromedp.ExecPath(chromium), chromedp.NoSandbox))
	t.Cleanup(end)
	s := &screen{t, ctx, w, string(axe), make(chan string, 100)}
	s.do(chromedp.Navigate("about:blank"))
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

func (s *screen) do(steps ...chromedp.Action[chromedp.Void]) {
	s.t.Helper()
	if err := chromedp.Do(s.ctx, steps...); err != nil {
		s.t.Fatal(err)
	}
}

func eval[T any](s *screen, script string) T {
	s.t.Helper()
	v, err := chromedp.Run(s.ctx, chromedp.Evaluate[T](script, chromedp.EvalAwaitPromise))
	if err != nil {
		s.t.Fatalf("%.100s: %v", script, err)
	}
	return v
}

// at navigates to a path of the gateway.
func (s *screen) at(path string) { s.t.Helper(); s.do(chromedp.Navigate(s.w.URL + path)) }

// fill types into fields, names and texts alternately, and sends the form of the last one.
func (s *screen) fill(fields ...string) {
	s.t.Helper()
	for i := 0; i < len(fields); i += 2 {
		s.do(chromedp.SendKeys(chromedp.ID(fields[i]), fields[i+1]))
	}
	s.press(fmt.Sprintf(`#%s`, fields[len(fields)-2]))
}

// press sends the form that has the element, as Enter in a field does.
func (s *screen) press(selector string) {
	s.t.Helper()
	if _, err := chromedp.Run(s.ctx, chromedp.WaitEvent(page.LoadEventFired, nil, chromedp.Evaluate[bool](
		fmt.Sprintf(`(document.querySelector(%q).form || document.querySelector(%q)).requestSubmit(), true`, selector, selector)))); err != nil {
		s.t.Fatalf("%s: %v", selector, err)
	}
}

// is checks the path and the heading of the present screen.
func (s *screen) is(path, heading string) {
	s.t.Helper()
	at, h1 := eval[string](s, `location.pathname`), eval[string](s, `document.querySelector('h1').textContent`)
	if at != path || h1 != heading {
		s.t.Fatalf("at %s %q, want %s %q", at, h1, path, heading)
	}
}

// quiet fails the test if the browser logged an error.
func (s *screen) quiet() {
	s.t.Helper()
	for {
		select {
		case said := <-s.said:
			s.t.Errorf("the browser logs: %s", said)
		default:
			return
		}
	}
}

// looks are the ways in which each screen is checked.
var looks = []struct {
	width  int64
	scheme string
}{{1280, "light"}, {360, "dark"}}

// look checks the present screen with axe, wide and narrow, light and dark, and saves
// pictures to TCODE_SCREENSHOTS if that is set.
func (s *screen) look(name string) {
	s.t.Helper()
	for _, l := range looks {
		s.do(chromedp.EmulateViewport(l.width, 800))
		_, err := chromedp.Call(s.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: l.scheme}, {Name: "prefers-reduced-motion", Value: "reduce"}}})
		if err != nil {
			s.t.Fatal(err)
		}
		if wide := eval[int](s, `document.documentElement.scrollWidth`); wide > int(l.width) {
			s.t.Errorf("%s: %d px wide at %d", name, wide, l.width)
		}
		eval[bool](s, s.axe+";true")
		var found struct {
			Passes     int
			Violations []string
		}
		raw := eval[string](s, `axe.run().then(r => JSON.stringify({passes: r.passes.length, violations: r.violations.map(v => v.id + ': ' + v.nodes.map(n => n.html).join(' '))}))`)
		if err := json.Unmarshal([]byte(raw), &found); err != nil || found.Passes < 10 {
			s.t.Errorf("%s: %d rules passed, %v", name, found.Passes, err)
		}
		for _, v := range found.Violations {
			s.t.Errorf("%s, %d px, %s: %s", name, l.width, l.scheme, v)
		}
		if dir := os.Getenv("TCODE_SCREENSHOTS"); dir != "" {
			shot, err := chromedp.Run(s.ctx, chromedp.CaptureScreenshot())
			if err == nil {
				err = os.WriteFile(filepath.Join(dir, fmt.Sprintf("%s-%d-%s.png", name, l.width, l.scheme)), shot, 0o600)
			}
			if err != nil {
				s.t.Error(err)
			}
		}
	}
	s.do(chromedp.EmulateViewport(320, 800))
	if wide := eval[int](s, `document.documentElement.scrollWidth`); wide > 320 {
		s.t.Errorf("%s: %d px wide at 320", name, wide)
	}
	s.do(chromedp.EmulateViewport(1280, 800))
}

// language chooses the language of the screens.
func (s *screen) language(tag string) {
	s.t.Helper()
	s.do(chromedp.SetValue(chromedp.ID("language"), tag))
	s.press("#language")
}

// scanned reads the QR code on the screen, as an app does.
func (s *screen) scanned() string {
	s.t.Helper()
	shot, err := chromedp.Run(s.ctx, chromedp.Screenshot(chromedp.CSS(".qr")))
	if err != nil {
		s.t.Fatal(err)
	}
	picture, _, err := image.Decode(bytes.NewReader(shot))
	if err != nil {
		s.t.Fatal(err)
	}
	bits, err := gozxing.NewBinaryBitmapFromImage(picture)
	if err != nil {
		s.t.Fatal(err)
	}
	read, err := qrcode.NewQRCodeReader().Decode(bits, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	return read.GetText()
}

// TestWayIn: an operator opens the link of "user create", chooses a password, sets up the
// second factor, signs out and in, and ends the session; every screen passes axe, in
// English and Arabic.
//
//engine:sqlite the screens are the same on both
func TestWayIn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := open(t, w)
	link := w.invite(account.Spec{Email: "ada@example.org", Name: "Ada Byron", Role: account.Operator})

	s.at("/console/")
	s.is("/console/signin", "Sign in to the console")
	s.look("signin")
	s.at(link)
	s.is(link, "Welcome, Ada Byron")
	s.look("welcome")
	s.quiet()
	s.fill("password", password, "again", "another one")
	s.look("welcome-wrong")
	s.said = make(chan string, 100) // a refused form is an error of its page
	s.fill("password", password, "again", password)
	s.is("/console/enrol", "Set up your second factor")
	s.look("enrol")
	secret := eval[string](s, `document.querySelector('.key').textContent`)
	if got := s.scanned(); got != "otpauth://totp/TCode:ada@example.org?issuer=TCode&secret="+secret {
		t.Errorf("the QR code says %q", got)
	}
	s.fill("code", w.code(secret))
	s.is("/console/enrol", "Keep these recovery codes")
	s.look("recovery")
	s.at("/console/")
	s.is("/console/", "Overview")
	s.look("overview")
	s.press(`form[action="/console/signout"]`)
	s.is("/console/signin", "Sign in to the console")

	w.clock.Add(time.Minute)
	s.fill("email", "ada@example.org", "password", password)
	s.is("/console/code", "Code from your app")
	s.look("code")
	s.quiet()
	s.fill("code", "000000")
	s.look("code-wrong")
	s.said = make(chan string, 100)
	s.fill("code", w.code(secret))
	s.is("/console/", "Overview")
	s.language("ar")
	s.is("/console/", "نظرة عامة")
	s.look("overview-ar")
	s.at("/console/sessions")
	s.look("sessions-ar")
	s.language("en")
	s.look("sessions")
	s.quiet()
	s.press(`form[action="/console/sessions/end"]:has([name=id])`) // the newest: this one
	s.is("/console/signin", "Sign in to the console")
	s.at("/console/sessions")
	s.is("/console/signin", "Sign in to the console")
	s.language("ar")
	s.look("signin-ar")
	s.language("en")

	for range 6 {
		s.fill("email", "ada@example.org", "password", "guess")
		eval[string](s, `document.getElementById('email').value = ''`)
	}
	if got := eval[string](s, `document.querySelector('.notice strong').textContent`); got != "Wait 1 min" {
		t.Errorf("after six guesses: %q", got)
	}
	s.look("locked")
	s.at("/console/welcome/x")
	s.look("link")
}

// hostile are texts that have caused harm in other programs.
var hostile = []string{
	`<script>window.hit=1</script>`, `"><img src=x onerror=window.hit=1>`, `</title></style><script>window.hit=1</script>`, `' onmouseover=window.hit=1 x='`, `javascript:window.hit=1`,
	`{{.Visit.User.Password}}`, `${window.hit=1}`, `&lt;b&gt;&#60;`, `<base href="https://evil.example/">`, `<form action=https://evil.example><input name=x>`, `<!-- -->]]><x/>`,
	"\u202egnp.exe \u2066", "a\u0301\u0301\u0301", strings.Repeat("W", 200),
}

// TestHostileTexts: names of people and tenants, addresses and agents stay text on every
// screen.
//
//engine:sqlite the screens are the same on both
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := open(t, w)
	for i, text := range hostile {
		ref := fmt.Sprintf("HOST%02d", i)
		if _, err := w.Admin.Tenants.CreateTenant(t.Context(), text, ref); err != nil {
			t.Fatal(err)
		}
		b := w.browser(strings.Map(func(r rune) rune { return min(r, 'W') }, text))
		link := w.invite(account.Spec{Tenant: ref, Email: fmt.Sprintf("u%d@acme.example", i), Name: text, Role: account.Owner})
		s.at(link)
		if got := eval[string](s, `document.querySelector('h1 bdi').textContent`); got != text {
			t.Errorf("%q is shown as %q", text, got)
		}
		b.enrol(link)
		// The browser shows the answers that the client got.
		for _, path := range []string{"/console/", "/console/sessions"} {
			raw, err := json.Marshal(b.want(path, nil, 200, "").body)
			if err != nil {
				t.Fatal(err)
			}
			if n := eval[int](s, `(() => { const d = new DOMParser().parseFromString(`+string(raw)+`, 'text/html');
				return d.querySelectorAll('script, iframe, img, base, object, embed, style, [onmouseover], [onerror]').length + [...d.forms].filter(f => !f.getAttribute('action').startsWith('/console/')).length })()`); n != 0 {
				t.Errorf("%q has become %d elements of %s", text, n, path)
			}
			if got := eval[string](s, `new DOMParser().parseFromString(`+string(raw)+`, 'text/html').querySelector('.tenant bdi').textContent`); got != text {
				t.Errorf("the tenant %q is shown as %q", text, got)
			}
		}
		if eval[bool](s, `!!window.hit`) {
			t.Fatalf("%q has run", text)
		}
	}
	s.quiet()
}
