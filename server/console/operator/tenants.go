package operator

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"tcode/server/account"
	"tcode/server/console/frame"
	"tcode/server/tenant"
)

// tenantRow is a tenant for people.
type tenantRow struct {
	tenant.Tenant
	On    bool
	Used  int64 // stamps of the month
	Quota int64 // with Limited
	High  int64
	Plan  tenant.Plan

	Limited bool
	Key     string // that signs
	KeyDays int
	KeyOld  bool
}

// tenantsPage is the data of the list of tenants.
type tenantsPage struct {
	Rows            []tenantRow
	Month           tenant.Month
	Name, Reference string
	Problem         frame.Problems
}

func (a *operator) tenants(w http.ResponseWriter, r *http.Request, v account.Visit) {
	a.tenantsPage(w, r, v, tenantsPage{}, http.StatusOK)
}

func (a *operator) tenantsPage(w http.ResponseWriter, r *http.Request, v account.Visit, d tenantsPage, status int) {
	d.Month = a.c.Tenants.Month()
	all, err := a.c.Tenants.Tenants(r.Context())
	if err != nil {
		a.Failed(w, r, err)
		return
	}
	used, err := a.c.Tenants.Usage(r.Context(), "", d.Month)
	if err != nil {
		a.Failed(w, r, err)
		return
	}
	keys, err := a.c.Tenants.SigningKeys(r.Context(), "")
	if err != nil {
		a.Failed(w, r, err)
		return
	}
	stamps, signs := map[string]int64{}, map[string]tenant.SigningKey{}
	for _, u := range used {
		if u.Kind == tenant.KindStamps {
			stamps[u.Tenant] = u.Used
		}
	}
	for _, k := range keys {
		if k.State == tenant.KeySigning {
			signs[k.Tenant] = k
		}
	}
	for _, t := range all {
		d.Rows = append(d.Rows, a.tenantRow(t, stamps[t.Reference], signs[t.Reference]))
	}
	p, t := a.page(r, v, d)
	p.Title = t.Tenants
	p.Back = "/console/operator/tenants"
	a.Draw(w, r, status, "operator/tenants", p)
}

func (a *operator) tenantRow(t tenant.Tenant, used int64, k tenant.SigningKey) tenantRow {
	row := tenantRow{Tenant: t, On: t.State == tenant.Active, Used: used}
	if k.Tenant != "" {
		row.Key, row.KeyDays = k.ID(), int(a.Now().Sub(k.CreatedAt).Hours()/24)
		row.KeyOld = row.KeyDays > 365
	}
	return row
}

func (a *operator) createTenant(w http.ResponseWriter, r *http.Request, v account.Visit) {
	d := tenantsPage{Name: strings.TrimSpace(r.PostFormValue("name")), Reference: strings.TrimSpace(r.PostFormValue("reference"))}
	t, err := a.c.Tenants.CreateTenant(by(r, v), d.Name, d.Reference)
	if err == nil {
		frame.Back(w, r, "/console/operator/tenants/"+t.Reference, "created")
		return
	}
	problem, status, ok := a.Refused(r, err)
	if !ok {
		a.Failed(w, r, err)
		return
	}
	d.Problem = problem
	a.tenantsPage(w, r, v, d, status)
}

// tenantPage is the data of the screen of one tenant.
type tenantPage struct {
	Tenant  tenantRow
	Since   string
	All     bool // every entitlement
	Has     map[tenant.Entitlement]bool
	Able    []tenant.Entitlement
	Quotas  []quotaRow
	Minute  string // requests a minute of each key; "": the gateway's default
	Problem frame.Problems
	Typed   frame.Problems // of the form that suspends
}

// quotaRow is a field of the plan's form.
type quotaRow struct {
	Kind tenant.Kind
	N    string // "": no limit
}

func (a *operator) tenant(w http.ResponseWriter, r *http.Request, v account.Visit) {
	a.tenantPage(w, r, v, tenantPage{}, http.StatusOK)
}

