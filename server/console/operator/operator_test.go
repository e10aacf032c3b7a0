package operator_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"tcode/server"
	"tcode/server/account"
	"tcode/server/console/consoletest"
	"tcode/server/internal/harness"
	"tcode/server/tenant"
)

func TestMain(m *testing.M) { harness.Main(m) }

var ada = account.Spec{Email: "ada@example.org", Name: "Ada Byron", Role: account.Operator}

// TestTenants: an operator creates a tenant, changes its plan, suspends it after typing its
// reference, and activates it.
func TestTenants(t *testing.T) {
	t.Parallel()
	w := consoletest.NewWorld(t)
	b := w.Browser("browser")
	b.Enrol(w.Invite(ada))
	b.Want("/console/operator/tenants", url.Values{"name": {""}, "reference": {"x"}}, 400, "")
	b.Want("/console/operator/tenants", url.Values{"name": {"Port of Elsin"}, "reference": {"ACME01"}}, 409, "")
	at := "/console/operator/tenants/ELSIN1"
	b.Want("/console/operator/tenants", url.Values{"name": {"Port of Elsin"}, "reference": {"ELSIN1"}}, 303, at+"?done=created")
	if page := b.Want("/console/operator/tenants", nil, 200, "").Text; !strings.Contains(page, "Port of Elsin") || !strings.Contains(page, "ELSIN1-0") {
		t.Errorf("list: %s", page)
	}
	b.Want(at, nil, 200, "")
	if page := b.Want(at+"/plan", url.Values{"stamps": {"many"}, "entitled": {"stamps"}}, 400, "").Text; !strings.Contains(page, `value="many"`) || !strings.Contains(page, "whole number") {
		t.Errorf("refused plan: %s", page)
	}
	b.Want(at+"/plan", url.Values{"stamps": {"-1"}}, 400, "")
	b.Want(at+"/plan", url.Values{"entitled": {"everything"}}, 400, "")
	b.Want(at+"/plan", url.Values{"entitled": {"stamps", "bulk"}, "stamps": {"500"}, "minute": {"60"}}, 303, at+"?done=planned")
	p, err := w.Admin.Tenants.Plan(t.Context(), "ELSIN1")
	harness.Must(t, err)
	if p.All || len(p.Entitled) != 2 || p.Quotas[tenant.KindStamps] != 500 || len(p.Quotas) != 1 || p.RequestsPerMinute != 60 {
		t.Errorf("plan %+v", p)
	}
	state := func(want tenant.State) {
		t.Helper()
		of, err := w.Admin.Tenants.Tenant(t.Context(), "ELSIN1")
		harness.Must(t, err)
		if of.State != want {
			t.Errorf("the tenant is %s, want %s", of.State, want)
		}
	}
	b.Want(at+"/suspend", url.Values{"confirm": {"elsin1"}}, 400, "")
	state(tenant.Active)
	b.Want(at+"/suspend", url.Values{"confirm": {"ELSIN1"}}, 303, at+"?done=suspended")
	state(tenant.Suspended)
	b.Want(at+"/activate", url.Values{}, 303, at+"?done=activated")
	state(tenant.Active)
	b.Want("/console/operator/tenants/NOSUCH", nil, 404, "")
	b.Want("/console/operator/tenants/NOSUCH/suspend", url.Values{"confirm": {"NOSUCH"}}, 404, "")
	rows, err := w.Admin.Tenants.Audit(t.Context(), tenant.AuditFilter{Tenant: "ELSIN1"})
	harness.Must(t, err)
	for _, e := range rows {
		if e.By.Actor != tenant.ActorUser || e.By.Name == "" {
			t.Errorf("%s by %+v", e.Action, e.By)
		}
	}
	if len(rows) != 4 {
		t.Errorf("%d rows in the audit log", len(rows))
	}
}

// TestGateway: the state of the gateway, document types and mails.
func TestGateway(t *testing.T) {
	t.Parallel()
	w := consoletest.NewWorld(t)
	b := w.Browser("browser")
	b.Enrol(w.Invite(ada))
	if page := b.Want("/console/operator", nil, 200, "").Text; strings.Count(page, "None on record") != 2 || !strings.Contains(page, w.Admin.Publisher.Fingerprint().String()) {
		t.Errorf("state: %s", page)
	}
	harness.Must(t, w.Admin.Record(t.Context(), server.ActionBackup, "bytes", "1"))
	harness.Must(t, w.Admin.Record(t.Context(), server.ActionFsck, "problems", "2"))
	w.Clock.Add(10 * time.Minute)
	if page := b.Want("/console/operator", nil, 200, "").Text; strings.Contains(page, "None on record") || !strings.Contains(page, "2 problems") {
		t.Errorf("state: %s", page)
	}
	types := "/console/operator/document-types"
	b.Want(types, url.Values{"code": {"toolong"}, "name-en": {"x"}}, 400, "")
	b.Want(types, url.Values{"code": {"QQ1"}, "name-en": {"Berth permit"}, "name-de": {"Liegeplatz"}}, 303, types+"?done=typed")
	if page := b.Want(types, nil, 200, "").Text; !strings.Contains(page, "Berth permit") || !strings.Contains(page, "Liegeplatz") {
		t.Errorf("types: %s", page)
	}
	b.Want(types+"/QQ1/retire", url.Values{}, 303, types+"?done=untyped")
	b.Want(types+"/QQ2/retire", url.Values{}, 404, "")
	b.Want("/console/operator/mail", nil, 200, "")
	b.Want("/console/operator/mail?tenant=ACME01&state=Failed", nil, 200, "")
	b.Want("/console/operator/mail?tenant=ACME01&state=x", nil, 404, "")
	b.Want("/console/operator/mail?tenant=NOSUCH", nil, 404, "")
	b.Want("/console/operator/mail", url.Values{"tenant": {"ACME01"}}, 200, "")
	for _, text := range consoletest.Hostile {
		consoletest.StaysText(t, strings.TrimSpace(text), b.Send("/console/operator/tenants", url.Values{"name": {text}, "reference": {text}}).Text+b.Want("/console/operator/tenants", nil, 200, "").Text)
		consoletest.StaysText(t, strings.TrimSpace(text), b.Send(types, url.Values{"code": {"QQ3"}, "name-en": {text}}).Text+b.Want(types, nil, 200, "").Text)
	}
}

// TestScreens: the screens in Chromium.
//
//engine:sqlite the screens are the same on both
func TestScreens(t *testing.T) {
	t.Parallel()
	w := consoletest.NewWorld(t)
	s := consoletest.Open(t, w)
	s.As(ada)
	for _, screen := range []struct{ path, heading, name string }{
		{"/console/operator", "Gateway", "operator"},
		{"/console/operator/tenants", "Tenants", "tenants"},
		{"/console/operator/tenants/ACME01", "Acme University Active", "tenant"},
		{"/console/operator/document-types", "Document types", "types"},
		{"/console/operator/mail", "Mail", "mail"},
	} {
		s.At(screen.path)
		if screen.name != "tenant" {
			s.Is(screen.path, screen.heading)
		}
		s.Look(screen.name)
	}
	s.Language("ar")
	s.At("/console/operator")
	s.Look("operator-ar")
	s.Quiet()
}
