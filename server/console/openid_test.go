package console_test

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/zitadel/oidc/v3/example/server/exampleop"
	"github.com/zitadel/oidc/v3/example/server/storage"

	"tcode/server"
	"tcode/server/account"
	"tcode/server/console/consoletest"
	"tcode/server/internal/harness"
)

// people are the users of an OpenID provider, by name.
type people map[string]*storage.User

// GetUserByID finds a user.
func (p people) GetUserByID(id string) *storage.User { return p[id] }

// GetUserByUsername finds a user.
func (p people) GetUserByUsername(name string) *storage.User { return p[name] }

// ExampleClientID is the name of a client that the provider has anyway.
func (people) ExampleClientID() string { return "service" }

// provider is an OpenID provider on this machine.
type provider struct {
	*httptest.Server
	people people
	at     *consoletest.World
}

// newProvider starts a provider with its gateway.
func newProvider(t *testing.T) *provider {
	t.Helper()
	p := &provider{people: people{}}
	var serve http.Handler
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { serve.ServeHTTP(w, r) }))
	t.Cleanup(p.Close)
	p.at = consoletest.NewWorld(t, func(c *server.Config) {
		c.OpenID = account.Provider{Issuer: p.URL, ClientID: "tcode", Secret: "a secret"}
	})
	client := storage.WebClient("tcode", "a secret", p.at.URL+"/console/openid/callback")
	serve = exampleop.SetupServer(p.URL, storage.NewStorageWithClients(p.people, map[string]*storage.Client{"tcode": client}), nil, false)
	return p
}

// person adds a user to the provider.
func (p *provider) person(name, email string, verified bool) {
	p.people[name] = &storage.User{ID: name, Username: name, Password: "a password", Email: email, EmailVerified: verified}
}

// comes follows the flow of b, as name, and returns the address to which the provider sends
// the browser back.
func (p *provider) comes(t *testing.T, b *consoletest.Browser, start, name string) (back string) {
	t.Helper()
	to := b.Send(start, nil).Header.Get("Location")
	if !strings.HasPrefix(to, p.URL+"/auth?") {
		t.Fatalf("%s leads to %q", start, to)
	}
	jar, _ := cookiejar.New(nil)
	c := &http.Client{Jar: jar, CheckRedirect: func(q *http.Request, _ []*http.Request) error {
		if strings.HasPrefix(q.URL.String(), p.at.URL) {
			back = strings.TrimPrefix(q.URL.String(), p.at.URL)
			return http.ErrUseLastResponse
		}
		return nil
	}}
	res, err := c.Get(to)
	harness.Must(t, err)
	page, err := io.ReadAll(res.Body)
	harness.Must(t, err)
	id := regexp.MustCompile(`name="id" value="([^"]+)"`).FindSubmatch(page)
	if id == nil {
		t.Fatalf("the provider says %s", page)
	}
	res, err = c.PostForm(p.URL+"/login/username", url.Values{"id": {string(id[1])}, "username": {name}, "password": {"a password"}})
	harness.Must(t, err)
	if back == "" {
		page, _ = io.ReadAll(res.Body)
		t.Fatalf("the provider says %s", page)
	}
	return back
}

