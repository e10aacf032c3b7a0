package console_test

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"tcode/server"
	"tcode/server/account"
	"tcode/server/console"
	"tcode/server/internal/harness"
	"tcode/server/store/storetest"
)

func TestMain(m *testing.M) { harness.Main(m) }

const password = "correct horse battery"

// world is a gateway with a clock that tests set.
type world struct {
	*harness.Rig
	clock *storetest.Clock
}

func newWorld(t *testing.T, change ...func(*server.Config)) *world {
	t.Helper()
	w := &world{clock: storetest.NewClock(time.Now())}
	w.Rig = harness.Start(t, append(change, func(c *server.Config) { c.Now = w.clock.Now })...)
	if _, err := w.Admin.Tenants.CreateTenant(t.Context(), "Acme University", "ACME01"); err != nil {
		t.Fatal(err)
	}
	return w
}

// invite makes a user and returns the path of the link.
func (w *world) invite(spec account.Spec) (path string) {
	w.T.Helper()
	inv, err := w.Admin.Accounts.Create(w.T.Context(), spec)
	harness.Must(w.T, err)
	return "/console/welcome/" + inv.Token
}

func ruth(role account.Role) account.Spec {
	return account.Spec{Tenant: "ACME01", Email: "ruth@acme.example", Name: "Ruth Nakamura", Role: role}
}

// browser is a client with cookies, as a browser sends them.
type browser struct {
	w      *world
	c      *http.Client
	agent  string
	header http.Header // of further requests
}

func (w *world) browser(agent string) *browser {
	jar, _ := cookiejar.New(nil)
	return &browser{w, &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, Transport: &http.Transport{}}, agent, http.Header{}}
}

// response is an answer with its body.
type response struct {
	*http.Response
	body string
}

