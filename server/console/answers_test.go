package console_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"tcode/server/account"
	"tcode/server/console/consoletest"
	"tcode/server/internal/harness"
)

// TestHeaders: no cache keeps a screen, no script runs, and the cookie of a session is for
// the console alone, over HTTPS where the browser uses it.
func TestHeaders(t *testing.T) {
	t.Parallel()
	w := consoletest.NewWorld(t)
	b := w.Browser("browser")
	b.Enrol(w.Invite(consoletest.Ruth(account.Viewer)))
	for path, status := range map[string]int{"/console/": 200, "/console/sessions": 200, "/console/x": 404} {
		r := b.Want(path, nil, status, "")
		csp := r.Header.Get("Content-Security-Policy")
		if r.Header.Get("Cache-Control") != "no-store" || !strings.HasPrefix(csp, "default-src 'none'; style-src 'self';") || strings.Contains(csp, "script") ||
			r.Header.Get("X-Content-Type-Options") != "nosniff" || r.Header.Get("TCode-Trace-Id") == "" {
			t.Errorf("%s: %v", path, r.Header)
		}
		if inline := regexp.MustCompile(`<script|<style| style=| on[a-z]+=`).FindString(r.Text); inline != "" {
			t.Errorf("%s has %q", path, inline)
		}
	}
	sheet := regexp.MustCompile(`href="(/console/assets/console-[0-9a-f]{16}\.css)"`).FindStringSubmatch(b.Send("/console/", nil).Text)[1]
	if r := b.Want(sheet, nil, 200, ""); !strings.Contains(r.Header.Get("Cache-Control"), "immutable") || !strings.HasPrefix(r.Header.Get("Content-Type"), "text/css") {
		t.Errorf("style sheet: %v", r.Header)
	}
	w.Clock.Add(time.Minute)
	for _, secure := range []bool{false, true} {
		if b = w.Browser("browser"); secure {
			b.Header = http.Header{"X-Forwarded-Proto": {"https"}}
		}
		r := b.Send("/console/signin", url.Values{"email": {"ruth@acme.example"}, "password": {consoletest.Password}})
		cookies := r.Cookies()
		if len(cookies) == 0 {
			t.Fatal("no cookie")
		}
		c := cookies[len(cookies)-1]
		if c.Path != "/console" || !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Secure != secure || strings.HasPrefix(c.Name, "__Secure-") != secure || c.MaxAge < 60 {
			t.Errorf("secure %v: %v", secure, c)
		}
	}
}

// TestGuesses: guesses of passwords and codes are bounded, and an address without an
// account gets the same answers.
func TestGuesses(t *testing.T) {
	t.Parallel()
	w := consoletest.NewWorld(t)
	b := w.Browser("browser")
	secret := b.Enrol(w.Invite(consoletest.Ruth(account.Owner)))
	w.Clock.Add(time.Minute)
	said := map[string][]string{}
	for _, email := range []string{"ruth@acme.example", "nothing@acme.example"} {
		for range 7 {
			r := w.Browser("guess").Send("/console/signin", url.Values{"email": {email}, "password": {"wrong password"}})
			said[email] = append(said[email], r.Status+r.Header.Get("Retry-After")+strings.ReplaceAll(r.Text, email, ""))
		}
	}
	for i, one := range said["ruth@acme.example"] {
		if one != said["nothing@acme.example"][i] {
			t.Errorf("answers to guess %d differ:\n%s\n%s", i, one, said["nothing@acme.example"][i])
		}
		if strings.HasPrefix(one, "429") != (i >= 5) || i >= 5 && !strings.Contains(one, "Wait 1 min") {
			t.Errorf("guess %d: %.60s", i, one)
		}
	}
	w.Clock.Add(2 * time.Minute)
	b.Want("/console/signin", url.Values{"email": {"ruth@acme.example"}, "password": {consoletest.Password}}, 303, "/console/code")
	for i := range 7 {
		want := 403
		if i >= 5 {
			want = 429
		}
		b.Want("/console/code", url.Values{"code": {"000000"}}, want, "")
	}
	b.Want("/console/code", url.Values{"code": {w.Code(secret)}}, 429, "")
	if r := b.Send("/console/signin", url.Values{"password": {strings.Repeat("x", 20_000)}}); r.StatusCode == 200 {
		t.Error("a large form is accepted")
	}
}

// TestKnownBrowser: strangers who guess at a password do not keep its user out of a browser
// that signed in before.
func TestKnownBrowser(t *testing.T) {
	t.Parallel()
	w := consoletest.NewWorld(t)
	b := w.Browser("browser")
	secret := b.Enrol(w.Invite(consoletest.Ruth(account.Owner)))
	mark := b.Cookie("/console/", "tcode-console-browser")
	if mark == nil || mark.Value == "" {
		t.Fatal("a signed-in browser keeps no mark")
	}
	b.Want("/console/signout", url.Values{}, 303, "/console/signin")
	right := url.Values{"email": {"ruth@acme.example"}, "password": {consoletest.Password}}
	for range 7 {
		w.Browser("stranger").Send("/console/signin", url.Values{"email": right["email"], "password": {"wrong password"}})
	}
	w.Browser("browser").Want("/console/signin", right, 429, "")
	b.SignIn(secret)
}

// TestRoles: the first screen tells each role its rights.
func TestRoles(t *testing.T) {
	t.Parallel()
	w := consoletest.NewWorld(t)
	for role, want := range map[account.Role][2]int{account.Viewer: {2, 0}, account.Issuer: {3, 0}, account.Owner: {6, 0}, account.Operator: {2, 1}} {
		spec := account.Spec{Tenant: "ACME01", Email: string(role) + "s@acme.example", Role: role}
		if role == account.Operator {
			spec.Tenant = ""
		}
		b := w.Browser("browser")
		b.Enrol(w.Invite(spec))
		page := b.Send("/console/account", nil).Text
		if n := strings.Count(page, "#i-check"); n != want[0] {
			t.Errorf("%s: %d rights", role, n)
		}
		if got := strings.Count(page, "run the gateway"); got != want[1] {
			t.Errorf("%s runs the gateway: %d", role, got)
		}
	}
}

// TestLanguages: no language lacks a word, and the person's choice counts more than the
// browser's.
func TestLanguages(t *testing.T) {
	t.Parallel()
	w := consoletest.NewWorld(t)
	f, err := w.Admin.Console()
	harness.Must(t, err)
	for _, word := range f.Missing() {
		t.Error("missing: " + word)
	}
	b := w.Browser("browser")
	b.Header = http.Header{"Accept-Language": {"de-AT, en;q=0.5"}}
	if r := b.Want("/console/signin", nil, 200, ""); r.Header.Get("Content-Language") != "de" || !strings.Contains(r.Text, "An der Konsole anmelden") {
		t.Errorf("German: %s", r.Text)
	}
	for back, to := range map[string]string{
		"/console/signin": "/console/signin", "https://evil.example/": "/console/", "//evil.example/console/": "/console/", "/console/../x": "/console/",
		`/console/\evil.example`: "/console/", "/console/signin?x=1": "/console/", "": "/console/",
	} {
		b.Want("/console/language", url.Values{"language": {"ar"}, "back": {back}}, 303, to)
	}
	if r := b.Want("/console/signin", nil, 200, ""); !strings.Contains(r.Text, `<html lang="ar" dir="rtl">`) {
		t.Errorf("Arabic: %s", r.Text)
	}
	b.Want("/console/language", url.Values{"language": {"<x>"}, "back": {"/console/signin"}}, 303, "/console/signin")
}
