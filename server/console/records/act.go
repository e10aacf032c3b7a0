package records

import (
	"net/http"
	"slices"
	"strings"

	"tcode/server/account"
	"tcode/server/console/frame"
	"tcode/server/fault"
)

// grave are the actions that cannot be undone: they take a typed confirmation.
var grave = []string{"revoke", "expire"}

// actView is the data of the screen that confirms a change of one record.
type actView struct {
	Kind   about
	R      record
	Action string
	Reason string
	Typed  string // what is to be typed; "" if nothing is
	Wrong  map[string]frame.Sentences
}

// last returns the last four characters of a reference.
func last(reference string) string { return reference[max(0, len(reference)-4):] }

// actOn reads the record and action of a request. ok is false if the answer is given.
func (d *desk) actOn(w http.ResponseWriter, r *http.Request, v account.Visit, k kind) (view *actView, ok bool) {
	rec, err := k.get(r.Context(), v.Tenant.Reference, r.PathValue("id"))
	if err != nil {
		d.Failed(w, r, err)
		return nil, false
	}
	action := r.PathValue("action")
	if !slices.Contains(k.about().Actions, action) {
		d.NotFound(w, r)
		return nil, false
	}
	if !slices.Contains(offers(k, stored(rec.Status), rec.Document != ""), action) {
		// It was changed meanwhile: its screen says how it is.
		http.Redirect(w, r, k.about().Path+"/"+rec.ID+"?done=already", http.StatusSeeOther)
		return nil, false
	}
	view = &actView{Kind: k.about(), R: rec, Action: action, Wrong: map[string]frame.Sentences{}}
	if slices.Contains(grave, action) {
		view.Typed = last(rec.Reference)
	}
	return view, true
}

func (d *desk) actPage(w http.ResponseWriter, r *http.Request, v account.Visit, k kind) {
	if view, ok := d.actOn(w, r, v, k); ok {
		d.drawAct(w, r, v, view, http.StatusOK)
	}
}

func (d *desk) drawAct(w http.ResponseWriter, r *http.Request, v account.Visit, view *actView, status int) {
	p, t := d.page(r, v)
	p.Title, p.D = t.Ask[view.Action], view
	d.Draw(w, r, status, "records/act", p)
}

func (d *desk) act(w http.ResponseWriter, r *http.Request, v account.Visit, k kind) {
	view, ok := d.actOn(w, r, v, k)
	if !ok {
		return
	}
	_, t := d.page(r, v)
	if view.Reason = strings.TrimSpace(r.PostFormValue("reason")); view.Reason == "" {
		view.Wrong["reason"] = frame.Own(t.NeedReason)
	}
	if view.Typed != "" && !sameTyped(r.PostFormValue("typed"), view.Typed) {
		view.Wrong["typed"] = frame.Own(t.Mistyped)
	}
	if len(view.Wrong) > 0 {
		d.drawAct(w, r, v, view, http.StatusBadRequest)
		return
	}
	err := k.act(r.Context(), frame.Identity(r, v), view.R.ID, view.Action, view.Reason)
	switch f := fault.As(err); {
	case err == nil:
		http.Redirect(w, r, k.about().Path+"/"+view.R.ID+"?done="+view.Action, http.StatusSeeOther)
	case f.Kind == fault.Invalid:
		view.Wrong["reason"] = frame.Own(t.BadReason)
		d.drawAct(w, r, v, view, http.StatusBadRequest)
	case f.Kind == fault.Conflict:
		http.Redirect(w, r, k.about().Path+"/"+view.R.ID+"?done=already", http.StatusSeeOther)
	case f.Kind == fault.Forbidden:
		view.Wrong["form"] = d.Page(r, nil).T.Said(f.Said())
		d.drawAct(w, r, v, view, http.StatusForbidden)
	default:
		d.Failed(w, r, err)
	}
}

// sameTyped compares a typed confirmation in any case and spacing.
func sameTyped(typed, want string) bool {
	return strings.EqualFold(strings.Join(strings.Fields(typed), " "), want)
}
