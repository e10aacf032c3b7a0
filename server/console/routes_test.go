package console_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"tcode/server/account"
	"tcode/server/console/consoletest"
	"tcode/server/console/frame"
	"tcode/server/internal/harness"
)

// placeholder is a part of a pattern that a request chooses.
var placeholder = regexp.MustCompile(`\{[a-z]+\}`)

// noThing has the form of every id.
const noThing = "01999999-9999-7999-8999-999999999999"

// split returns method and a path of a route.
func split(r frame.Route) (method, path string) {
	method, path, _ = strings.Cut(r.Pattern, " ")
	return method, placeholder.ReplaceAllString(strings.TrimSuffix(path, "{$}"), noThing)
}

// routes returns all routes of all areas.
func routes(t *testing.T, w *consoletest.World) []frame.Route {
	t.Helper()
	f, err := w.Admin.Console()
	harness.Must(t, err)
	if len(f.Routes()) < 12 {
		t.Fatalf("%d routes", len(f.Routes()))
	}
	return f.Routes()
}

// TestRoutes: every screen and form behind the door needs a session, and the role of its
// action; no other role gets more than "you may not see this".
func TestRoutes(t *testing.T) {
	t.Parallel()
	w := consoletest.NewWorld(t)
	all := routes(t, w)
	users := map[account.Role]*consoletest.Browser{}
	for _, role := range account.Roles() {
		spec := account.Spec{Tenant: "ACME01", Email: string(role) + "s@acme.example", Role: role}
		if role == account.Operator {
			spec.Tenant = ""
		}
		users[role] = w.Browser("browser")
		users[role].Enrol(w.Invite(spec))
	}
	stranger := w.Browser("browser")
	for _, r := range all {
		if r.Needs == "" {
			continue
		}
		method, path := split(r)
		var form url.Values
		if method == http.MethodPost {
			form = url.Values{}
		}
		stranger.Want(path, form, http.StatusSeeOther, "/console/signin")
		for role, b := range users {
			got := b.Send(path, form)
			refused := got.StatusCode == http.StatusForbidden && strings.Contains(got.Text, "You may not see this")
			if refused == role.May(r.Needs) || got.StatusCode >= 500 || got.Header.Get("Location") == "/console/signin" {
				t.Errorf("%s as %s: %d, refused %v", r.Pattern, role, got.StatusCode, refused)
			}
		}
	}
}

// TestOtherOrigins: every form is refused if another site sent it, and changes nothing.
func TestOtherOrigins(t *testing.T) {
	t.Parallel()
	w := consoletest.NewWorld(t)
	b := w.Browser("browser")
	b.Enrol(w.Invite(consoletest.Ruth(account.Owner)))
	spec := consoletest.Ruth(account.Owner)
	spec.Email = "sam@acme.example"
	link := w.Invite(spec)
	form := url.Values{"email": {"ruth@acme.example"}, "password": {consoletest.Password}, "again": {consoletest.Password}, "code": {"000000"}, "language": {"de"}}
	paths := []string{"/console/language", link}
	for _, r := range routes(t, w) {
		if method, path := split(r); method == http.MethodPost {
			paths = append(paths, path)
		}
	}
	if len(paths) < 8 {
		t.Fatalf("forms %v", paths)
	}
	for _, path := range paths {
		for _, h := range []http.Header{
			{"Origin": {"https://evil.example"}, "Sec-Fetch-Site": {"cross-site"}},
			{"Origin": {"https://evil.example"}, "Sec-Fetch-Site": {"same-site"}},
			{"Origin": {"https://evil.example"}, "Sec-Fetch-Site": nil},
			{"Origin": {"null"}, "Sec-Fetch-Site": {"cross-site"}},
			{"Origin": {"http://evil.example:80"}, "Sec-Fetch-Site": nil},
		} {
			b.Header = h
			if r := b.Send(path, form); r.StatusCode != 403 || len(r.Cookies()) != 0 || !strings.Contains(r.Text, "another site") {
				t.Errorf("%s with %v: %d %v", path, h, r.StatusCode, r.Cookies())
			}
		}
		b.Header = nil
	}
	b.Want("/console/", nil, 200, "")
	b.Want(link, nil, 200, "")
}
