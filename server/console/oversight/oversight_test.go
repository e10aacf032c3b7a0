package oversight_test

import (
	"encoding/csv"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"tcode/server/account"
	"tcode/server/console/consoletest"
	"tcode/server/internal/harness"
	"tcode/server/tenant"
)

func TestMain(m *testing.M) { harness.Main(m) }

// TestAudit: the log has filters, pages and an export; it shows the names of users and keys,
// and nothing of another tenant.
func TestAudit(t *testing.T) {
	t.Parallel()
	w := consoletest.NewWorld(t)
	b := w.Browser("browser")
	b.Enrol(w.Invite(consoletest.Ruth(account.Owner)))
	w.Tenant("OTHER1")
	users, err := w.Admin.Accounts.Users(t.Context(), "ACME01")
	harness.Must(t, err)
	by := tenant.WithBy(t.Context(), tenant.By{Actor: tenant.ActorUser, Name: users[0].ID})
	var keys []string
	for i := range 60 {
		k, err := w.Admin.Tenants.CreateKey(by, "ACME01", tenant.KeyOptions{Name: fmt.Sprintf("=key %d", i)})
		harness.Must(t, err)
		keys = append(keys, k.Prefix)
		w.Clock.Add(time.Second)
	}
	count := func(query string) (rows int, page string) {
		t.Helper()
		page = b.Want("/console/audit"+query, nil, 200, "").Text
		return strings.Count(page, "<tr><td"), page
	}
	if n, page := count("?action=key.create"); n != 50 || !strings.Contains(page, "1 to 50 of 60") || !strings.Contains(page, "Ruth Nakamura") || strings.Contains(page, "OTHER1") {
		t.Errorf("first page: %d rows: %s", n, page)
	}
	if n, page := count("?action=key.create&page=2"); n != 10 || !strings.Contains(page, "51 to 60 of 60") || strings.Contains(page, `rel="next"`) {
		t.Errorf("second page: %d rows", n)
	}
	day := w.Clock.Now().UTC().Format(time.DateOnly)
	for query, want := range map[string]int{
		"?subject=" + keys[7]: 1, "?by=user:" + users[0].ID + "&action=key.create": 50, "?by=key:" + keys[0]: 0, "?by=system&action=key.create": 0,
		"?from=2999-01-01": 0, "?to=2020-01-01": 0, "?action=key.create&subject=" + keys[1] + "&from=" + w.Clock.Now().AddDate(0, 0, -1).UTC().Format(time.DateOnly) + "&to=" + day: 1, "?page=99999": 0, "?page=-1&subject=" + keys[2]: 1,
	} {
		if n, _ := count(query); n != want {
			t.Errorf("%s: %d rows, want %d", query, n, want)
		}
	}
	b.Want("/console/audit?from=x", nil, 400, "")
	b.Want("/console/audit?from=2026-02-01&to=2026-01-01", nil, 400, "")

	table := func(query string) ([][]string, error) {
		text, ok := strings.CutPrefix(b.Want("/console/audit.csv"+query, nil, 200, "").Text, "\ufeff")
		if !ok {
			t.Errorf("the export has no byte order mark")
		}
		return csv.NewReader(strings.NewReader(text)).ReadAll()
	}
	rows, err := table("?action=key.create")
	harness.Must(t, err)
	if len(rows) != 61 || rows[1][4] != "Ruth Nakamura" || rows[1][6] != keys[59] || !strings.Contains(rows[1][7], "scopes=") {
		t.Errorf("export: %d rows, %q", len(rows), rows[1])
	}
	// A key that changes something is shown with its name, which is no formula.
	_, err = w.Admin.Tenants.CreateKey(tenant.WithBy(t.Context(), tenant.By{Actor: tenant.ActorKey, Name: keys[0]}), "ACME01", tenant.KeyOptions{Name: "x"})
	harness.Must(t, err)
	rows, err = table("?by=key:" + keys[0])
	harness.Must(t, err)
	if len(rows) != 2 || rows[1][4] != "'=key 0" {
		t.Errorf("export: %q", rows)
	}

	op := w.Browser("operator")
	op.Enrol(w.Invite(account.Spec{Email: "ada@example.org", Role: account.Operator}))
	if page := op.Want("/console/operator/audit?action=tenant.create", nil, 200, "").Text; !strings.Contains(page, "ACME01") || !strings.Contains(page, "OTHER1") {
		t.Errorf("operator's log: %s", page)
	}
	b.Want("/console/operator/audit", nil, 403, "")
}

