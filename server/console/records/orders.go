package records

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"tcode/server/account"
	"tcode/server/console/frame"
	"tcode/server/fault"
	"tcode/server/issue"
	"tcode/server/issue/batch"
	"tcode/server/issue/stamp"
)

// mostChosen is the number of records that boxes can choose, those of one page.
const mostChosen = 100

// chooseView is the data of the screen that confirms a change of many records.
type chooseView struct {
	Kind   about
	Action string
	All    bool // all that match, not those with boxes
	Query  query
	IDs    []string
	Choice issue.Choice
	Until  int64 // milliseconds; only records made before it
	Count  string
	Typed  string
	Reason string
	Wrong  map[string]frame.Sentences
}

// selection reads what is chosen. ok is false if the answer is given.
func (d *desk) selection(w http.ResponseWriter, r *http.Request, v account.Visit, k kind, form url.Values) (view *chooseView, ok bool) {
	_, t := d.page(r, v)
	view = &chooseView{Kind: k.about(), Action: form.Get("action"), All: form.Get("all") != "", Query: parse(form, k.about()), Wrong: map[string]frame.Sentences{}}
	if !slices.Contains(view.Kind.Actions, view.Action) {
		d.NotFound(w, r)
		return nil, false
	}
	if len(view.Query.Wrong) > 0 {
		d.Message(w, r, http.StatusBadRequest, func(*frame.Words) frame.Note { return t.BadFilter }, false)
		return nil, false
	}
	if !view.All {
		if view.IDs = form["id"]; len(view.IDs) == 0 || len(view.IDs) > mostChosen {
			http.Redirect(w, r, address(view.Kind.Path, setDone(view.Query.values(), "nothing")), http.StatusSeeOther)
			return nil, false
		}
	}
	now := d.Now().UnixMilli()
	if view.Until, _ = strconv.ParseInt(form.Get("until"), 10, 64); view.Until <= 0 || view.Until > now {
		view.Until = now
	}
	q := view.Query
	if until := time.UnixMilli(view.Until).UTC(); q.to.IsZero() || until.Before(q.to) {
		q.to = until
	}
	if !q.from.IsZero() && !q.from.Before(q.to) {
		return view, true // the filter begins in the future
	}
	choice, err := k.choose(r.Context(), v.Tenant.Reference, q, view.IDs, view.Action)
	if err != nil {
		d.Failed(w, r, err)
		return nil, false
	}
	view.Choice = choice
	if view.Count = number(len(choice.IDs), false); choice.More {
		view.Count = number(stamp.MaxCount, true)
	}
	view.Typed = fmt.Sprint(t.Verb[view.Action], " ", len(choice.IDs))
	return view, true
}

func setDone(v url.Values, done string) url.Values {
	v.Set("done", done)
	return v
}

func (d *desk) choosePage(w http.ResponseWriter, r *http.Request, v account.Visit, k kind) {
	if view, ok := d.selection(w, r, v, k, r.URL.Query()); ok {
		d.drawChoice(w, r, v, view, http.StatusOK)
	}
}

func (d *desk) drawChoice(w http.ResponseWriter, r *http.Request, v account.Visit, view *chooseView, status int) {
	p, t := d.page(r, v)
	p.Title, p.D = fmt.Sprintf(t.AskMany[view.Action], view.Count), view
	d.Draw(w, r, status, "records/choose", p)
}

// choose begins the order if what is chosen is still what the person saw.
func (d *desk) choose(w http.ResponseWriter, r *http.Request, v account.Visit, k kind) {
	if err := r.ParseForm(); err != nil {
		d.Failed(w, r, err)
		return
	}
	view, ok := d.selection(w, r, v, k, r.PostForm)
	if !ok {
		return
	}
	_, t := d.page(r, v)
	if view.Reason = strings.TrimSpace(r.PostFormValue("reason")); view.Reason == "" {
		view.Wrong["reason"] = frame.Own(t.NeedReason)
	}
	if !sameTyped(r.PostFormValue("typed"), view.Typed) {
		view.Wrong["typed"] = frame.Own(t.Mistyped)
	}
	if r.PostFormValue("sum") != view.Choice.Sum() {
		view.Wrong = map[string]frame.Sentences{"form": frame.Own(t.Moved)}
	}
	if len(view.Wrong) > 0 || view.Choice.More || len(view.Choice.IDs) == 0 {
		d.drawChoice(w, r, v, view, http.StatusBadRequest)
		return
	}
	b, err := d.c.Orders.Begin(r.Context(), frame.Identity(r, v), batch.Order{Subject: view.Kind.Subject, Action: view.Action, Reason: view.Reason, IDs: view.Choice.IDs})
	if fault.Is(err, fault.Invalid) {
		view.Wrong["reason"] = frame.Own(t.BadReason)
		d.drawChoice(w, r, v, view, http.StatusBadRequest)
		return
	}
	if err != nil {
		d.Failed(w, r, err)
		return
	}
	http.Redirect(w, r, "/console/orders/"+b.ID, http.StatusSeeOther)
}

// orderView is the data of the screen of an order.
type orderView struct {
	Kind     about
	B        batch.Batch
	Percent  int
	By       string
	May      bool
	Problems []problem
}

// problem is a record that an order could not change.
type problem struct {
	ID, Reference string
	Why           frame.Sentences
}

// mostProblems is the number of problems that are shown.
const mostProblems = 20

func (d *desk) order(w http.ResponseWriter, r *http.Request, v account.Visit) {
	ctx, ref := r.Context(), v.Tenant.Reference
	b, err := d.c.Orders.Get(ctx, ref, r.PathValue("id"))
	if err != nil {
		d.Failed(w, r, err)
		return
	}
	k := d.kinds[slices.IndexFunc(d.kinds, func(k kind) bool { return k.about().Subject == b.Subject })]
	view := &orderView{Kind: k.about(), B: b, Percent: 100 * b.Done / b.Total, May: v.May(account.Issue)}
	authors, err := d.authors(ctx, ref)
	if err != nil {
		d.Failed(w, r, err)
		return
	}
	view.By = named(authors, b.Author)
	for _, one := range b.Problems[:min(len(b.Problems), mostProblems)] {
		rec, err := k.get(ctx, ref, one.ID)
		if err != nil && !isMissing(err) {
			d.Failed(w, r, err)
			return
		}
		view.Problems = append(view.Problems, problem{one.ID, rec.Reference, d.Page(r, nil).T.Said(one.Text())})
	}
	p, t := d.page(r, v)
	p.Title, p.D = fmt.Sprintf(t.OrderTitle[b.Action], number(b.Total, false)), view
	if b.State == batch.Running {
		p.Scripts = d.Scripts("records/order.js")
	}
	d.Draw(w, r, http.StatusOK, "records/order", p)
}

func (d *desk) stop(w http.ResponseWriter, r *http.Request, v account.Visit) {
	id := r.PathValue("id")
	if err := d.c.Orders.Stop(r.Context(), frame.Identity(r, v), id); err != nil {
		d.Failed(w, r, err)
		return
	}
	http.Redirect(w, r, "/console/orders/"+url.PathEscape(id), http.StatusSeeOther)
}
