package consoletest

import (
	"bytes"
	"io"
	"mime/multipart"
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
	"tcode/server/internal/harness"
	"tcode/server/store/storetest"
)

// Password is the password of all users in tests.
const Password = "correct horse battery"

// World is a gateway with a clock that tests set.
type World struct {
	*harness.Rig
	Clock *storetest.Clock
}

// NewWorld starts a gateway with the tenant ACME01.
func NewWorld(t *testing.T, change ...func(*server.Config)) *World {
	t.Helper()
	w := &World{Clock: storetest.NewClock(time.Now())}
	w.Rig = harness.Start(t, append(change, func(c *server.Config) { c.Now = w.Clock.Now })...)
	if _, err := w.Admin.Tenants.CreateTenant(t.Context(), "Acme University", "ACME01"); err != nil {
		t.Fatal(err)
	}
	return w
}

// Invite makes a user and returns the path of the link.
func (w *World) Invite(spec account.Spec) (path string) {
	w.T.Helper()
	inv, err := w.Admin.Accounts.Create(w.T.Context(), spec)
	harness.Must(w.T, err)
	return "/console/welcome/" + inv.Token
}

// Ruth is a user of ACME01 with a role.
func Ruth(role account.Role) account.Spec {
	return account.Spec{Tenant: "ACME01", Email: "ruth@acme.example", Name: "Ruth Nakamura", Role: role}
}

// Browser is a client with cookies, as a browser sends them.
type Browser struct {
	w      *World
	c      *http.Client
	agent  string
	secret string      // of the second factor
	Header http.Header // of further requests
}

// Browser returns a client that names itself agent.
func (w *World) Browser(agent string) *Browser {
	jar, _ := cookiejar.New(nil)
	return &Browser{w, &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, Transport: &http.Transport{}}, agent, "", http.Header{}}
}

// Response is an answer with its body.
type Response struct {
	*http.Response
	Text string // the body
}

// Send sends a form, or reads a page if form is nil.
func (b *Browser) Send(path string, form url.Values) Response {
	b.w.T.Helper()
	if form == nil {
		return b.do(http.MethodGet, path, "", nil)
	}
	return b.do(http.MethodPost, path, "application/x-www-form-urlencoded", strings.NewReader(form.Encode()))
}

// do sends a request. kind is the media type of its body.
func (b *Browser) do(method, path, kind string, body io.Reader) Response {
	b.w.T.Helper()
	q, err := http.NewRequestWithContext(b.w.T.Context(), method, b.w.URL+path, body)
	harness.Must(b.w.T, err)
	q.Header.Set("User-Agent", b.agent)
	if kind != "" {
		q.Header.Set("Content-Type", kind)
		q.Header.Set("Origin", b.w.URL)
		q.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	for k, v := range b.Header {
		q.Header[k] = v
	}
	res, err := b.c.Do(q)
	harness.Must(b.w.T, err)
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	harness.Must(b.w.T, err)
	return Response{res, string(raw)}
}

// Upload sends a form with a file.
func (b *Browser) Upload(path, name string, file []byte) Response {
	b.w.T.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("file", name)
	harness.Must(b.w.T, err)
	_, _ = part.Write(file) // never fails
	harness.Must(b.w.T, form.Close())
	return b.do(http.MethodPost, path, form.FormDataContentType(), &body)
}

// Want sends, and checks status and destination.
func (b *Browser) Want(path string, form url.Values, status int, to string) Response {
	b.w.T.Helper()
	r := b.Send(path, form)
	if r.StatusCode != status || r.Header.Get("Location") != to {
		b.w.T.Fatalf("%s answers %d to %q, want %d to %q\n%.600s", path, r.StatusCode, r.Header.Get("Location"), status, to, r.Text)
	}
	return r
}

// Key finds the secret of the second factor on a screen.
var Key = regexp.MustCompile(`<code class="key" dir="ltr">([A-Z2-7]+)</code>`)

// Code returns the present code of a secret.
func (w *World) Code(secret string) string {
	w.T.Helper()
	code, err := totp.GenerateCode(secret, w.Clock.Now())
	harness.Must(w.T, err)
	return code
}

// Enrol uses a link, and returns the secret of the second factor.
func (b *Browser) Enrol(link string) (secret string) {
	b.w.T.Helper()
	b.Want(link, url.Values{"password": {Password}, "again": {Password}}, 303, "/console/enrol")
	secret = Key.FindStringSubmatch(b.Want("/console/enrol", nil, 200, "").Text)[1]
	b.Want("/console/enrol", url.Values{"code": {b.w.Code(secret)}}, 200, "")
	b.Want("/console/", nil, 200, "")
	b.secret = secret
	return secret
}

// Secret returns the secret of the second factor that [Browser.Enrol] set up.
func (b *Browser) Secret() string { return b.secret }

// SignIn signs in at the next step of the clock.
func (b *Browser) SignIn(secret string) {
	b.w.T.Helper()
	b.w.Clock.Add(30 * time.Second)
	b.Want("/console/signin", url.Values{"email": {"ruth@acme.example"}, "password": {Password}}, 303, "/console/code")
	b.Want("/console/code", url.Values{"code": {b.w.Code(secret)}}, 303, "/console/")
	b.Want("/console/", nil, 200, "")
}

// Token returns the cookie of the browser's session, or nil.
func (b *Browser) Token() *http.Cookie { return b.Cookie("/console/", "tcode-console") }

// Cookie returns the cookie whose name ends so, at a path, or nil.
func (b *Browser) Cookie(path, name string) *http.Cookie {
	at, _ := url.Parse(b.w.URL + path)
	for _, c := range b.c.Jar.Cookies(at) {
		if strings.HasSuffix(c.Name, name) {
			return c
		}
	}
	return nil
}

// Steal gives the browser a cookie.
func (b *Browser) Steal(c *http.Cookie) *Browser {
	at, _ := url.Parse(b.w.URL + "/console/")
	b.c.Jar.SetCookies(at, []*http.Cookie{{Name: c.Name, Value: c.Value, Path: "/console"}})
	return b
}

// Eventually waits until a condition holds: at most 20 seconds.
func Eventually(t *testing.T, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the condition does not hold")
		}
	}
}
