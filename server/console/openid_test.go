package console_test

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"tcode/server"
	"tcode/server/account"
	"tcode/server/console/consoletest"
	"tcode/server/internal/harness"
)

// A provider is an OpenID provider on this machine, in a process of its own.
type provider struct {
	URL  string
	at   *consoletest.World
	tell func(line string)
	stop func()
}

// A person is a user of the provider.
type person struct {
	Username, Email string
	EmailVerified   bool
}

// newProvider builds and starts a provider with its gateway.
func newProvider(t *testing.T) *provider {
	t.Helper()
	program := filepath.Join(t.TempDir(), "provider")
	build := exec.Command("go", "build", "-o", program, ".")
	build.Dir = filepath.Join("consoletest", "provider")
	if out, err := build.CombinedOutput(); err != nil {
		if os.Getenv("CI") == "" {
			t.Skipf("the provider cannot be built: %v\n%s", err, out)
		}
		t.Fatalf("the provider cannot be built: %v\n%s", err, out)
	}
	cmd := exec.Command(program)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	harness.Must(t, err)
	out, err := cmd.StdoutPipe()
	harness.Must(t, err)
	harness.Must(t, cmd.Start())
	answers := bufio.NewScanner(out)
	answer := func() string {
		if !answers.Scan() {
			t.Fatalf("the provider ended: %v", answers.Err())
		}
		return answers.Text()
	}
	p := &provider{URL: answer()}
	p.tell = func(line string) {
		t.Helper()
		if _, err := io.WriteString(in, line+"\n"); err != nil {
			t.Fatal(err)
		}
		if got := answer(); got != "ok" {
			t.Fatalf("the provider answers %q", got)
		}
	}
	p.stop = sync.OnceFunc(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed
	})
	t.Cleanup(p.stop)
	p.at = consoletest.NewWorld(t, func(c *server.Config) {
		c.OpenID = account.Provider{Issuer: p.URL, ClientID: "tcode", Secret: "a secret"}
	})
	p.tell(p.at.URL + "/console/openid/callback")
	return p
}

// person adds a user to the provider, or changes one.
func (p *provider) person(name, email string, verified bool) {
	line, _ := json.Marshal(person{name, email, verified})
	p.tell(string(line))
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
	page := b.Want(back+"&next=https://evil.example", nil, 200, "").Text
	choice := regexp.MustCompile(`name="choice" value="([^"]+)"`).FindStringSubmatch(page)
	if choice == nil || !strings.Contains(page, "Acme University") || !strings.Contains(page, ">Join<") {
		t.Fatalf("no screen asks whether she joins: %s", page)
	}
	b.Want("/console/", nil, 303, "/console/signin")
	chosen := url.Values{"choice": {choice[1]}, "tenant": {"ACME01"}}
	thief.Want("/console/choose", url.Values{"choice": {choice[1]}, "tenant": {"OTHER1"}}, 403, "")
	w.Browser("another").Want("/console/choose", chosen, 403, "")
	b.Want("/console/choose", chosen, 303, "/console/")
	b.Want("/console/choose", chosen, 403, "")
	b.Want("/console/", nil, 200, "")
	if b.Token().Value == fixed.Value {
		t.Error("a fixed token was taken over")
	}
	w.Browser("another").Steal(b.Token()).Want("/console/", nil, 303, "/console/signin") // and has ended
	b.Want("/console/", nil, 303, "/console/signin")
	b.Want(back, nil, 403, "") // the cookie of the flow has gone

	// Once more, by the account alone: the address there has changed.
	p.person("ruth", "sam@acme.example", false)
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
	p.stop()
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
	s.Is("/console/openid/callback", "Which organisation?")
	s.Look("choose")
	s.Quiet()
	s.Follow(`form[action="/console/choose"] button`)
	s.Is("/console/", "Overview")
	s.Forgive() // the provider's page has no icon
}
