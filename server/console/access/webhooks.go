package access

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"tcode/server/account"
	"tcode/server/console/frame"
	"tcode/server/outbound/webhook"
)

// hookRow is an endpoint for people. The address may hold a secret of the receiver in its
// path and query: lists show the host alone.
type hookRow struct {
	webhook.Endpoint
	Host         string
	On, Failing  bool
	Day          webhook.Counts // deliveries of the last 24 hours
	Total        int
	FailingSince string
	OldUntil     string
}

func (a *access) hookRow(e webhook.Endpoint, day webhook.Counts) hookRow {
	row := hookRow{
		Endpoint: e, Host: "–", On: e.State == webhook.Enabled, Day: day, Total: day.Waiting + day.Delivered + day.Failed,
		FailingSince: frame.Moment(e.Since),
	}
	if u, err := url.Parse(e.URL); err == nil && u.Host != "" {
		row.Host = u.Host
	}
	row.Failing = row.On && row.FailingSince != ""
	if a.Now().Before(e.OldUntil) {
		row.OldUntil = frame.Moment(e.OldUntil)
	}
	return row
}

// hookList is the data of the list of endpoints.
type hookList struct{ Hooks []hookRow }

func (a *access) hooks(w http.ResponseWriter, r *http.Request, v account.Visit) {
	list, err := a.c.Webhooks.List(r.Context(), v.Tenant.Reference)
	if err != nil {
		a.Failed(w, r, err)
		return
	}
	days, err := a.c.Webhooks.CountDay(r.Context(), v.Tenant.Reference)
	if err != nil {
		a.Failed(w, r, err)
		return
	}
	var d hookList
	for _, e := range list {
		d.Hooks = append(d.Hooks, a.hookRow(e, days[e.ID]))
	}
	p, t := a.page(r, v, "", d)
	p.Title = t.Webhooks
	a.Draw(w, r, http.StatusOK, "access/hooks", p)
}

// hookForm is the part of a screen with address and events.
type hookForm struct {
	URL     string
	Events  map[string]bool
	All     []string
	Problem frame.Problems
}

// filters are the events that a form offers: all, and each one.
func filters() []string {
	out := []string{"*"}
	for _, e := range webhook.EventTypes() {
		out = append(out, string(e))
	}
	return out
}

// newForm returns the form with an address and events.
func newForm(address string, events webhook.Filter) hookForm {
	f := hookForm{URL: address, Events: map[string]bool{}, All: filters()}
	for _, e := range events {
		f.Events[e] = true
		if !slices.Contains(f.All, e) { // a kind, "stamp.*"
			f.All = append(f.All, e)
		}
	}
	return f
}

// posted returns the form as it was sent.
func posted(r *http.Request) hookForm {
	_ = r.ParseForm() // a broken body has no values
	return newForm(strings.TrimSpace(r.PostFormValue("url")), r.PostForm["event"])
}

func (a *access) newHookPage(w http.ResponseWriter, r *http.Request, v account.Visit) {
	a.newHookForm(w, r, v, newForm("https://", webhook.Filter{"*"}), http.StatusOK)
}

func (a *access) newHookForm(w http.ResponseWriter, r *http.Request, v account.Visit, f hookForm, status int) {
	p, t := a.page(r, v, "", f)
	p.Title = t.NewHook
	a.Draw(w, r, status, "access/newhook", p)
}

func (a *access) newHook(w http.ResponseWriter, r *http.Request, v account.Visit) {
	f := posted(r)
	e, secret, err := a.c.Webhooks.Create(by(r, v), v.Tenant.Reference, f.URL, r.PostForm["event"])
	if err != nil {
		problem, status, ok := a.Refused(r, err)
		if !ok {
			a.Failed(w, r, err)
			return
		}
		f.Problem = problem
		a.newHookForm(w, r, v, f, status)
		return
	}
	a.hookPage(w, r, v, e, hookPage{Secret: secret}, http.StatusOK)
}

