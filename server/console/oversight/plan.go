package oversight

import (
	"net/http"

	"tcode/server/account"
	"tcode/server/tenant"
)

// planPage is the data of the plan's screen.
type planPage struct {
	Month    tenant.Month
	Months   []tenant.Month // that can be chosen, newest first
	Kinds    []kindRow
	Plan     tenant.Plan
	Entitled []tenant.Entitlement // all, in the order of their display
	Days     []tenant.DayUsage    // newest first
}

// kindRow is the use of one kind.
type kindRow struct {
	tenant.KindUsage
	High int64 // from here on the meter warns
	Near bool
	Full bool
}

// days is the number of days that the screen lists, months that of months to choose from.
const (
	days   = 31
	months = 13
)

func (a *oversight) plan(w http.ResponseWriter, r *http.Request, v account.Visit) {
	d := planPage{Month: a.c.Tenants.Month(), Entitled: tenant.Entitlements()}
	for m := d.Month; len(d.Months) < months; m = tenant.MonthOf(m.Start().AddDate(0, 0, -1)) {
		d.Months = append(d.Months, m)
	}
	if m, err := tenant.ParseMonth(r.URL.Query().Get("month")); err == nil && m <= d.Month {
		d.Month = m
	}
	var err error
	if d.Plan, err = a.c.Tenants.Plan(r.Context(), v.Tenant.Reference); err != nil {
		a.Failed(w, r, err)
		return
	}
	used, err := a.c.Tenants.Report(r.Context(), v.Tenant.Reference, d.Month)
	if err != nil {
		a.Failed(w, r, err)
		return
	}
	for _, k := range used {
		row := kindRow{KindUsage: k, High: k.Quota * 8 / 10}
		row.Full = k.Limited && k.Used >= k.Quota
		row.Near = k.Limited && !row.Full && k.Used >= row.High
		d.Kinds = append(d.Kinds, row)
	}
	today := a.c.Tenants.Today()
	list, err := a.c.Tenants.Days(r.Context(), v.Tenant.Reference, today.Add(1-days), today)
	if err != nil {
		a.Failed(w, r, err)
		return
	}
	for i := range list {
		d.Days = append(d.Days, list[len(list)-1-i])
	}
	p, t := a.page(r, v, d)
	p.Title = t.Plan
	a.Draw(w, r, http.StatusOK, "oversight/plan", p)
}
