package operator_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"tcode/server"
	"tcode/server/account"
	"tcode/server/console/consoletest"
	"tcode/server/internal/harness"
	"tcode/server/issue/bulk"
	"tcode/server/store/storetest"
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
		{"/console/operator/work", "Set aside", "work-none"},
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

// TestWork: an operator gives an item up that was set aside, has others tried again, and hears what
// cannot be, in Chromium.
//
//engine:sqlite the screens are the same on both
func TestWork(t *testing.T) {
	t.Parallel()
	w := consoletest.NewWorld(t)
	db, ctx := storetest.Raw(t, w.Dir), t.Context()
	j, err := w.Admin.Bulk.Create(ctx, w.Identity("ACME01"), bulk.Request{
		Order: bulk.Order{Product: bulk.TCode}, CSV: strings.NewReader("fileName,name,documentTypeCode\n1.pdf,One,DIP\n2.pdf,Two,DIP\n"),
		ZIP: harness.ZIP(t, map[string][]byte{"1.pdf": harness.PDF("1"), "2.pdf": harness.PDF("2")}),
	})
	harness.Must(t, err)
	status := func(want bulk.Status) func() bool {
		return func() bool {
			j, err := w.Admin.Bulk.Get(ctx, "ACME01", bulk.TCode, j.ID)
			harness.Must(t, err)
			return j.Status == want
		}
	}
	consoletest.Eventually(t, status(bulk.Completed))
	at := time.Now().UnixMilli() // the gateway drops old ones
	for _, statement := range []string{
		`UPDATE bulk_jobs SET status = 'CompletedWithErrors', succeeded = 1, failed = 1`,
		`UPDATE bulk_rows SET state = 'Failed', made = '', reference = '' WHERE number = 1`,
		fmt.Sprintf(`INSERT INTO work_faults (kind, subject, item, ends, cause, aside, at) VALUES
			('bulk', '%[1]s', '1', 2, 'exit status 7', 1, %[2]d),
			('bulk', '%[1]s', '2', 2, 'more than 1024 MiB of memory', 1, %[2]d),
			('privacy', 'files', 'x', 3, 'exit status 7', 1, %[2]d),
			('expiry', 'documents', 'x', 2, 'exit status 7', 1, %[2]d)`, j.ID, at),
	} {
		_, err := db.ExecContext(ctx, statement)
		harness.Must(t, err)
	}
	s := consoletest.Open(t, w)
	s.As(ada)
	form := func(action, id string) string { return `form[action$="/` + action + `"] input[value="` + id + `"]` }
	rows := func() int { return consoletest.Eval[int](s, `document.querySelectorAll('tbody tr').length`) }
	s.At("/console/operator/work")
	s.Is("/console/operator/work", "Set aside")
	s.Look("work")
	if n, cancels := rows(), consoletest.Eval[int](s, `document.querySelectorAll('form[action$="/cancel"]').length`); n != 4 || cancels != 2 {
		t.Errorf("%d rows, and %d can be given up", n, cancels)
	}
	s.Quiet()
	s.Press(form("cancel", j.ID+"/2"))
	s.Is("/console/operator/work", "Set aside")
	s.Look("work-given")
	_, err = db.ExecContext(ctx, `DELETE FROM work_faults WHERE kind = 'expiry'`)
	harness.Must(t, err)
	s.Press(form("retry", "documents/x"))
	s.Look("work-refused")
	if text := consoletest.Eval[string](s, `document.querySelector('[role=alert]').textContent`); !strings.Contains(text, "documents/x") {
		t.Errorf("refused: %s", text)
	}
	s.Forgive()
	s.Press(form("retry", "files/x"))
	s.Press(form("retry", j.ID+"/1"))
	s.Is("/console/operator/work", "Set aside")
	if n := rows(); n != 0 {
		t.Errorf("%d rows are left", n)
	}
	consoletest.Eventually(t, status(bulk.Completed))
	audit, err := w.Admin.Tenants.Audit(ctx, tenant.AuditFilter{Limit: 100})
	harness.Must(t, err)
	did := map[string]int{}
	for _, e := range audit {
		if e.By.Actor == tenant.ActorUser && strings.HasPrefix(e.Action, "work.") {
			did[e.Action]++
		}
	}
	if did["work.retry"] != 2 || did["work.cancel"] != 1 {
		t.Errorf("audit log: %v", did)
	}
	s.Language("ar")
	s.At("/console/operator/work")
	s.Look("work-ar")
	s.Quiet()
}