// hookPage is the data of the screen of one endpoint.
type hookPage struct {
	Hook       hookRow
	Form       hookForm
	Secret     string       // that was just made
	Try        *webhook.Try // of a test
	Sent       int          // deliveries that were requested again
	Resent     bool
	State      webhook.State
	States     []webhook.State
	Deliveries []deliveryRow
	Total      int
	More       bool // than Total
	Number     int  // page
	Newer      int  // page; 0: none
	Older      int
}

// deliveryRow is a line of the list of deliveries.
type deliveryRow struct {
	webhook.Delivery
	At, Next string
	About    string
}

func newDelivery(d webhook.Delivery) deliveryRow {
	row := deliveryRow{Delivery: d, At: frame.Moment(d.CreatedAt)}
	if d.State == webhook.Waiting {
		row.Next = frame.Moment(d.DueAt)
	}
	return row
}

// deliveriesPage is the number of deliveries on a page.
const deliveriesPage = 25

// ownHook returns the endpoint of the path. ok is false if there is none, and the answer is
// given then.
func (a *access) ownHook(w http.ResponseWriter, r *http.Request, v account.Visit) (e webhook.Endpoint, ok bool) {
	e, err := a.c.Webhooks.Endpoint(r.Context(), v.Tenant.Reference, r.PathValue("id"))
	if err != nil {
		a.Failed(w, r, err)
	}
	return e, err == nil
}

func (a *access) hook(w http.ResponseWriter, r *http.Request, v account.Visit) {
	if e, ok := a.ownHook(w, r, v); ok {
		a.hookPage(w, r, v, e, hookPage{}, http.StatusOK)
	}
}

// hookPage draws the screen of an endpoint, with the result of a form in d.
func (a *access) hookPage(w http.ResponseWriter, r *http.Request, v account.Visit, e webhook.Endpoint, d hookPage, status int) {
	q := r.URL.Query()
	d.State, d.States = webhook.State(q.Get("state")), []webhook.State{"", webhook.Waiting, webhook.Failed, webhook.Delivered}
	if !slices.Contains(d.States, d.State) {
		d.State = ""
	}
	d.Number, _ = strconv.Atoi(q.Get("page"))
	d.Number = min(max(d.Number, 1), 1000)
	page, err := a.c.Webhooks.DeliveryPage(r.Context(), v.Tenant.Reference, e.ID, d.State, d.Number, deliveriesPage)
	if err != nil {
		a.Failed(w, r, err)
		return
	}
	for _, x := range page.Items {
		d.Deliveries = append(d.Deliveries, newDelivery(x))
	}
	d.Total, d.More, d.Newer = page.TotalCount, page.TotalIsLowerBound, d.Number-1
	if d.Number*deliveriesPage < page.TotalCount || page.TotalIsLowerBound && len(page.Items) == deliveriesPage {
		d.Older = d.Number + 1
	}
	d.Hook = a.hookRow(e, webhook.Counts{})
	if d.Form.All == nil {
		d.Form = newForm(e.URL, e.Events)
	}
	p, _ := a.page(r, v, d.Hook.Host, d)
	p.Back = "/console/webhooks/" + e.ID
	p.Scripts = a.Scripts("frame/console.js")
	a.Draw(w, r, status, "access/hook", p)
}

// hookRefused answers for a change of an endpoint that failed.
func (a *access) hookRefused(w http.ResponseWriter, r *http.Request, v account.Visit, e webhook.Endpoint, f hookForm, err error) {
	problem, status, ok := a.Refused(r, err)
	if !ok {
		a.Failed(w, r, err)
		return
	}
	f.Problem = problem
	a.hookPage(w, r, v, e, hookPage{Form: f}, status)
}

