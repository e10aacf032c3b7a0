package console_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"tcode/server/account"
	"tcode/server/console/consoletest"
)

// TestWayIn: an operator opens the link of "user create", chooses a password, sets up the
// second factor, signs out and in, and ends the session; every screen passes axe, in
// English and Arabic.
//
//engine:sqlite the screens are the same on both
func TestWayIn(t *testing.T) {
	t.Parallel()
	w := consoletest.NewWorld(t)
	s := consoletest.Open(t, w)
	link := w.Invite(account.Spec{Email: "ada@example.org", Name: "Ada Byron", Role: account.Operator})

	s.At("/console/")
	s.Is("/console/signin", "Sign in to the console")
	s.Look("signin")
	s.At(link)
	s.Is(link, "Welcome, Ada Byron")
	s.Look("welcome")
	s.Quiet()
	s.Fill("password", consoletest.Password, "again", "another one")
	s.Look("welcome-wrong")
	s.Forgive() // a refused form is an error of its page
	s.Fill("password", consoletest.Password, "again", consoletest.Password)
	s.Is("/console/enrol", "Set up your second factor")
	s.Look("enrol")
	secret := consoletest.Eval[string](s, `document.querySelector('.key').textContent`)
	if got := s.Scanned(); got != "otpauth://totp/TCode:ada@example.org?issuer=TCode&secret="+secret {
		t.Errorf("the QR code says %q", got)
	}
	s.Fill("code", w.Code(secret))
	s.Is("/console/enrol", "Keep these recovery codes")
	s.Look("recovery")
	s.At("/console/")
	s.Is("/console/", "Overview")
	s.Look("overview")
	s.Press(`form[action="/console/signout"]`)
	s.Is("/console/signin", "Sign in to the console")

	w.Clock.Add(time.Minute)
	s.Fill("email", "ada@example.org", "password", consoletest.Password)
	s.Is("/console/code", "Code from your app")
	s.Look("code")
	s.Quiet()
	s.Fill("code", "000000")
	s.Look("code-wrong")
	s.Forgive()
	s.Fill("code", w.Code(secret))
	s.Is("/console/", "Overview")
	s.Language("ar")
	s.Is("/console/", "نظرة عامة")
	s.Look("overview-ar")
	s.At("/console/sessions")
	s.Look("sessions-ar")
	s.Language("en")
	s.Look("sessions")
	s.Quiet()
	s.Press(`form[action="/console/sessions/end"]:has([name=id])`) // the newest: this one
	s.Is("/console/signin", "Sign in to the console")
	s.At("/console/sessions")
	s.Is("/console/signin", "Sign in to the console")
	s.Language("ar")
	s.Look("signin-ar")
	s.Language("en")

	for range 6 {
		s.Fill("email", "ada@example.org", "password", "guess")
		consoletest.Eval[string](s, `document.getElementById('email').value = ''`)
	}
	if got := consoletest.Eval[string](s, `document.querySelector('.notice strong').textContent`); got != "Wait 1 min" {
		t.Errorf("after six guesses: %q", got)
	}
	s.Look("locked")
	s.At("/console/welcome/x")
	s.Look("link")
}

// TestHostileTexts: names of people and tenants, addresses and agents stay text on every
// screen. TestHostileData has the other data, and all texts.
//
//engine:sqlite the screens are the same on both
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	w := consoletest.NewWorld(t)
	s := consoletest.Open(t, w)
	for i, text := range consoletest.Hostile {
		if i%4 != 0 { // the passwords of 41 people take long
			continue
		}
		ref := fmt.Sprintf("HOST%02d", i)
		if _, err := w.Admin.Tenants.CreateTenant(t.Context(), text, ref); err != nil {
			t.Fatal(err)
		}
		b := w.Browser(strings.Map(func(r rune) rune { return min(r, 'W') }, text))
		link := w.Invite(account.Spec{Tenant: ref, Email: fmt.Sprintf("u%d@acme.example", i), Name: text, Role: account.Owner})
		s.At(link)
		if got := consoletest.Eval[string](s, `document.querySelector('h1 bdi').textContent`); got != text {
			t.Errorf("%q is shown as %q", text, got)
		}
		b.Enrol(link)
		// The browser shows the answers that the client got.
		for _, path := range []string{"/console/", "/console/sessions"} {
			raw, err := json.Marshal(b.Want(path, nil, 200, "").Text)
			if err != nil {
				t.Fatal(err)
			}
			if n := consoletest.Eval[int](s, `(() => { const d = new DOMParser().parseFromString(`+string(raw)+`, 'text/html');
				return d.querySelectorAll('script, iframe, img, base, object, embed, style, [onmouseover], [onerror]').length + [...d.forms].filter(f => !f.getAttribute('action').startsWith('/console/')).length })()`); n != 0 {
				t.Errorf("%q has become %d elements of %s", text, n, path)
			}
			if got := consoletest.Eval[string](s, `new DOMParser().parseFromString(`+string(raw)+`, 'text/html').querySelector('.tenant bdi').textContent`); got != text {
				t.Errorf("the tenant %q is shown as %q", text, got)
			}
		}
		if consoletest.Eval[bool](s, `!!window.hit`) {
			t.Fatalf("%q has run", text)
		}
	}
	s.Quiet()
}
