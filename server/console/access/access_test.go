package access_test

import (
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"tcode/server/account"
	"tcode/server/console/consoletest"
	"tcode/server/internal/harness"
	"tcode/server/tenant"
)

func TestMain(m *testing.M) { harness.Main(m) }

var secretText = regexp.MustCompile(`<code id="secret" dir="ltr">([^<]+)</code>`)

// authenticate returns the fault of a key's text, or "".
func authenticate(w *consoletest.World, secret string) string {
	if _, err := w.Admin.Tenants.Authenticate(w.T.Context(), secret); err != nil {
		return err.Error()
	}
	return ""
}

// TestKeys: a key is made with its scopes and end, shown once, renewed with an overlap, and
// revoked after its name is typed; each change names the user in the audit log.
func TestKeys(t *testing.T) {
	t.Parallel()
	w := consoletest.NewWorld(t)
	b := w.Browser("browser")
	b.Enrol(w.Invite(consoletest.Ruth(account.Owner)))
	b.Want("/console/keys", nil, 200, "")
	b.Want("/console/keys/new", url.Values{"name": {"office"}, "days": {"90"}}, 400, "")
	b.Want("/console/keys/new", url.Values{"name": {""}, "scope": {"stamp"}}, 400, "")
	b.Want("/console/keys/new", url.Values{"name": {"office"}, "scope": {"all"}}, 400, "")
	if r := b.Want("/console/keys/new", url.Values{"name": {"office"}, "scope": {"manage"}, "test": {"1"}}, 400, ""); !strings.Contains(r.Text, "a test key cannot have the scope manage") || !strings.Contains(r.Text, `value="office"`) {
		t.Errorf("refused: %s", r.Text)
	}

	first := secretText.FindStringSubmatch(b.Want("/console/keys/new", url.Values{"name": {"office"}, "scope": {"stamp", "verify-history"}, "days": {"90"}}, 200, "").Text)[1]
	if why := authenticate(w, first); why != "" {
		t.Fatal(why)
	}
	page := b.Want("/console/keys", nil, 200, "").Text
	if strings.Contains(page, first) || !strings.Contains(page, first[:17]) || !strings.Contains(page, "Stamp, Verify history") {
		t.Errorf("list: %s", page)
	}
	keys, err := w.Admin.Tenants.Keys(t.Context(), "ACME01")
	harness.Must(t, err)
	if len(keys) != 1 || keys[0].ExpiresAt.Sub(w.Clock.Now()).Round(24*time.Hour) != 90*24*time.Hour {
		t.Fatalf("keys %+v", keys)
	}
	at := "/console/keys/" + keys[0].Prefix
	b.Want(at+"/renew", nil, 200, "")
	second := secretText.FindStringSubmatch(b.Want(at+"/renew", url.Values{"overlap": {"24"}}, 200, "").Text)[1]
	if authenticate(w, first) != "" || authenticate(w, second) != "" {
		t.Error("one of the keys does not work during the overlap")
	}
	w.Clock.Add(25 * time.Hour)
	b.SignIn(b.Secret())
	if authenticate(w, first) == "" || authenticate(w, second) != "" {
		t.Error("after the overlap the old key works, or the new one does not")
	}
	b.Want(at+"/renew", url.Values{"overlap": {"24"}}, 409, "")

	at = "/console/keys/" + second[len("tck_live_"):][:8] + "/revoke"
	b.Want(at, nil, 200, "")
	b.Want(at, url.Values{"confirm": {"Office"}}, 400, "")
	if why := authenticate(w, second); why != "" {
		t.Errorf("a mistyped name revoked the key: %s", why)
	}
	b.Want(at, url.Values{"confirm": {"office"}}, 303, "/console/keys?done=revoked")
	if authenticate(w, second) == "" {
		t.Error("a revoked key works")
	}
	if page := b.Want("/console/keys?done=revoked", nil, 200, "").Text; !strings.Contains(page, "The key is revoked.") || !strings.Contains(page, "No keys yet") {
		t.Errorf("after the end: %s", page)
	}
	users, err := w.Admin.Accounts.Users(t.Context(), "ACME01")
	harness.Must(t, err)
	for _, action := range []string{tenant.ActionKeyCreate, tenant.ActionKeyRotate, tenant.ActionKeyRevoke} {
		rows, err := w.Admin.Tenants.Audit(t.Context(), tenant.AuditFilter{Tenant: "ACME01", Action: action})
		harness.Must(t, err)
		if len(rows) != 1 || rows[0].By.Actor != tenant.ActorUser || rows[0].By.Name != users[0].ID || rows[0].By.TraceID == "" {
			t.Errorf("%s: %+v", action, rows)
		}
	}
}

