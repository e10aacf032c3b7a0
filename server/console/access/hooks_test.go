package access_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"tcode/server"
	"tcode/server/account"
	"tcode/server/console/consoletest"
	"tcode/server/internal/harness"
	"tcode/server/outbound/webhook"
	"tcode/server/tenant"
)

// receiver takes deliveries, with the status that the test sets.
type receiver struct {
	*httptest.Server
	status atomic.Int64
	posts  atomic.Int64
}

func newReceiver(t *testing.T) *receiver {
	r := &receiver{}
	r.status.Store(http.StatusNoContent)
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		r.posts.Add(1)
		w.WriteHeader(int(r.status.Load()))
	}))
	t.Cleanup(r.Close)
	return r
}

// TestWebhooks: an endpoint is made with its secret shown once, changed, tested, switched
// off and on, gets a new secret, and is removed after its host is typed. A delivery is shown
// with its tries, and sent again.
func TestWebhooks(t *testing.T) {
	t.Parallel()
	w := consoletest.NewWorld(t, func(c *server.Config) { c.WebhooksAllowPrivate = true })
	to := newReceiver(t)
	b := w.Browser("browser")
	b.Enrol(w.Invite(consoletest.Ruth(account.Owner)))
	b.Want("/console/webhooks", nil, 200, "")
	if r := b.Want("/console/webhooks/new", url.Values{"url": {"gopher://x"}, "event": {"stamp.*"}}, 400, ""); !strings.Contains(r.Text, `value="gopher://x"`) {
		t.Errorf("refused: %s", r.Text)
	}
	b.Want("/console/webhooks/new", url.Values{"url": {to.URL}, "event": {"nothing.*"}}, 400, "")
	made := b.Want("/console/webhooks/new", url.Values{"url": {to.URL + "/cAnaRy"}, "event": {"key.rotated"}}, 200, "").Text
	first := secretText.FindStringSubmatch(made)[1]
	at := "/console/webhooks/" + regexp.MustCompile(`action="/console/webhooks/([0-9a-f-]{36})"`).FindStringSubmatch(made)[1]
	if page := b.Want("/console/webhooks", nil, 200, "").Text; strings.Contains(page, "cAnaRy") || strings.Contains(page, first) || !strings.Contains(page, "key.rotated") {
		t.Errorf("list: %s", page)
	}
	if page := b.Want(at+"/test", url.Values{}, 200, "").Text; !strings.Contains(page, "The receiver took the test: 204") {
		t.Errorf("test: %s", page)
	}
	to.status.Store(http.StatusBadGateway)
	if page := b.Want(at+"/test", url.Values{}, 200, "").Text; !strings.Contains(page, "did not take the test") {
		t.Errorf("failed test: %s", page)
	}
	second := secretText.FindStringSubmatch(b.Want(at+"/secret", url.Values{}, 200, "").Text)[1]
	if page := b.Want(at, nil, 200, "").Text; first == second || strings.Contains(page, second) {
		t.Error("the secret is as before, or shown again")
	}

	// A delivery that fails, and succeeds when it is requested again.
	_, err := w.Admin.Tenants.RotateSigningKey(t.Context(), "ACME01", tenant.RotateOptions{Announce: -1})
	harness.Must(t, err)
	find := regexp.MustCompile(at + `/deliveries/[0-9a-f-]{36}`)
	var one string
	consoletest.Eventually(t, func() bool {
		page := b.Want(at+"?state=Waiting", nil, 200, "").Text
		one = find.FindString(page)
		return one != "" && strings.Contains(page, "502")
	})
	if page := b.Want(one, nil, 200, "").Text; !strings.Contains(page, "ACME01") || !strings.Contains(page, "&#34;type&#34;: &#34;key.rotated&#34;") {
		t.Errorf("delivery: %s", page)
	}
	to.status.Store(http.StatusNoContent)
	b.Want(one+"/redelivery", url.Values{}, 303, at+"?done=redelivered")
	consoletest.Eventually(t, func() bool { return strings.Contains(b.Want(at+"?state=Delivered", nil, 200, "").Text, one) })
	if page := b.Want(at+"/redeliver", url.Values{}, 200, "").Text; !strings.Contains(page, "0 deliveries are sent again") {
		t.Errorf("failed ones: %s", page)
	}

	b.Want(at, url.Values{"url": {to.URL}, "event": {"*"}}, 303, at+"?done=changed")
	b.Want(at, url.Values{"url": {to.URL}}, 400, "")
	b.Want(at, url.Values{"url": {"x"}, "event": {"*"}}, 400, "")
	b.Want(at+"/state", url.Values{}, 303, at+"?done=off")
	e, err := w.Admin.Webhooks.Endpoint(t.Context(), "ACME01", at[len("/console/webhooks/"):])
	harness.Must(t, err)
	if e.State != webhook.Disabled || e.URL != to.URL || len(e.Events) != 1 || e.Events[0] != "*" {
		t.Errorf("endpoint %+v", e)
	}
	b.Want(at+"/state", url.Values{"on": {"1"}}, 303, at+"?done=on")
	b.Want(at+"/remove", nil, 200, "")
	b.Want(at+"/remove", url.Values{"confirm": {"x"}}, 400, "")
	b.Want(at+"/remove", url.Values{"confirm": {strings.TrimPrefix(to.URL, "http://")}}, 303, "/console/webhooks?done=removed")
	b.Want(at, nil, 404, "")
}

