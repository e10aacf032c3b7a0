package oversight

import (
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"tcode/offline/cell"
	"tcode/server/account"
	"tcode/server/console/frame"
	"tcode/server/tenant"
)

// rowsPage is the number of rows on a page; maxPage bounds the work of a request.
const (
	rowsPage = 50
	maxPage  = 2000
)

// auditPage is the data of the log.
type auditPage struct {
	Here    string // path of the screen
	Query   url.Values
	Export  string // address of the CSV file with the same filter
	Actions []string
	Authors []author
	Rows    []auditRow
	Total   int
	More    bool // than Total
	First   int  // number of the first row on the page
	Last    int
	Newer   string // addresses of pages; "": none
	Older   string
	Problem frame.Problems
	All     bool // rows of every tenant
}

// An author is someone by whom rows can be selected.
type author struct{ Value, Label string }

// auditRow is a row for people.
type auditRow struct {
	tenant.Entry
	When   string
	Author string   // name; "" for the kind alone
	Detail []detail // in the order of the names
}

type detail struct{ Name, Value string }

// names are the names of a tenant's users and keys, by the names in the log.
type names map[tenant.Actor]map[string]string

// names returns the names that the log does not keep.
func (a *oversight) names(r *http.Request, reference string) (n names, list []author, err error) {
	n = names{tenant.ActorUser: {}, tenant.ActorKey: {}}
	users, err := a.c.Users.Users(r.Context(), reference)
	if err != nil {
		return nil, nil, err
	}
	for _, u := range users {
		n[tenant.ActorUser][u.ID] = u.Label()
		list = append(list, author{string(tenant.ActorUser) + ":" + u.ID, u.Label()})
	}
	if reference == "" {
		return n, list, nil
	}
	keys, err := a.c.Tenants.Keys(r.Context(), reference)
	for _, k := range keys {
		n[tenant.ActorKey][k.Prefix] = k.Name
		list = append(list, author{string(tenant.ActorKey) + ":" + k.Prefix, k.Name + " (" + k.Prefix + ")"})
	}
	return n, list, err
}

// filter returns the filter of an address.
func filter(q url.Values, reference string) (f tenant.AuditFilter, p frame.Problems) {
	f = tenant.AuditFilter{Tenant: reference, Action: q.Get("action"), Subject: strings.TrimSpace(q.Get("subject"))}
	if kind, name, ok := strings.Cut(q.Get("by"), ":"); ok {
		f.Actor, f.By = tenant.Actor(kind), name
	} else if q.Get("by") != "" {
		f.Actor = tenant.Actor(q.Get("by"))
	}
	day := func(member string) (at time.Time) {
		text := q.Get(member)
		if text == "" {
			return at
		}
		at, err := time.Parse(time.DateOnly, text)
		if err != nil {
			p.Add(member, "YYYY-MM-DD")
		}
		return at
	}
	f.From, f.To = day("from"), day("to")
	if !f.To.IsZero() {
		f.To = f.To.AddDate(0, 0, 1) // the whole day
	}
	return f, p
}

// audit draws the log of the user's tenant, or of all tenants for an operator.
func (a *oversight) audit(w http.ResponseWriter, r *http.Request, v account.Visit) {
	q := r.URL.Query()
	d := auditPage{Here: r.URL.Path, Query: q, Export: r.URL.Path + ".csv?" + without(q, "page").Encode(), All: v.Tenant.Reference == ""}
	f, problem := filter(q, v.Tenant.Reference)
	d.Problem = problem
	number, _ := strconv.Atoi(q.Get("page"))
	number = min(max(number, 1), maxPage)
	n, authors, err := a.names(r, v.Tenant.Reference)
	if err != nil {
		a.Failed(w, r, err)
		return
	}
	d.Authors, d.Actions = authors, tenant.ActionFilters(d.All)
	status := http.StatusOK
	if !problem.Any() {
		status, err = a.rows(r, f, number, n, &d)
		if err != nil {
			a.Failed(w, r, err)
			return
		}
	} else {
		status = http.StatusBadRequest
	}
	p, t := a.page(r, v, d)
	p.Title = t.Audit
	a.Draw(w, r, status, "oversight/audit", p)
}

// rows adds the rows of a page to d.
func (a *oversight) rows(r *http.Request, f tenant.AuditFilter, number int, n names, d *auditPage) (status int, err error) {
	page, err := a.c.Tenants.AuditPage(r.Context(), f, number, rowsPage)
	if err != nil {
		problem, status, ok := a.Refused(r, err)
		d.Problem = problem
		if ok {
			err = nil
		}
		return status, err
	}
	for _, e := range page.Items {
		d.Rows = append(d.Rows, n.row(e))
	}
	d.Total, d.More, d.First = page.TotalCount, page.TotalIsLowerBound, (number-1)*rowsPage+1
	d.Last = d.First + len(d.Rows) - 1
	at := func(number int) string {
		q := without(d.Query, "page")
		q.Set("page", strconv.Itoa(number))
		return d.Here + "?" + q.Encode()
	}
	if number > 1 {
		d.Newer = at(number - 1)
	}
	if len(d.Rows) == rowsPage && (d.Last < d.Total || d.More) && number < maxPage {
		d.Older = at(number + 1)
	}
	return http.StatusOK, nil
}

// row returns a row for people.
func (n names) row(e tenant.Entry) auditRow {
	row := auditRow{Entry: e, When: frame.Moment(e.At), Author: n[e.By.Actor][e.By.Name]}
	if row.Author == "" {
		row.Author = e.By.Name
	}
	for _, name := range slices.Sorted(maps.Keys(e.Detail)) {
		row.Detail = append(row.Detail, detail{name, e.Detail[name]})
	}
	return row
}

// without returns a query without a parameter, and without empty ones.
func without(q url.Values, name string) url.Values {
	out := url.Values{}
	for k, v := range q {
		if k != name && len(v) > 0 && v[0] != "" {
			out.Set(k, v[0])
		}
	}
	return out
}

// export sends the rows of a filter as CSV, while they are read.
func (a *oversight) export(w http.ResponseWriter, r *http.Request, v account.Visit) {
	f, problem := filter(r.URL.Query(), v.Tenant.Reference)
	n, _, err := a.names(r, v.Tenant.Reference)
	if err != nil {
		a.Failed(w, r, err)
		return
	}
	if problem.Any() {
		a.NotFound(w, r)
		return
	}
	a.File(w, r, "text/csv; charset=utf-8; header=present", "audit.csv", func(w io.Writer) error {
		out := cell.NewWriter(w, 0)
		_ = out.Write([]string{"time", "tenant", "actor", "by", "name", "action", "subject", "detail", "traceId"})
		err := a.c.Tenants.EachAudit(r.Context(), f, func(e tenant.Entry) error {
			var details []string
			row := n.row(e)
			for _, d := range row.Detail {
				details = append(details, d.Name+"="+d.Value)
			}
			return out.Write([]string{
				e.At.UTC().Format(time.RFC3339), e.Tenant, string(e.By.Actor), e.By.Name, row.Author,
				e.Action, e.Subject, strings.Join(details, "; "), e.By.TraceID,
			})
		})
		if err != nil {
			return err
		}
		return out.Flush()
	})
}
