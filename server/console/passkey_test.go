package console_test

import (
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/webauthn"
	"github.com/chromedp/chromedp"

	"tcode/server"
	"tcode/server/account"
	"tcode/server/console/consoletest"
	"tcode/server/internal/harness"
)

// atLocalhost has the browser see the gateway at localhost, where passkeys work without TLS.
func atLocalhost(w *consoletest.World) {
	w.URL = strings.Replace(w.URL, "127.0.0.1", "localhost", 1)
}

// keep has the passkey's answer kept in the page in place of sending it.
const keep = `HTMLFormElement.prototype.submit = function () { window.kept = {challenge: this.elements.challenge.value, answer: this.elements.answer.value}; }, true`

// kept presses the button and returns the answer.
func kept(s *consoletest.Screen) url.Values {
	s.T.Helper()
	consoletest.Eval[bool](s, keep)
	got := consoletest.Eval[map[string]string](s, `new Promise(done => {
		document.querySelector('form[data-passkey]').requestSubmit();
		const id = setInterval(() => { if (window.kept) { clearInterval(id); done(window.kept) } }, 20) })`)
	return url.Values{"challenge": {got["challenge"]}, "answer": {got["answer"]}}
}

// TestPasskeyScreens: in a browser with an authenticator, a user adds a passkey and signs in
// with it. An answer that is replayed, from another browser, or made at another origin is
// refused, and so are a removed passkey and a disabled user.
//
//engine:sqlite the screens are the same on both
func TestPasskeyScreens(t *testing.T) {
	t.Parallel()
	w := consoletest.NewWorld(t)
	atLocalhost(w)
	s := consoletest.Open(t, w)
	_, err := chromedp.Call(s.Ctx, webauthn.Enable, webauthn.EnableParams{})
	harness.Must(t, err)
	device, err := chromedp.Call(s.Ctx, webauthn.AddVirtualAuthenticator, webauthn.AddVirtualAuthenticatorParams{Options: &webauthn.VirtualAuthenticatorOptions{
		Protocol: "ctap2", Transport: "internal", HasResidentKey: true, HasUserVerification: true, IsUserVerified: true, AutomaticPresenceSimulation: true,
	}})
	harness.Must(t, err)
	s.As(consoletest.Ruth(account.Owner))
	ruth, err := w.Admin.Accounts.UserByEmail(t.Context(), "ruth@acme.example")
	harness.Must(t, err)

	s.At("/console/passkeys")
	s.Is("/console/passkeys", "Passkeys")
	s.Look("passkeys-none")
	s.Fill("name", "Blue laptop")
	s.Is("/console/passkeys", "Passkeys")
	if got := consoletest.Eval[string](s, `document.querySelector('td bdi').textContent`); got != "Blue laptop" {
		t.Errorf("the list has %q", got)
	}
	s.Look("passkeys")
	s.Language("ar")
	s.Look("passkeys-ar")
	s.Language("en")
	s.Quiet()
	// The device that the test simulates chooses the passkey that the browser suggests in the
	// field of the address immediately, so that nothing is pressed.
	s.Press(`form[action="/console/signout"]`)
	s.Until(`location.pathname === '/console/'`)
	s.Is("/console/", "Overview")
	s.Quiet()
	_, err = chromedp.Call(s.Ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: `PublicKeyCredential.isConditionalMediationAvailable = async () => false`})
	harness.Must(t, err)
	s.Press(`form[action="/console/signout"]`)
	s.Is("/console/signin", "Sign in to the console")
	if consoletest.Eval[bool](s, `document.querySelector('[data-failed]').checkVisibility()`) {
		t.Error("a failure is shown before the first try")
	}
	s.Look("signin-passkey")
	s.Press(`form[data-passkey]`)
	s.Is("/console/", "Overview")
	s.Quiet()

	// An answer counts once, and in the browser that asked.
	agent := consoletest.Eval[string](s, `navigator.userAgent`)
	signInAgain := func() {
		s.Press(`form[action="/console/signout"]`)
		s.Is("/console/signin", "Sign in to the console")
	}
	signInAgain()
	answer := kept(s)
	w.Browser("another").Want("/console/passkey", answer, http.StatusForbidden, "")
	fixed := &http.Cookie{Name: "tcode-console", Value: strings.Repeat("A", 43)}
	in := w.Browser(agent).Steal(fixed)
	in.Want("/console/passkey", answer, http.StatusSeeOther, "/console/")
	in.Want("/console/", nil, http.StatusOK, "")
	if in.Token().Value == fixed.Value {
		t.Error("a fixed token was taken over")
	}
	w.Browser("thief").Steal(in.Token()).Want("/console/", nil, http.StatusSeeOther, "/console/signin")
	in.Want("/console/", nil, http.StatusSeeOther, "/console/signin") // and the stolen session has ended
	again := w.Browser(agent)
	if got := again.Want("/console/passkey", answer, http.StatusForbidden, ""); again.Token() != nil || !strings.Contains(got.Text, "The passkey was refused") {
		t.Errorf("a replayed answer: %v %s", again.Token(), got.Text)
	}

	// Another site on the same host passes the gateway's challenge on, and gets an answer of the
	// device: it names that site.
	s.At("/console/signin")
	asked := consoletest.Eval[map[string]string](s, `(() => { const f = document.querySelector('form[data-passkey]'); return {options: f.dataset.options, challenge: f.elements.challenge.value} })()`)
	script := consoletest.Eval[string](s, `fetch(document.querySelector('script[src*=passkey]').src).then(r => r.text())`)
	evil := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/passkey.js" {
			out.Header().Set("Content-Type", "text/javascript")
			fmt.Fprint(out, script)
			return
		}
		out.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(out, `<!doctype html><title>x</title><form data-passkey="get" data-options="%s"><input name=challenge value="%s"><input name=answer><p data-failed hidden></form><script type=module src=/passkey.js></script>`,
			html.EscapeString(asked["options"]), html.EscapeString(asked["challenge"]))
	}))
	t.Cleanup(evil.Close)
	s.Do(chromedp.Navigate(strings.Replace(evil.URL, "127.0.0.1", "localhost", 1)))
	phished := kept(s)
	if !strings.Contains(phished.Get("answer"), "signature") {
		t.Fatalf("the device answers %s", phished.Get("answer"))
	}
	w.Browser(agent).Want("/console/passkey", phished, http.StatusForbidden, "")
	s.Forgive()

	// A person who does not prove to be there gets no answer from the device.
	s.At("/console/signin")
	_, err = chromedp.Call(s.Ctx, webauthn.SetUserVerified, webauthn.SetUserVerifiedParams{AuthenticatorID: device.AuthenticatorID, IsUserVerified: false})
	harness.Must(t, err)
	if !consoletest.Eval[bool](s, `new Promise(done => { const f = document.querySelector('form[data-passkey]'); f.requestSubmit();
		const id = setInterval(() => { if (f.querySelector('[data-failed]').checkVisibility()) { clearInterval(id); done(true) } }, 20) })`) {
		t.Error("no word about it")
	}
	s.Look("signin-passkey-failed")
	_, err = chromedp.Call(s.Ctx, webauthn.SetUserVerified, webauthn.SetUserVerifiedParams{AuthenticatorID: device.AuthenticatorID, IsUserVerified: true})
	harness.Must(t, err)

	// A removed passkey is refused, though the device still has it.
	s.At("/console/signin")
	s.Press(`form[data-passkey]`)
	s.Is("/console/", "Overview")
	s.At("/console/passkeys")
	s.Press(`form[action="/console/passkeys/remove"]`)
	s.Quiet()
	if n := consoletest.Eval[int](s, `document.querySelectorAll('td').length`); n != 0 {
		t.Errorf("%d cells after the removal", n)
	}
	signInAgain()
	s.Press(`form[data-passkey]`)
	s.Is("/console/passkey", "Sign in to the console")
	s.Look("signin-passkey-refused")
	s.Forgive()

	// An invited person begins with a passkey, by a link that works once.
	_, err = chromedp.Call(s.Ctx, webauthn.ClearCredentials, webauthn.ClearCredentialsParams(device))
	harness.Must(t, err)
	kim := consoletest.Ruth(account.Issuer)
	kim.Email = "kim@acme.example"
	link := w.Invite(kim)
	s.At(link)
	s.Look("welcome-passkey")
	s.Language("ar")
	s.Look("welcome-passkey-ar")
	s.Language("de")
	s.Look("welcome-passkey-de")
	s.Language("en")
	s.Press(`form[data-passkey]`)
	s.Is("/console/", "Overview")
	w.Browser("another").Want(link, nil, http.StatusNotFound, "")
	w.Browser("another").Want(link+"/passkey", url.Values{"name": {"x"}}, http.StatusNotFound, "")
	s.At("/console/passkeys")
	if got := consoletest.Eval[string](s, `document.querySelector('td bdi').textContent`); got != "My device" {
		t.Errorf("the list has %q", got)
	}
	s.Press(`form[action="/console/passkeys/remove"]`)
	s.Look("passkeys-last")
	if got := consoletest.Eval[string](s, `document.querySelector('.notice').textContent + document.querySelectorAll('td bdi').length`); !strings.Contains(got, "your only way in") || !strings.HasSuffix(got, "1") {
		t.Errorf("removing the last passkey: %s", got)
	}
	signInAgain()
	s.Press(`form[data-passkey]`)
	s.Is("/console/", "Overview")
	s.Forgive()

	_, err = chromedp.Call(s.Ctx, webauthn.ClearCredentials, webauthn.ClearCredentialsParams(device))
	harness.Must(t, err)
	other := consoletest.Ruth(account.Issuer)
	other.Email = "sam@acme.example"
	s.As(other)
	s.At("/console/passkeys")
	s.Fill("name", "<b>Key</b>")
	if got := consoletest.Eval[string](s, `document.querySelector('td bdi').textContent`); got != "<b>Key</b>" {
		t.Errorf("the list has %q", got)
	}
	sam, err := w.Admin.Accounts.UserByEmail(t.Context(), other.Email)
	harness.Must(t, err)
	harness.Must(t, w.Admin.Accounts.Disable(t.Context(), sam.Tenant, sam.ID))
	s.At("/console/signin")
	s.Press(`form[data-passkey]`)
	s.Is("/console/passkey", "Sign in to the console")
	if ruth.ID == sam.ID {
		t.Error("one user")
	}
}