// send sends a form, or reads a page if form is nil.
func (b *browser) send(path string, form url.Values) response {
	b.w.T.Helper()
	method, body := http.MethodGet, io.Reader(nil)
	if form != nil {
		method, body = http.MethodPost, strings.NewReader(form.Encode())
	}
	q, err := http.NewRequestWithContext(b.w.T.Context(), method, b.w.URL+path, body)
	harness.Must(b.w.T, err)
	q.Header.Set("User-Agent", b.agent)
	if form != nil {
		q.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		q.Header.Set("Origin", b.w.URL)
		q.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	for k, v := range b.header {
		q.Header[k] = v
	}
	res, err := b.c.Do(q)
	harness.Must(b.w.T, err)
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	harness.Must(b.w.T, err)
	return response{res, string(raw)}
}

// want sends, and checks status and destination.
func (b *browser) want(path string, form url.Values, status int, to string) response {
	b.w.T.Helper()
	r := b.send(path, form)
	if r.StatusCode != status || r.Header.Get("Location") != to {
		b.w.T.Fatalf("%s answers %d to %q, want %d to %q\n%.600s", path, r.StatusCode, r.Header.Get("Location"), status, to, r.body)
	}
	return r
}

var key = regexp.MustCompile(`<code class="key" dir="ltr">([A-Z2-7]+)</code>`)

// code returns the present code of a secret.
func (w *world) code(secret string) string {
	w.T.Helper()
	code, err := totp.GenerateCode(secret, w.clock.Now())
	harness.Must(w.T, err)
	return code
}

// enrol uses a link, and returns the secret of the second factor.
func (b *browser) enrol(link string) (secret string) {
	b.w.T.Helper()
	b.want(link, url.Values{"password": {password}, "again": {password}}, 303, "/console/enrol")
	secret = key.FindStringSubmatch(b.want("/console/enrol", nil, 200, "").body)[1]
	b.want("/console/enrol", url.Values{"code": {b.w.code(secret)}}, 200, "")
	b.want("/console/", nil, 200, "")
	return secret
}

// signIn signs in at the next step of the clock.
func (b *browser) signIn(secret string) {
	b.w.T.Helper()
	b.w.clock.Add(30 * time.Second)
	b.want("/console/signin", url.Values{"email": {"ruth@acme.example"}, "password": {password}}, 303, "/console/code")
	b.want("/console/code", url.Values{"code": {b.w.code(secret)}}, 303, "/console/")
	b.want("/console/", nil, 200, "")
}

// token returns the cookie of the browser's session.
func (b *browser) token() *http.Cookie {
	at, _ := url.Parse(b.w.URL + "/console/")
	for _, c := range b.c.Jar.Cookies(at) {
		if strings.HasSuffix(c.Name, "tcode-console") {
			return c
		}
	}
	return nil
}

// steal gives the browser a cookie.
func (b *browser) steal(c *http.Cookie) *browser {
	at, _ := url.Parse(b.w.URL + "/console/")
	b.c.Jar.SetCookies(at, []*http.Cookie{{Name: c.Name, Value: c.Value, Path: "/console"}})
	return b
}

// TestStages: no stage before the last shows a screen behind the door, and each step gives
// another token.
func TestStages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.browser("x")
	link := w.invite(ruth(account.Owner))
	behind := func(to string) {
		t.Helper()
		for _, path := range []string{"/console/", "/console/sessions"} {
			b.want(path, nil, 303, to)
		}
		b.want("/console/sessions/end", url.Values{"id": {"x"}}, 303, to)
	}
	b.want("/console", nil, 303, "/console/")
	behind("/console/signin")
	for _, wrong := range []url.Values{{"password": {"short"}, "again": {"short"}}, {"password": {password}, "again": {password + "x"}}} {
		b.want(link, wrong, 400, "")
	}
	b.want(link, nil, 200, "")
	b.want(link, url.Values{"password": {password}, "again": {password}}, 303, "/console/enrol")
	b.want(link, nil, 404, "") // used
	behind("/console/enrol")
	b.want("/console/code", nil, 303, "/console/enrol")
	first := b.token().Value
	b.want("/console/enrol", url.Values{"code": {"000000"}}, 403, "")
	secret := key.FindStringSubmatch(b.want("/console/enrol", nil, 200, "").body)[1]
	if codes := b.want("/console/enrol", url.Values{"code": {w.code(secret)}}, 200, ""); strings.Count(codes.body, "<li><code") != 10 {
		t.Errorf("no recovery codes: %s", codes.body)
	}
	page := b.want("/console/", nil, 200, "").body
	for _, want := range []string{"Acme University", "ACME01", "Ruth Nakamura", "owner", "RN"} {
		if !strings.Contains(page, want) {
			t.Errorf("the first screen lacks %q", want)
		}
	}
	b.want("/console/enrol", nil, 303, "/console/") // its codes are not shown again
	b.want("/console/signin", nil, 303, "/console/")
	signedIn := b.token().Value
	if signedIn == first {
		t.Error("the token stayed at sign-in")
	}
	b.want("/console/signout", url.Values{}, 303, "/console/signin")
	if b.token() != nil {
		t.Error("the browser has a token after signing out")
	}
	behind("/console/signin")
	w.clock.Add(time.Minute)
	b.want("/console/signin", url.Values{"email": {"ruth@acme.example"}, "password": {"wrong"}}, 403, "")
	b.want("/console/signin", url.Values{"email": {"ruth@acme.example"}, "password": {password}}, 303, "/console/code")
	behind("/console/code")
	b.want("/console/enrol", nil, 303, "/console/code")
	b.want("/console/code", url.Values{"code": {"000000"}}, 403, "")
	b.want("/console/code", url.Values{"code": {w.code(secret)}}, 303, "/console/")
	b.want("/console/nothing", nil, 404, "")
	b.want("/console/welcome/"+strings.Repeat("A", 43), nil, 404, "")
}