// TestSigning: a key is announced, used now, retired and declared compromised.
func TestSigning(t *testing.T) {
	t.Parallel()
	w := consoletest.NewWorld(t)
	b := w.Browser("browser")
	b.Enrol(w.Invite(consoletest.Ruth(account.Owner)))
	states := func(want ...tenant.KeyState) {
		t.Helper()
		keys, err := w.Admin.Tenants.SigningKeys(t.Context(), "ACME01")
		harness.Must(t, err)
		var got []tenant.KeyState
		for _, k := range keys {
			got = append(got, k.State)
		}
		if len(got) != len(want) {
			t.Fatalf("keys %v, want %v", got, want)
		}
		for i := range got {
			if got[i] != want[i] {
				t.Fatalf("keys %v, want %v", got, want)
			}
		}
	}
	b.Want("/console/signing", nil, 200, "")
	b.Want("/console/signing/rotate", url.Values{}, 303, "/console/signing?done=rotated")
	states(tenant.KeySigning, tenant.KeyAnnounced)
	if r := b.Want("/console/signing/rotate", url.Values{}, 409, ""); !strings.Contains(r.Text, "is announced already") {
		t.Errorf("second announcement: %s", r.Text)
	}
	b.Want("/console/signing/1/retire", url.Values{"confirm": {"ACME01-0"}}, 400, "")
	b.Want("/console/signing/1/retire", url.Values{"confirm": {"ACME01-1"}}, 303, "/console/signing?done=retired")
	states(tenant.KeySigning, tenant.KeyVerifying)
	b.Want("/console/signing/rotate", url.Values{"now": {"1"}}, 303, "/console/signing?done=rotated")
	states(tenant.KeyVerifying, tenant.KeyVerifying, tenant.KeySigning)
	lost := "/console/signing/2/compromise"
	b.Want(lost, nil, 200, "")
	for _, bad := range []url.Values{
		{"confirm": {"ACME01-2"}}, {"confirm": {"ACME01"}, "since": {"2026-01-01T10:00"}}, {"confirm": {"ACME01-2"}, "since": {"9999-01-01T10:00"}}, {"confirm": {"ACME01-2"}, "since": {"yesterday"}},
	} {
		b.Want(lost, bad, 400, "")
	}
	states(tenant.KeyVerifying, tenant.KeyVerifying, tenant.KeySigning)
	if r := b.Want(lost, url.Values{"confirm": {"ACME01-2"}, "since": {"2026-01-01T10:00"}}, 200, ""); !strings.Contains(r.Text, "0 stamps of the key stay good") {
		t.Errorf("result: %s", r.Text)
	}
	states(tenant.KeyVerifying, tenant.KeyVerifying, tenant.KeyCompromised, tenant.KeySigning)
	b.Want(lost, url.Values{"confirm": {"ACME01-2"}, "since": {"2026-01-01T10:00"}}, 409, "")
	for _, path := range []string{"/console/signing/9/retire", "/console/signing/-1/compromise", "/console/signing/00/retire"} {
		b.Want(path, nil, 404, "")
	}
}
