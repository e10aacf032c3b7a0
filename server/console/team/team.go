// Package team has the screens of the console on which owners manage the users of their
// tenant: invite, change the role, reset, disable, remove. [Area] makes them.
package team

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"tcode/server/account"
	"tcode/server/console/frame"
	"tcode/server/fault"
	"tcode/server/tenant"
)

// Accounts has the users. Package account implements it.
type Accounts interface {
	Team(ctx context.Context, v account.Visit) ([]account.Member, error)
	Invite(ctx context.Context, v account.Visit, email, name string, role account.Role) (account.Sent, error)
	ResetMember(ctx context.Context, v account.Visit, id string) (account.Sent, error)
	DisableMember(ctx context.Context, v account.Visit, id string) error
	RemoveMember(ctx context.Context, v account.Visit, id string) error
	MemberLeft(ctx context.Context, v account.Visit, id string) ([]tenant.Left, error)
	SetMemberRole(ctx context.Context, v account.Visit, id string, role account.Role) error
}

//go:embed templates assets
var files embed.FS

type team struct {
	*frame.Frame
	accounts Accounts
}

// Area returns the screens.
func Area(accounts Accounts) func(*frame.Frame) frame.Area {
	return func(f *frame.Frame) frame.Area {
		a := &team{f, accounts}
		return frame.Area{
			Name: "team", Files: files, Words: words,
			Links: []frame.Link{{Path: "/console/team", Place: 32, Needs: account.Manage, Label: func(l string) string { return words.Of(l).Title }}},
			Routes: []frame.Route{
				{Pattern: "GET /console/team", Needs: account.Manage, Serve: a.list},
				{Pattern: "POST /console/team", Needs: account.Manage, Serve: a.invite},
				{Pattern: "GET /console/team/{id}", Needs: account.Manage, Serve: a.one},
				{Pattern: "POST /console/team/{id}/role", Needs: account.Manage, Serve: a.change(a.setRole)},
				{Pattern: "POST /console/team/{id}/reset", Needs: account.Manage, Serve: a.change(a.reset)},
				{Pattern: "POST /console/team/{id}/disable", Needs: account.Manage, Serve: a.change(a.disable)},
				{Pattern: "POST /console/team/{id}/remove", Needs: account.Manage, Serve: a.change(a.remove)},
			},
		}
	}
}

// roles are those that an owner may give.
var roles = []account.Role{account.Viewer, account.Issuer, account.Owner}

// view is the data of the screens.
type view struct {
	Members []row
	One     row // of the screen of one user
	Left    []tenant.Left
	Roles   []account.Role

	Email, Name string // of the form of an invitation
	Role        account.Role
	Confirm     string

	Link, Until, To string // a link to give by hand, shown once
}

// row is a user as a list shows it.
type row struct {
	account.Member
	Ways     []string // in, in words
	SignedIn string
	Self     bool
}

func (a *team) rowOf(w *texts, v account.Visit, m account.Member) row {
	r := row{Member: m, SignedIn: frame.Moment(m.SignedInAt), Self: m.ID == v.User.ID}
	if len(m.Factor) > 0 {
		r.Ways = append(r.Ways, w.App)
	}
	if m.Passkeys > 0 {
		r.Ways = append(r.Ways, fmt.Sprintf("%s (%d)", w.Passkey, m.Passkeys))
	}
	if m.Linked {
		r.Ways = append(r.Ways, w.Provider)
	}
	return r
}

// page returns the list, or nil if the answer is given.
func (a *team) page(w http.ResponseWriter, r *http.Request, v account.Visit) (*frame.Page, *view) {
	members, err := a.accounts.Team(r.Context(), v)
	if err != nil {
		a.Failed(w, r, err)
		return nil, nil
	}
	p := a.Page(r, &v)
	t, d := words.In(p), &view{Roles: roles, Role: account.Viewer}
	for _, m := range members {
		d.Members = append(d.Members, a.rowOf(t, v, m))
	}
	p.Title, p.W, p.D = t.Title, t, d
	p.Done = t.Done[r.URL.Query().Get("done")]
	return p, d
}

func (a *team) list(w http.ResponseWriter, r *http.Request, v account.Visit) {
	if p, _ := a.page(w, r, v); p != nil {
		a.Draw(w, r, http.StatusOK, "team/list", p)
	}
}

func (a *team) invite(w http.ResponseWriter, r *http.Request, v account.Visit) {
	email, name, role := r.PostFormValue("email"), strings.TrimSpace(r.PostFormValue("name")), account.Role(r.PostFormValue("role"))
	sent, err := a.accounts.Invite(r.Context(), v, email, name, role)
	if err == nil {
		a.sent(w, r, v, sent)
		return
	}
	wrong, status := refusal(err)
	if wrong == nil {
		a.Failed(w, r, err)
		return
	}
	if p, d := a.page(w, r, v); p != nil {
		d.Email, d.Name, d.Role, p.Wrong = email, name, role, wrong(words.In(p))
		a.Draw(w, r, status, "team/list", p)
	}
}