// TestPlan: quotas with their use, by month and day.
func TestPlan(t *testing.T) {
	t.Parallel()
	w := consoletest.NewWorld(t)
	b := w.Browser("browser")
	b.Enrol(w.Invite(consoletest.Ruth(account.Viewer)))
	if page := b.Want("/console/plan", nil, 200, "").Text; strings.Contains(page, "<meter") || !strings.Contains(page, "no limit") {
		t.Errorf("unlimited: %s", page)
	}
	_, err := w.Admin.Tenants.ChangePlan(t.Context(), "ACME01", func(p *tenant.Plan) {
		p.All, p.Entitled, p.Quotas = false, []tenant.Entitlement{tenant.EntitledTemplates}, map[tenant.Kind]int64{tenant.KindTemplates: 1, tenant.KindStamps: 10}
	})
	harness.Must(t, err)
	if page := b.Want("/console/plan", nil, 200, "").Text; strings.Count(page, "<meter") != 2 || strings.Count(page, "not included") != 4 || !strings.Contains(page, "0 / 10") {
		t.Errorf("limited: %s", page)
	}
	month := tenant.MonthOf(w.Clock.Now().AddDate(0, -1, 0)).String()
	if page := b.Want("/console/plan?"+url.Values{"month": {month}}.Encode(), nil, 200, "").Text; !strings.Contains(page, `<option dir="ltr" selected>`+month) {
		t.Errorf("last month: %s", page)
	}
	b.Want("/console/plan?month=2999-01", nil, 200, "")
}

// TestScreens: the screens in Chromium.
//
//engine:sqlite the screens are the same on both
func TestScreens(t *testing.T) {
	t.Parallel()
	w := consoletest.NewWorld(t)
	s := consoletest.Open(t, w)
	s.As(consoletest.Ruth(account.Owner))
	_, err := w.Admin.Tenants.CreateKey(t.Context(), "ACME01", tenant.KeyOptions{Name: "office", ExpiresAt: w.Clock.Now().AddDate(1, 0, 0)})
	harness.Must(t, err)
	_, err = w.Admin.Tenants.ChangePlan(t.Context(), "ACME01", func(p *tenant.Plan) { p.Quotas = map[tenant.Kind]int64{tenant.KindStamps: 10} })
	harness.Must(t, err)
	s.At("/console/audit")
	s.Is("/console/audit", "Audit log")
	s.Look("audit")
	s.At("/console/audit?subject=nothing")
	s.Look("audit-none")
	s.At("/console/plan")
	s.Is("/console/plan", "Plan and usage")
	s.Look("plan")
	s.Language("ar")
	s.At("/console/audit")
	s.Look("audit-ar")
	s.Quiet()
}

// TestHostileTexts: filters and names stay text.
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	w := consoletest.NewWorld(t)
	b := w.Browser("browser")
	b.Enrol(w.Invite(consoletest.Ruth(account.Owner)))
	for _, text := range consoletest.Hostile {
		_, err := w.Admin.Tenants.CreateKey(tenant.WithBy(t.Context(), tenant.By{Actor: tenant.ActorOperator, Name: text}), "ACME01", tenant.KeyOptions{Name: "x"})
		harness.Must(t, err)
		q := url.Values{"subject": {text}, "action": {text}, "by": {text}, "from": {text}}
		consoletest.StaysText(t, text, b.Send("/console/audit?"+q.Encode(), nil).Text)
	}
	consoletest.StaysText(t, consoletest.Hostile[0], b.Want("/console/audit?by=operator", nil, 200, "").Text)
}
