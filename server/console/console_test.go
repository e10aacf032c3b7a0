package console_test

//race:off ./... whole gateways and a browser

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

func TestMain(m *testing.M) { harness.Main(m) }

// TestStages: no stage before the last shows a screen behind the door, and each step gives
// another token.
func TestStages(t *testing.T) {
	t.Parallel()
	w := consoletest.NewWorld(t)
	b := w.Browser("x")
	link := w.Invite(consoletest.Ruth(account.Owner))
	behind := func(to string) {
		t.Helper()
		for _, path := range []string{"/console/", "/console/sessions"} {
			b.Want(path, nil, 303, to)
		}
		b.Want("/console/sessions/end", url.Values{"id": {"x"}}, 303, to)
	}
	b.Want("/console", nil, 303, "/console/")
	behind("/console/signin")
	for _, wrong := range []url.Values{{"password": {"short"}, "again": {"short"}}, {"password": {consoletest.Password}, "again": {consoletest.Password + "x"}}} {
		b.Want(link, wrong, 400, "")
	}
	b.Want(link, nil, 200, "")
	b.Want(link, url.Values{"password": {consoletest.Password}, "again": {consoletest.Password}}, 303, "/console/enrol")
	b.Want(link, nil, 404, "") // used
	behind("/console/enrol")
	b.Want("/console/code", nil, 303, "/console/enrol")
	first := b.Token().Value
	b.Want("/console/enrol", url.Values{"code": {"000000"}}, 403, "")
	secret := consoletest.Key.FindStringSubmatch(b.Want("/console/enrol", nil, 200, "").Text)[1]
	if codes := b.Want("/console/enrol", url.Values{"code": {w.Code(secret)}}, 200, ""); strings.Count(codes.Text, "<li><code") != 10 {
		t.Errorf("no recovery codes: %s", codes.Text)
	}
	page := b.Want("/console/", nil, 200, "").Text
	for _, want := range []string{"Acme University", "ACME01", "Ruth Nakamura", "owner", "RN"} {
		if !strings.Contains(page, want) {
			t.Errorf("the first screen lacks %q", want)
		}
	}
	b.Want("/console/enrol", nil, 303, "/console/") // its codes are not shown again
	b.Want("/console/signin", nil, 303, "/console/")
	signedIn := b.Token().Value
	if signedIn == first {
		t.Error("the token stayed at sign-in")
	}
	b.Want("/console/signout", url.Values{}, 303, "/console/signin")
	if b.Token() != nil {
		t.Error("the browser has a token after signing out")
	}
	behind("/console/signin")
	w.Clock.Add(time.Minute)
	b.Want("/console/signin", url.Values{"email": {"ruth@acme.example"}, "password": {"wrong"}}, 403, "")
	b.Want("/console/signin", url.Values{"email": {"ruth@acme.example"}, "password": {consoletest.Password}}, 303, "/console/code")
	behind("/console/code")
	b.Want("/console/enrol", nil, 303, "/console/code")
	b.Want("/console/code", url.Values{"code": {"000000"}}, 403, "")
	b.Want("/console/code", url.Values{"code": {w.Code(secret)}}, 303, "/console/")
	b.Want("/console/nothing", nil, 404, "")
	b.Want("/console/welcome/"+strings.Repeat("A", 43), nil, 404, "")
}

// TestSessions: sessions that are fixed, stolen, expired or ended are refused.
func TestSessions(t *testing.T) {
	t.Parallel()
	w := consoletest.NewWorld(t)
	b := w.Browser("browser")
	secret := b.Enrol(w.Invite(consoletest.Ruth(account.Issuer)))

	fixed := w.Browser("browser").Steal(&http.Cookie{Name: "tcode-console", Value: strings.Repeat("A", 43)})
	fixed.Want("/console/", nil, 303, "/console/signin")
	fixed.SignIn(secret)
	if fixed.Token().Value == strings.Repeat("A", 43) {
		t.Error("a fixed token was taken over")
	}
	// The user's list has both; each can end the other.
	if list := b.Want("/console/sessions", nil, 200, "").Text; strings.Count(list, `action="/console/sessions/end"`) != 2 || strings.Count(list, "this one") != 1 {
		t.Errorf("sessions: %s", list)
	}
	ids := regexp.MustCompile(`name="id" value="([0-9a-f-]{36})"`).FindAllStringSubmatch(b.Send("/console/sessions", nil).Text, -1)
	b.Want("/console/sessions/end", url.Values{"id": {ids[0][1]}}, 303, "/console/sessions") // the newest
	fixed.Want("/console/", nil, 303, "/console/signin")
	b.Want("/console/", nil, 200, "")

	thief := w.Browser("another browser").Steal(b.Token())
	thief.Want("/console/", nil, 303, "/console/signin")
	b.Want("/console/", nil, 303, "/console/signin") // and the stolen session has ended

	b.SignIn(secret)
	old := *b.Token()
	w.Clock.Add(account.Idle)
	w.Browser("browser").Steal(&old).Want("/console/", nil, 303, "/console/signin")

	// A session of another user cannot be ended.
	b.SignIn(secret)
	id := regexp.MustCompile(`name="id" value="([0-9a-f-]{36})"`).FindStringSubmatch(b.Send("/console/sessions", nil).Text)[1]
	other := w.Browser("other")
	spec := consoletest.Ruth(account.Owner)
	spec.Email = "sam@acme.example"
	other.Enrol(w.Invite(spec))
	other.Want("/console/sessions/end", url.Values{"id": {id}}, 303, "/console/sessions")
	b.Want("/console/", nil, 200, "")

	harness.Must(t, w.Admin.Tenants.Suspend(t.Context(), "ACME01"))
	b.Want("/console/", nil, 403, "")
	b.Want("/console/signout", url.Values{}, 303, "/console/signin")
	harness.Must(t, w.Admin.Tenants.Activate(t.Context(), "ACME01"))
	b.Want("/console/", nil, 303, "/console/signin")
}
