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

	// A session of somebody else cannot be ended.
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

// TestHeaders: no cache keeps a screen, no script runs, and the cookie of a session is for
// the console alone, over HTTPS where the browser uses it.
func TestHeaders(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.browser("browser")
	b.enrol(w.invite(ruth(account.Viewer)))
	for path, status := range map[string]int{"/console/": 200, "/console/sessions": 200, "/console/x": 404} {
		r := b.want(path, nil, status, "")
		csp := r.Header.Get("Content-Security-Policy")
		if r.Header.Get("Cache-Control") != "no-store" || !strings.HasPrefix(csp, "default-src 'none'; style-src 'self';") || strings.Contains(csp, "script") ||
			r.Header.Get("X-Content-Type-Options") != "nosniff" || r.Header.Get("TCode-Trace-Id") == "" {
			t.Errorf("%s: %v", path, r.Header)
		}
		if inline := regexp.MustCompile(`<script|<style| style=| on[a-z]+=`).FindString(r.body); inline != "" {
			t.Errorf("%s has %q", path, inline)
		}
	}
	sheet := regexp.MustCompile(`href="(/console/assets/[0-9a-f]{16}\.css)"`).FindStringSubmatch(b.send("/console/", nil).body)[1]
	if r := b.want(sheet, nil, 200, ""); !strings.Contains(r.Header.Get("Cache-Control"), "immutable") || !strings.HasPrefix(r.Header.Get("Content-Type"), "text/css") {
		t.Errorf("style sheet: %v", r.Header)
	}
	w.clock.Add(time.Minute)
	for _, secure := range []bool{false, true} {
		if b = w.browser("browser"); secure {
			b.header = http.Header{"X-Forwarded-Proto": {"https"}}
		}
		r := b.send("/console/signin", url.Values{"email": {"ruth@acme.example"}, "password": {password}})
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
	w := newWorld(t)
	b := w.browser("browser")
	secret := b.enrol(w.invite(ruth(account.Owner)))
	w.clock.Add(time.Minute)
	said := map[string][]string{}
	for _, email := range []string{"ruth@acme.example", "nothing@acme.example"} {
		for range 7 {
			r := w.browser("guess").send("/console/signin", url.Values{"email": {email}, "password": {"wrong password"}})
			said[email] = append(said[email], r.Status+r.Header.Get("Retry-After")+strings.ReplaceAll(r.body, email, ""))
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
	w.clock.Add(2 * time.Minute)
	b.want("/console/signin", url.Values{"email": {"ruth@acme.example"}, "password": {password}}, 303, "/console/code")
	for i := range 7 {
		want := 403
		if i >= 5 {
			want = 429
		}
		b.want("/console/code", url.Values{"code": {"000000"}}, want, "")
	}
	b.want("/console/code", url.Values{"code": {w.code(secret)}}, 429, "")
	if r := b.send("/console/signin", url.Values{"password": {strings.Repeat("x", 20_000)}}); r.StatusCode == 200 {
		t.Error("a large form is accepted")
	}
}

// TestRoles: the first screen tells each role its rights.
func TestRoles(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for role, want := range map[account.Role][2]int{account.Viewer: {2, 0}, account.Issuer: {3, 0}, account.Owner: {6, 0}, account.Operator: {2, 1}} {
		spec := account.Spec{Tenant: "ACME01", Email: string(role) + "s@acme.example", Role: role}
		if role == account.Operator {
			spec.Tenant = ""
		}
		b := w.browser("browser")
		b.enrol(w.invite(spec))
		page := b.send("/console/", nil).body
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
	for _, word := range console.Missing() {
		t.Error("missing: " + word)
	}
	w := newWorld(t)
	b := w.browser("browser")
	b.header = http.Header{"Accept-Language": {"de-AT, en;q=0.5"}}
	if r := b.want("/console/signin", nil, 200, ""); r.Header.Get("Content-Language") != "de" || !strings.Contains(r.body, "An der Konsole anmelden") {
		t.Errorf("German: %s", r.body)
	}
	for back, to := range map[string]string{
		"/console/signin": "/console/signin", "https://evil.example/": "/console/", "//evil.example/console/": "/console/", "/console/../x": "/console/",
		`/console/\evil.example`: "/console/", "/console/signin?x=1": "/console/", "": "/console/",
	} {
		b.want("/console/language", url.Values{"language": {"ar"}, "back": {back}}, 303, to)
	}
	if r := b.want("/console/signin", nil, 200, ""); !strings.Contains(r.body, `<html lang="ar" dir="rtl">`) {
		t.Errorf("Arabic: %s", r.body)
	}
	b.want("/console/language", url.Values{"language": {"<x>"}, "back": {"/console/signin"}}, 303, "/console/signin")
}