func (a *access) changeHook(w http.ResponseWriter, r *http.Request, v account.Visit) {
	e, ok := a.ownHook(w, r, v)
	if !ok {
		return
	}
	f := posted(r)
	u := webhook.Update{URL: &f.URL, Events: r.PostForm["event"]}
	if len(u.Events) == 0 {
		f.Problem = frame.Wrong("events", a.texts(r).NoEvent)
		a.hookPage(w, r, v, e, hookPage{Form: f}, http.StatusBadRequest)
		return
	}
	if _, err := a.c.Webhooks.Update(by(r, v), v.Tenant.Reference, e.ID, u); err != nil {
		a.hookRefused(w, r, v, e, f, err)
		return
	}
	frame.Back(w, r, "/console/webhooks/"+e.ID, "changed")
}

func (a *access) switchHook(w http.ResponseWriter, r *http.Request, v account.Visit) {
	e, ok := a.ownHook(w, r, v)
	if !ok {
		return
	}
	change, done := a.c.Webhooks.Disable, "off"
	if r.PostFormValue("on") != "" {
		change, done = a.c.Webhooks.Enable, "on"
	}
	if _, err := change(by(r, v), v.Tenant.Reference, e.ID); err != nil {
		a.hookRefused(w, r, v, e, newForm(e.URL, e.Events), err)
		return
	}
	frame.Back(w, r, "/console/webhooks/"+e.ID, done)
}

func (a *access) testHook(w http.ResponseWriter, r *http.Request, v account.Visit) {
	e, ok := a.ownHook(w, r, v)
	if !ok {
		return
	}
	try, err := a.c.Webhooks.Test(by(r, v), v.Tenant.Reference, e.ID)
	if err != nil {
		a.Failed(w, r, err)
		return
	}
	try.Took = try.Took.Round(time.Millisecond)
	a.hookPage(w, r, v, e, hookPage{Try: &try}, http.StatusOK)
}

func (a *access) newSecret(w http.ResponseWriter, r *http.Request, v account.Visit) {
	e, ok := a.ownHook(w, r, v)
	if !ok {
		return
	}
	e, secret, err := a.c.Webhooks.RotateSecret(by(r, v), v.Tenant.Reference, e.ID)
	if err != nil {
		a.Failed(w, r, err)
		return
	}
	a.hookPage(w, r, v, e, hookPage{Secret: secret}, http.StatusOK)
}

func (a *access) redeliverFailed(w http.ResponseWriter, r *http.Request, v account.Visit) {
	e, ok := a.ownHook(w, r, v)
	if !ok {
		return
	}
	n, err := a.c.Webhooks.RedeliverFailed(by(r, v), v.Tenant.Reference, e.ID, a.Now().Add(-webhook.Retention))
	if err != nil {
		a.hookRefused(w, r, v, e, newForm(e.URL, e.Events), err)
		return
	}
	a.hookPage(w, r, v, e, hookPage{Sent: n, Resent: true}, http.StatusOK)
}

// removal returns the screen that confirms the end of an endpoint.
func (a *access) removal(r *http.Request, e webhook.Endpoint) confirm {
	t := a.texts(r)
	return confirm{Effect: t.RemoveEffect, Typed: a.hookRow(e, webhook.Counts{}).Host, Act: t.Remove, Back: "/console/webhooks/" + e.ID}
}

func (a *access) removeHookPage(w http.ResponseWriter, r *http.Request, v account.Visit) {
	if e, ok := a.ownHook(w, r, v); ok {
		a.confirmPage(w, r, v, a.texts(r).Remove, a.removal(r, e))
	}
}

func (a *access) removeHook(w http.ResponseWriter, r *http.Request, v account.Visit) {
	e, ok := a.ownHook(w, r, v)
	if !ok {
		return
	}
	t, c := a.texts(r), a.removal(r, e)
	if problem, wrong := mistyped(r, c.Typed, t.Mistyped); wrong {
		c.Problem = problem
		a.confirmPage(w, r, v, t.Remove, c)
		return
	}
	if err := a.c.Webhooks.Remove(by(r, v), v.Tenant.Reference, e.ID); err != nil {
		a.Failed(w, r, err)
		return
	}
	frame.Back(w, r, "/console/webhooks", "removed")
}