// TestSingleSignOn: an invited user signs in at a real OpenID provider. An answer of the
// provider counts once, in the browser that asked; an account with another address, or one
// that is not verified, signs no user in.
func TestSingleSignOn(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	w := p.at
	invite := func(email string) {
		t.Helper()
		spec := consoletest.Ruth(account.Owner)
		spec.Email = email
		w.Invite(spec)
	}
	invite("ruth@acme.example")
	invite("sam@acme.example")
	p.person("ruth", "Ruth@acme.example", true)
	p.person("sam", "sam@acme.example", false)
	p.person("unknown", "unknown@acme.example", true)
	const start = "/console/openid/start"

	b := w.Browser("browser")
	if page := b.Want("/console/signin", nil, 200, "").Text; !strings.Contains(page, `href="`+start+`"`) {
		t.Errorf("the first screen offers no provider: %s", page)
	}
	fixed := &http.Cookie{Name: "tcode-console", Value: strings.Repeat("A", 43)}
	b.Steal(fixed)
	back := p.comes(t, b, start+"?next=https://evil.example", "ruth")
	thief := w.Browser("browser")
	thief.Want(back, nil, 403, "")
	w.Browser("another").Want(back, nil, 403, "")
	if thief.Token() != nil {
		t.Error("a browser that did not ask gets a session")
	}
	b.Want(back+"&next=https://evil.example", nil, 303, "/console/")
	b.Want("/console/", nil, 200, "")
	if b.Token().Value == fixed.Value {
		t.Error("a fixed token was taken over")
	}
	w.Browser("another").Steal(b.Token()).Want("/console/", nil, 303, "/console/signin") // and has ended
	b.Want("/console/", nil, 303, "/console/signin")
	b.Want(back, nil, 403, "") // the cookie of the flow has gone

	// Once more, by the account alone: the address there has changed.
	p.people["ruth"].Email, p.people["ruth"].EmailVerified = "sam@acme.example", false
	b.Want(p.comes(t, b, start, "ruth"), nil, 303, "/console/")
	if page := b.Want("/console/account", nil, 200, "").Text; !strings.Contains(page, "ruth@acme.example") {
		t.Errorf("signed in as %s", page)
	}
	old := *b.Token()
	b.Want("/console/signout", url.Values{}, 303, "/console/signin")
	w.Browser("browser").Steal(&old).Want("/console/", nil, 303, "/console/signin")

	for _, name := range []string{"sam", "unknown"} {
		c := w.Browser("browser")
		if got := c.Want(p.comes(t, c, start, name), nil, 403, ""); c.Token() != nil || !strings.Contains(got.Text, "The single sign-on was refused") {
			t.Errorf("%s: %v %s", name, c.Token(), got.Text)
		}
	}
	c := w.Browser("browser")
	back = p.comes(t, c, start, "ruth")
	state := regexp.MustCompile(`state=[^&]+`)
	c.Want(state.ReplaceAllString(back, "state=another"), nil, 403, "")
	back = p.comes(t, c, start, "ruth")
	c.Want(regexp.MustCompile(`code=[^&]+`).ReplaceAllString(back, "error=access_denied"), nil, 403, "")
	c.Want("/console/openid/callback", nil, 403, "")
	// The same answer for the second time, though the browser kept the cookie of the flow.
	back = p.comes(t, c, start, "ruth")
	flow := w.Browser("browser").Steal(c.Cookie("/console/openid/callback", "tcode-console-openid"))
	c.Want(back, nil, 303, "/console/")
	flow.Want(back, nil, 403, "")
	if flow.Token() != nil {
		t.Error("an answer counts twice")
	}

	// A tenant with a provider of its own trusts no other.
	harness.Must(t, w.Admin.Accounts.SetProvider(t.Context(), account.Provider{Tenant: "ACME01", Issuer: p.URL, ClientID: "tcode", Secret: "a secret"}))
	c = w.Browser("browser")
	c.Want(p.comes(t, c, start, "ruth"), nil, 403, "")
	c.Want(p.comes(t, c, start+"/acme01", "ruth"), nil, 303, "/console/")
	for _, ref := range []string{"OTHER1", "x", "ACME01%2f..", "%00"} {
		c.Want(start+"/"+ref, nil, 404, "")
	}
	p.Close()
	harness.Must(t, w.Admin.Accounts.SetProvider(t.Context(), account.Provider{Tenant: "ACME01", Issuer: "http://127.0.0.1:1", ClientID: "tcode"}))
	c.Want(start+"/ACME01", nil, 503, "")
}

// TestSingleSignOnScreen: the way to the provider and back works in a browser, and its
// screens pass axe.
//
//engine:sqlite the screens are the same on both
func TestSingleSignOnScreen(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	s := consoletest.Open(t, p.at)
	p.at.Invite(consoletest.Ruth(account.Issuer))
	p.person("ruth", "ruth@acme.example", true)
	p.person("unknown", "unknown@acme.example", true)
	come := func(name string) {
		t.Helper()
		s.At("/console/signin")
		s.Follow(`a[href="/console/openid/start"]`)
		s.Fill("username", name, "password", "a password")
	}
	s.At("/console/signin")
	s.Look("signin-sso")
	s.Quiet()
	come("unknown")
	s.Is("/console/openid/callback", "The single sign-on was refused")
	s.Look("sso-refused")
	s.Forgive()
	come("ruth")
	s.Is("/console/", "Overview")
	s.Forgive() // the provider's page has no icon
}
