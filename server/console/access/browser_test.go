package access_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"tcode/server"
	"tcode/server/account"
	"tcode/server/console/consoletest"
	"tcode/server/internal/harness"
	"tcode/server/outbound/webhook"
	"tcode/server/tenant"
)

// TestScreens: an owner makes, copies, renews and revokes a key, makes an endpoint and looks
// at a delivery, and declares a signing key compromised, in Chromium. Every screen and state
// passes axe, wide and narrow, light and dark.
//
//engine:sqlite the screens are the same on both
func TestScreens(t *testing.T) {
	t.Parallel()
	w := consoletest.NewWorld(t, func(c *server.Config) { c.WebhooksAllowPrivate = true })
	s := consoletest.Open(t, w)
	s.As(consoletest.Ruth(account.Owner))

	s.At("/console/keys")
	s.Is("/console/keys", "API keys")
	s.Look("keys-none")
	s.At("/console/keys/new")
	s.Look("key-new")
	s.Quiet()
	s.Do(chromedp.Click(chromedp.CSS(`input[value=stamp]`)))
	s.Fill("name", "office <b>")
	s.Is("/console/keys/new", "New key")
	s.Look("key-new-wrong")
	s.Forgive()
	s.Do(chromedp.Click(chromedp.CSS(`input[value=manage]`)))
	s.Press("#name")
	secret := consoletest.Eval[string](s, `document.getElementById('secret').textContent`)
	if !strings.HasPrefix(secret, "tck_live_") {
		t.Fatalf("secret %q", secret)
	}
	s.Look("key-made")
	if got := consoletest.Eval[string](s, `document.querySelector('tbody bdi').textContent`); got != "office <b>" {
		t.Errorf("the name is shown as %q", got)
	}
	if consoletest.Eval[bool](s, `document.querySelector('[data-copy]').hidden`) {
		t.Error("the button to copy is hidden")
	}
	s.At("/console/keys")
	s.Look("keys")
	s.Follow(`a[href$="/renew"]`)
	s.Look("key-renew")
	s.Press("#overlap")
	s.At("/console/keys")
	if n := consoletest.Eval[int](s, `document.querySelectorAll('a[href$="/revoke"]').length`); n != 2 {
		t.Errorf("%d keys after renewing", n)
	}
	s.At(consoletest.Eval[string](s, `document.querySelector('a[href$="/revoke"]').getAttribute('href')`))
	s.Look("key-revoke")
	s.Quiet()
	s.Fill("confirm", "office")
	s.Look("key-revoke-wrong")
	s.Forgive()
	s.Fill("confirm", "office <b>")
	s.Is("/console/keys", "API keys")
	s.Look("keys-revoked")

	to := newReceiver(t)
	s.At("/console/webhooks")
	s.Look("hooks-none")
	s.At("/console/webhooks/new")
	s.Look("hook-new")
	consoletest.Eval[string](s, `document.getElementById('url').value = ''`)
	s.Fill("url", to.URL+"/x")
	s.Look("hook-made")
	list, err := w.Admin.Webhooks.List(t.Context(), "ACME01")
	harness.Must(t, err)
	at := "/console/webhooks/" + list[0].ID
	to.status.Store(503)
	s.Press(`form[action$="/test"]`)
	s.Look("hook-test-failed")
	_, err = w.Admin.Tenants.RotateSigningKey(t.Context(), "ACME01", tenant.RotateOptions{Announce: -1})
	harness.Must(t, err)
	consoletest.Eventually(t, func() bool {
		all, err := w.Admin.Webhooks.Deliveries(t.Context(), "ACME01", list[0].ID, webhook.Waiting, 10)
		harness.Must(t, err)
		return len(all) == 1 && all[0].Status == 503
	})
	s.At("/console/webhooks")
	s.Look("hooks")
	s.At(at)
	s.Look("hook")
	s.At(consoletest.Eval[string](s, `document.querySelector('a[href*="/deliveries/"]').getAttribute('href')`))
	s.Look("delivery")
	s.At(at + "/remove")
	s.Look("hook-remove")

	s.At("/console/signing")
	s.Look("signing")
	s.At("/console/signing/1/compromise")
	s.Look("signing-compromise")
	s.Quiet()
	s.Do(chromedp.SetValue(chromedp.ID("since"), "2026-01-01T10:00"))
	s.Fill("confirm", "ACME01-1")
	s.Look("signing-compromised")
	s.Language("ar")
	s.At("/console/signing")
	s.Look("signing-ar")
	s.At("/console/keys")
	s.Look("keys-ar")
	s.Quiet()
}

// TestHostileTexts: names of keys, and addresses and answers of receivers, stay text.
//
//engine:sqlite the screens are the same on both
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	w := consoletest.NewWorld(t, func(c *server.Config) { c.WebhooksAllowPrivate = true })
	b := w.Browser("browser")
	b.Enrol(w.Invite(consoletest.Ruth(account.Owner)))
	made := 0
	for _, text := range consoletest.Hostile {
		r := b.Send("/console/keys/new", url.Values{"name": {text}, "scope": {"stamp", text}})
		consoletest.StaysText(t, text, r.Text)
		r = b.Send("/console/keys/new", url.Values{"name": {text}, "scope": {"stamp"}})
		consoletest.StaysText(t, text, r.Text)
		if r.StatusCode == 200 {
			made++
		}
		r = b.Send("/console/webhooks/new", url.Values{"url": {text}, "event": {text}})
		consoletest.StaysText(t, text, r.Text)
	}
	consoletest.StaysText(t, "", b.Want("/console/keys", nil, 200, "").Text)
	if made < 10 {
		t.Errorf("%d keys made", made)
	}
	keys, err := w.Admin.Tenants.Keys(t.Context(), "ACME01")
	harness.Must(t, err)
	for _, k := range keys {
		consoletest.StaysText(t, k.Name, b.Want("/console/keys/"+k.Prefix+"/revoke", nil, 200, "").Text)
		consoletest.StaysText(t, k.Name, b.Want("/console/keys/"+k.Prefix+"/renew", nil, 200, "").Text)
	}
}