// TestOtherTenants: keys, endpoints, deliveries and signing keys of another tenant are as
// if they did not exist, in every form.
func TestOtherTenants(t *testing.T) {
	t.Parallel()
	w := consoletest.NewWorld(t, func(c *server.Config) { c.WebhooksAllowPrivate = true })
	to := newReceiver(t)
	w.Tenant("OTHER1")
	keys, err := w.Admin.Tenants.Keys(t.Context(), "OTHER1")
	harness.Must(t, err)
	e, _, err := w.Admin.Webhooks.Create(t.Context(), "OTHER1", to.URL, webhook.Filter{"*"})
	harness.Must(t, err)
	_, err = w.Admin.Tenants.RotateSigningKey(t.Context(), "OTHER1", tenant.RotateOptions{Announce: -1})
	harness.Must(t, err)
	var foreign []webhook.Delivery
	consoletest.Eventually(t, func() bool {
		foreign, err = w.Admin.Webhooks.Deliveries(t.Context(), "OTHER1", e.ID, "", 10)
		harness.Must(t, err)
		return len(foreign) > 0 && foreign[0].State == webhook.Delivered
	})
	was := to.posts.Load()

	b := w.Browser("browser")
	b.Enrol(w.Invite(consoletest.Ruth(account.Owner)))
	own, _, err := w.Admin.Webhooks.Create(t.Context(), "ACME01", to.URL, webhook.Filter{"*"})
	harness.Must(t, err)
	key, hook := "/console/keys/"+keys[0].Prefix, "/console/webhooks/"+e.ID
	one := "/deliveries/" + foreign[0].ID
	for _, path := range []string{key + "/renew", key + "/revoke", hook, hook + "/remove", hook + one, "/console/webhooks/" + own.ID + one, "/console/signing/1/retire", "/console/signing/1/compromise"} {
		b.Want(path, nil, 404, "")
	}
	form := url.Values{"confirm": {"test"}, "overlap": {"24"}, "url": {"http://127.0.0.1:1"}, "event": {"*"}, "since": {"2026-01-01T10:00"}}
	for _, path := range []string{
		key + "/renew", key + "/revoke", hook, hook + "/state", hook + "/test", hook + "/secret", hook + "/redeliver", hook + "/remove", hook + one + "/redelivery",
		"/console/webhooks/" + own.ID + one + "/redelivery", "/console/signing/1/retire", "/console/signing/1/compromise",
	} {
		b.Want(path, form, 404, "")
	}
	after, err := w.Admin.Webhooks.Endpoint(t.Context(), "OTHER1", e.ID)
	harness.Must(t, err)
	if after.URL != e.URL || after.State != e.State || !after.UpdatedAt.Equal(e.UpdatedAt) || to.posts.Load() != was {
		t.Errorf("the endpoint of another tenant has become %+v", after)
	}
	if k, err := w.Admin.Tenants.Key(t.Context(), "OTHER1", keys[0].Prefix); err != nil || k.State(w.Clock.Now()) != tenant.KeyActive || !k.ExpiresAt.IsZero() {
		t.Errorf("the key of another tenant has become %+v, %v", k, err)
	}
}

// TestManyDeliveries: the list of deliveries has pages.
func TestManyDeliveries(t *testing.T) {
	t.Parallel()
	w := consoletest.NewWorld(t, func(c *server.Config) { c.WebhooksAllowPrivate = true })
	to := newReceiver(t)
	e, _, err := w.Admin.Webhooks.Create(t.Context(), "ACME01", to.URL, webhook.Filter{"*"})
	harness.Must(t, err)
	for range 30 {
		_, err = w.Admin.Tenants.RotateSigningKey(t.Context(), "ACME01", tenant.RotateOptions{Announce: -1})
		harness.Must(t, err)
	}
	b := w.Browser("browser")
	b.Enrol(w.Invite(consoletest.Ruth(account.Owner)))
	at := "/console/webhooks/" + e.ID
	for page, want := range map[string]int{"": 25, "?page=2": 5, "?page=3": 0, "?page=-1": 25, "?page=x&state=y": 25} {
		if n := strings.Count(b.Want(at+page, nil, 200, "").Text, `/deliveries/`); n != want {
			t.Errorf("page %q has %d deliveries, want %d", page, n, want)
		}
	}
}
