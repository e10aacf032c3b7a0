package console

import (
	"errors"
	"net/http"
	"time"

	"tcode/server/account"
	"tcode/server/console/frame"
)

// actions are the rights that the first screen lists, in its order.
var actions = []account.Action{account.See, account.Issue, account.Integrate, account.Manage, account.Audit, account.Operate, account.Self}

// overview shows the first screen: that of the tenant's things to its users, and the account
// to others.
func (a *console) overview(w http.ResponseWriter, r *http.Request, v account.Visit) {
	if home := a.Home(); home != nil && v.May(account.See) {
		home(w, r, v)
		return
	}
	a.drawAccount(w, r, v, func(t *texts) string { return t.Overview })
}

// accountPage shows the user's account and rights.
func (a *console) accountPage(w http.ResponseWriter, r *http.Request, v account.Visit) {
	a.drawAccount(w, r, v, func(t *texts) string { return t.Account })
}

func (a *console) drawAccount(w http.ResponseWriter, r *http.Request, v account.Visit, title func(*texts) string) {
	p, d := a.page(r, &v, title)
	d.SignedIn = frame.Moment(v.User.SignedInAt)
	for _, one := range actions {
		if v.May(one) {
			d.May = append(d.May, one)
		}
	}
	a.Draw(w, r, http.StatusOK, "door/overview", p)
}

// sessionRow is a line of the list of sessions.
type sessionRow struct {
	account.Session
	This        bool
	Began, Used string
}

func (a *console) sessions(w http.ResponseWriter, r *http.Request, v account.Visit) {
	list, err := a.accounts.Sessions(r.Context(), v)
	if err != nil {
		a.Failed(w, r, err)
		return
	}
	p, d := a.page(r, &v, func(*texts) string { return "" })
	p.Title = p.T.Sessions
	for _, s := range list {
		d.Sessions = append(d.Sessions, sessionRow{s, s.ID == v.ID, frame.Moment(s.CreatedAt), frame.Moment(s.SeenAt.Truncate(time.Minute))})
	}
	a.Draw(w, r, http.StatusOK, "door/sessions", p)
}

func (a *console) endSession(w http.ResponseWriter, r *http.Request, v account.Visit) {
	id := r.PostFormValue("id")
	// A session that has ended already is the wanted state.
	if err := a.accounts.End(r.Context(), v, id); err != nil && !errors.Is(err, account.ErrNoSession) {
		a.Failed(w, r, err)
		return
	}
	if id == v.ID {
		a.DropToken(w, r)
		http.Redirect(w, r, "/console/signin", http.StatusSeeOther)
		return
	}
	http.Redirect(w, r, "/console/sessions", http.StatusSeeOther)
}