// TestSessions: sessions that are fixed, stolen, expired or ended are refused.
func TestSessions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.browser("browser")
	secret := b.enrol(w.invite(ruth(account.Issuer)))

	fixed := w.browser("browser").steal(&http.Cookie{Name: "tcode-console", Value: strings.Repeat("A", 43)})
	fixed.want("/console/", nil, 303, "/console/signin")
	fixed.signIn(secret)
	if fixed.token().Value == strings.Repeat("A", 43) {
		t.Error("a fixed token was taken over")
	}
	// The user's list has both; each can end the other.
	if list := b.want("/console/sessions", nil, 200, "").body; strings.Count(list, `action="/console/sessions/end"`) != 2 || strings.Count(list, "this one") != 1 {
		t.Errorf("sessions: %s", list)
	}
	ids := regexp.MustCompile(`name="id" value="([0-9a-f-]{36})"`).FindAllStringSubmatch(b.send("/console/sessions", nil).body, -1)
	b.want("/console/sessions/end", url.Values{"id": {ids[0][1]}}, 303, "/console/sessions") // the newest
	fixed.want("/console/", nil, 303, "/console/signin")
	b.want("/console/", nil, 200, "")

	thief := w.browser("another browser").steal(b.token())
	thief.want("/console/", nil, 303, "/console/signin")
	b.want("/console/", nil, 303, "/console/signin") // and the stolen session has ended

	b.signIn(secret)
	old := *b.token()
	w.clock.Add(account.Idle)
	w.browser("browser").steal(&old).want("/console/", nil, 303, "/console/signin")

	// A session of another user cannot be ended.
	b.signIn(secret)
	id := regexp.MustCompile(`name="id" value="([0-9a-f-]{36})"`).FindStringSubmatch(b.send("/console/sessions", nil).body)[1]
	other := w.browser("other")
	spec := ruth(account.Owner)
	spec.Email = "sam@acme.example"
	other.enrol(w.invite(spec))
	other.want("/console/sessions/end", url.Values{"id": {id}}, 303, "/console/sessions")
	b.want("/console/", nil, 200, "")

	harness.Must(t, w.Admin.Tenants.Suspend(t.Context(), "ACME01"))
	b.want("/console/", nil, 403, "")
	b.want("/console/signout", url.Values{}, 303, "/console/signin")
	harness.Must(t, w.Admin.Tenants.Activate(t.Context(), "ACME01"))
	b.want("/console/", nil, 303, "/console/signin")
}

// TestOtherOrigins: every form is refused if another site sent it, and changes nothing.
func TestOtherOrigins(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.browser("browser")
	b.enrol(w.invite(ruth(account.Owner)))
	spec := ruth(account.Owner)
	spec.Email = "sam@acme.example"
	link := w.invite(spec)
	form := url.Values{"email": {"ruth@acme.example"}, "password": {password}, "again": {password}, "code": {"000000"}, "language": {"de"}}
	paths := console.Forms()
	if len(paths) < 7 {
		t.Fatalf("forms %v", paths)
	}
	for _, path := range paths {
		path = strings.Replace(path, "/console/welcome/{token}", link, 1)
		for _, h := range []http.Header{
			{"Origin": {"https://evil.example"}, "Sec-Fetch-Site": {"cross-site"}},
			{"Origin": {"https://evil.example"}, "Sec-Fetch-Site": {"same-site"}},
			{"Origin": {"https://evil.example"}, "Sec-Fetch-Site": nil},
			{"Origin": {"null"}, "Sec-Fetch-Site": {"cross-site"}},
			{"Origin": {"http://evil.example:80"}, "Sec-Fetch-Site": nil},
		} {
			b.header = h
			if r := b.send(path, form); r.StatusCode != 403 || len(r.Cookies()) != 0 || !strings.Contains(r.body, "another site") {
				t.Errorf("%s with %v: %d %v", path, h, r.StatusCode, r.Cookies())
			}
		}
		b.header = nil
	}
	b.want("/console/", nil, 200, "")
	b.want(link, nil, 200, "")
}