// TestPasskeyOrigin: passkeys are bound to the public address, or to localhost without one,
// never to the host that a request names.
func TestPasskeyOrigin(t *testing.T) {
	t.Parallel()
	options := regexp.MustCompile(`data-options="([^"]*)"`)
	party := func(w *consoletest.World, host string) string {
		t.Helper()
		q, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.URL+"/console/signin", nil)
		harness.Must(t, err)
		q.Host = host
		q.Header.Set("X-Forwarded-Host", "evil.example")
		res, err := http.DefaultClient.Do(q)
		harness.Must(t, err)
		defer res.Body.Close()
		var body strings.Builder
		if err := res.Write(&body); err != nil {
			t.Fatal(err)
		}
		m := options.FindStringSubmatch(body.String())
		if m == nil {
			return ""
		}
		var o struct{ RPID string }
		harness.Must(t, json.Unmarshal([]byte(html.UnescapeString(m[1])), &o))
		return o.RPID
	}
	none := consoletest.NewWorld(t)
	for host, want := range map[string]string{"localhost:80": "localhost", "localhost": "localhost", "127.0.0.1:8080": "", "evil.example": "", "localhost.evil.example": "", "evil.example:localhost": "", "[::1]:80": ""} {
		if got := party(none, host); got != want {
			t.Errorf("without a public address, host %s: %q", host, got)
		}
	}
	public := none.Beside(func(c *server.Config) { c.PublicURL = "https://tcode.acme.example" })
	plain := none.Beside(func(c *server.Config) { c.PublicURL = "http://tcode.acme.example" })
	for host := range map[string]bool{"localhost": true, "evil.example": true, "tcode.acme.example": true} {
		if got := party(&consoletest.World{Rig: public}, host); got != "tcode.acme.example" {
			t.Errorf("host %s: %q", host, got)
		}
		if got := party(&consoletest.World{Rig: plain}, host); got != "" {
			t.Errorf("without TLS, host %s: %q", host, got)
		}
	}
}