// refusal returns the sentence and the status for an error of a form, or nil for others.
func refusal(err error) (say func(*texts) string, status int) {
	_, waits := account.IsWait(err)
	switch {
	case waits:
		return func(t *texts) string { return fmt.Sprintf(t.TooMany, account.MaxInvitations) }, http.StatusTooManyRequests
	case errors.Is(err, account.ErrLastOwner):
		return func(t *texts) string { return t.LastOwner }, http.StatusConflict
	case fault.As(err).Code == fault.CodeDuplicate:
		return func(t *texts) string { return t.Known }, http.StatusConflict
	case fault.Is(err, fault.Conflict):
		return func(t *texts) string { return t.Already }, http.StatusConflict
	case fault.Is(err, fault.Invalid):
		return func(t *texts) string { return t.Invalid }, http.StatusBadRequest
	}
	return nil, 0
}

// sent answers an invitation: that it is on its way, or with the link to give by hand. No
// other answer has the link, and nothing of it is in an address.
func (a *team) sent(w http.ResponseWriter, r *http.Request, v account.Visit, s account.Sent) {
	if s.Mailed {
		http.Redirect(w, r, "/console/team?done=sent", http.StatusSeeOther)
		return
	}
	p, d := a.page(w, r, v)
	if p == nil {
		return
	}
	base, ok := a.Origin(r)
	if !ok { // the browser's own address
		base = "http://" + r.Host
		if a.Secure(r) {
			base = "https://" + r.Host
		}
	}
	d.Link, d.Until, d.To = base+"/console/welcome/"+url.PathEscape(s.Token), frame.Moment(s.ExpiresAt), s.Email
	p.Back, p.Scripts = "/console/team", a.Scripts("frame/console.js")
	a.Draw(w, r, http.StatusOK, "team/list", p)
}

// member returns the screen of one user, or nil if the answer is given.
func (a *team) member(w http.ResponseWriter, r *http.Request, v account.Visit) (*frame.Page, *view) {
	p, d := a.page(w, r, v)
	if p == nil {
		return nil, nil
	}
	for _, m := range d.Members {
		if m.ID == r.PathValue("id") {
			left, err := a.accounts.MemberLeft(r.Context(), v, m.ID)
			if err != nil {
				a.Failed(w, r, err)
				return nil, nil
			}
			d.Left = left
			d.One, d.Role, p.Title, p.Back = m, m.Role, m.Label(), "/console/team/"+m.ID
			return p, d
		}
	}
	a.NotFound(w, r)
	return nil, nil
}

func (a *team) one(w http.ResponseWriter, r *http.Request, v account.Visit) {
	if p, _ := a.member(w, r, v); p != nil {
		a.Draw(w, r, http.StatusOK, "team/one", p)
	}
}

// change serves a form of the screen of one user. do answers if it succeeds.
func (a *team) change(do func(w http.ResponseWriter, r *http.Request, v account.Visit, of row) error) func(http.ResponseWriter, *http.Request, account.Visit) {
	return func(w http.ResponseWriter, r *http.Request, v account.Visit) {
		p, d := a.member(w, r, v)
		if p == nil {
			return
		}
		err := do(w, r, v, d.One)
		wrong, status := refusal(err)
		switch {
		case err == nil:
		case errors.Is(err, errConfirm):
			p.Wrong = words.In(p).Confirm
			a.Draw(w, r, http.StatusBadRequest, "team/one", p)
		case wrong == nil:
			a.Failed(w, r, err)
		default:
			p.Wrong = wrong(words.In(p))
			a.Draw(w, r, status, "team/one", p)
		}
	}
}

// errConfirm means that the address of the user was not typed.
var errConfirm = errors.New("not confirmed")

// confirmed checks that the user's address was typed: an act that ends a person's sessions
// names its object.
func confirmed(r *http.Request, of row) error {
	if !strings.EqualFold(strings.TrimSpace(r.PostFormValue("confirm")), of.Email) {
		return errConfirm
	}
	return nil
}

func (a *team) setRole(w http.ResponseWriter, r *http.Request, v account.Visit, of row) error {
	err := a.accounts.SetMemberRole(r.Context(), v, of.ID, account.Role(r.PostFormValue("role")))
	if err == nil {
		http.Redirect(w, r, "/console/team?done=role", http.StatusSeeOther)
	}
	return err
}

// reset also sends an invitation again, which needs no confirmation.
func (a *team) reset(w http.ResponseWriter, r *http.Request, v account.Visit, of row) error {
	if of.State != account.Invited {
		if err := confirmed(r, of); err != nil {
			return err
		}
	}
	s, err := a.accounts.ResetMember(r.Context(), v, of.ID)
	if err == nil {
		a.sent(w, r, v, s)
	}
	return err
}

func (a *team) disable(w http.ResponseWriter, r *http.Request, v account.Visit, of row) error {
	err := confirmed(r, of)
	if err == nil {
		err = a.accounts.DisableMember(r.Context(), v, of.ID)
	}
	if err == nil {
		http.Redirect(w, r, "/console/team?done=disabled", http.StatusSeeOther)
	}
	return err
}

func (a *team) remove(w http.ResponseWriter, r *http.Request, v account.Visit, of row) error {
	err := confirmed(r, of)
	if err == nil {
		err = a.accounts.RemoveMember(r.Context(), v, of.ID)
	}
	if err == nil {
		http.Redirect(w, r, "/console/team?done=removed", http.StatusSeeOther)
	}
	return err
}
