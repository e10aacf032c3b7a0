package console

import (
	"errors"
	"net/http"
	"time"

	"tcode/server/account"
)

// inside serves a screen to signed-in users whose role permits the action. It is the only
// way to a screen behind the door.
func (a *console) inside(needs account.Action, serve func(w http.ResponseWriter, r *http.Request, v account.Visit)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		v, ok := a.visit(w, r)
		if !ok {
			return
		}
		switch {
		case v.Stage != account.StageIn:
			toStage(w, r, v.Stage)
		case !v.May(needs):
			a.message(w, r, http.StatusForbidden, func(t *texts) note { return t.NotAllowed }, false)
		default:
			serve(w, r, v)
		}
	}
}

// actions are the rights that the first screen lists, in its order.
var actions = []account.Action{account.See, account.Issue, account.Integrate, account.Manage, account.Audit, account.Operate, account.Self}

func (a *console) overview(w http.ResponseWriter, r *http.Request, v account.Visit) {
	p := a.page(r, &v, func(t *texts) string { return t.Overview })
	p.SignedIn = moment(v.User.SignedInAt)
	for _, one := range actions {
		if v.May(one) {
			p.May = append(p.May, one)
		}
	}
	a.draw(w, r, http.StatusOK, "overview", p)
}

func (a *console) sessions(w http.ResponseWriter, r *http.Request, v account.Visit) {
	list, err := a.c.Accounts.Sessions(r.Context(), v)
	if err != nil {
		a.failed(w, r, err)
		return
	}
	p := a.page(r, &v, func(t *texts) string { return t.Sessions })
	for _, s := range list {
		p.Sessions = append(p.Sessions, sessionRow{s, s.ID == v.ID, moment(s.CreatedAt), moment(s.SeenAt.Truncate(time.Minute))})
	}
	a.draw(w, r, http.StatusOK, "sessions", p)
}

func (a *console) endSession(w http.ResponseWriter, r *http.Request, v account.Visit) {
	id := r.PostFormValue("id")
	// A session that has ended already is the wanted state.
	if err := a.c.Accounts.End(r.Context(), v, id); err != nil && !errors.Is(err, account.ErrNoSession) {
		a.failed(w, r, err)
		return
	}
	if id == v.ID {
		a.dropToken(w, r)
		http.Redirect(w, r, "/console/signin", http.StatusSeeOther)
		return
	}
	http.Redirect(w, r, "/console/sessions", http.StatusSeeOther)
}