// tenantPage draws the screen of the tenant of the path. d may have the plan's form as it
// was sent.
func (a *operator) tenantPage(w http.ResponseWriter, r *http.Request, v account.Visit, d tenantPage, status int) {
	of, err := a.c.Tenants.Tenant(r.Context(), r.PathValue("reference"))
	if err != nil {
		a.Failed(w, r, err)
		return
	}
	d.Tenant, d.Since, d.Able = tenantRow{Tenant: of, On: of.State == tenant.Active}, frame.Moment(of.CreatedAt), tenant.Entitlements()
	if d.Quotas == nil {
		plan, err := a.c.Tenants.Plan(r.Context(), of.Reference)
		if err != nil {
			a.Failed(w, r, err)
			return
		}
		d.All, d.Has = plan.All, map[tenant.Entitlement]bool{}
		for _, e := range plan.Entitled {
			d.Has[e] = true
		}
		for _, k := range limited() {
			row := quotaRow{Kind: k}
			if n, ok := plan.Quotas[k]; ok {
				row.N = strconv.FormatInt(n, 10)
			}
			d.Quotas = append(d.Quotas, row)
		}
		if plan.RequestsPerMinute > 0 {
			d.Minute = strconv.Itoa(plan.RequestsPerMinute)
		}
	}
	p, _ := a.page(r, v, d)
	p.Title = of.Name
	p.Back = "/console/operator/tenants/" + of.Reference
	a.Draw(w, r, status, "operator/tenant", p)
}

// limited are the kinds that a plan can limit.
func limited() []tenant.Kind {
	return slices.DeleteFunc(tenant.Kinds(), func(k tenant.Kind) bool { return k == tenant.KindLifecycle })
}

func (a *operator) changePlan(w http.ResponseWriter, r *http.Request, v account.Visit) {
	_ = r.ParseForm() // a broken body has no values
	d := tenantPage{All: r.PostFormValue("all") != "", Has: map[tenant.Entitlement]bool{}, Minute: strings.TrimSpace(r.PostFormValue("minute"))}
	next := tenant.Plan{All: d.All, Quotas: map[tenant.Kind]int64{}}
	var wrong frame.Problems
	number := func(field, text string) int64 {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			wrong.Add(field, a.texts(r).NoNumber)
		}
		return n
	}
	for _, e := range r.PostForm["entitled"] {
		d.Has[tenant.Entitlement(e)] = true
		next.Entitled = append(next.Entitled, tenant.Entitlement(e))
	}
	for _, k := range limited() {
		row := quotaRow{k, strings.TrimSpace(r.PostFormValue(string(k)))}
		d.Quotas = append(d.Quotas, row)
		if row.N != "" {
			next.Quotas[k] = number(string(k), row.N)
		}
	}
	if d.Minute != "" {
		next.RequestsPerMinute = int(min(number("minute", d.Minute), 1<<30))
	}
	if wrong.Any() {
		d.Problem = wrong
		a.tenantPage(w, r, v, d, http.StatusBadRequest)
		return
	}
	_, err := a.c.Tenants.ChangePlan(by(r, v), r.PathValue("reference"), func(p *tenant.Plan) { *p = next })
	if err == nil {
		frame.Back(w, r, "/console/operator/tenants/"+r.PathValue("reference"), "planned")
		return
	}
	problem, status, ok := a.Refused(r, err)
	if !ok {
		a.Failed(w, r, err)
		return
	}
	d.Problem = problem
	a.tenantPage(w, r, v, d, status)
}

func (a *operator) suspend(w http.ResponseWriter, r *http.Request, v account.Visit) {
	ref := r.PathValue("reference")
	if r.PostFormValue("confirm") != ref {
		a.tenantPage(w, r, v, tenantPage{Typed: frame.Wrong("confirm", a.texts(r).Mistyped)}, http.StatusBadRequest)
		return
	}
	a.switchTenant(w, r, a.c.Tenants.Suspend(by(r, v), ref), "suspended")
}

func (a *operator) activate(w http.ResponseWriter, r *http.Request, v account.Visit) {
	a.switchTenant(w, r, a.c.Tenants.Activate(by(r, v), r.PathValue("reference")), "activated")
}

func (a *operator) switchTenant(w http.ResponseWriter, r *http.Request, err error, done string) {
	if err != nil {
		a.Failed(w, r, err)
		return
	}
	frame.Back(w, r, "/console/operator/tenants/"+r.PathValue("reference"), done)
}
