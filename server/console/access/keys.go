package access

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"tcode/server/account"
	"tcode/server/console/frame"
	"tcode/server/tenant"
)

// keyRow is a line of the list of keys.
type keyRow struct {
	tenant.APIKey
	State            tenant.APIKeyState
	Begins           string // the visible part
	Used, Ends       string
	Today            int64 // requests
	Days             int   // until it expires; with Soon
	Soon, Live, Ever bool  // expires within 14 days; works; expires at all
}

// soon is the time before its end at which a key is marked.
const soon = 14 * 24 * time.Hour

// keyList is the data of the list of keys.
type keyList struct {
	Live, Over []keyRow
	Secret     string // of a key that was just made
	Made       keyRow
}

func (a *access) row(k tenant.APIKey) keyRow {
	now := a.Now()
	row := keyRow{
		APIKey: k, State: k.State(now), Begins: "tck_live_" + k.Prefix, Used: frame.Moment(k.LastUsedAt), Ends: frame.Moment(k.ExpiresAt),
		Today: k.UsedOn(tenant.DayOf(now)), Ever: !k.ExpiresAt.IsZero(),
	}
	if k.Test {
		row.Begins = "tck_test_" + k.Prefix
	}
	row.Live = row.State == tenant.KeyActive
	row.Soon = row.Live && row.Ever && k.ExpiresAt.Sub(now) < soon
	row.Days = int(k.ExpiresAt.Sub(now).Hours() / 24)
	return row
}

func (a *access) keys(w http.ResponseWriter, r *http.Request, v account.Visit) {
	a.keyList(w, r, v, nil)
}

// keyList draws the list, with the secret of a key that was just made.
func (a *access) keyList(w http.ResponseWriter, r *http.Request, v account.Visit, made *tenant.NewKey) {
	all, err := a.c.Keys.Keys(r.Context(), v.Tenant.Reference)
	if err != nil {
		a.Failed(w, r, err)
		return
	}
	var d keyList
	for _, k := range all {
		if row := a.row(k); row.Live {
			d.Live = append(d.Live, row)
		} else {
			d.Over = append(d.Over, row)
		}
	}
	if made != nil {
		d.Secret, d.Made = made.Secret, a.row(made.APIKey)
	}
	p, t := a.page(r, v, "", d)
	p.Title = t.Keys
	p.Back = "/console/keys"
	p.Scripts = a.Scripts("frame/console.js")
	a.Draw(w, r, http.StatusOK, "access/keys", p)
}

// lives are the lives of a key in days that the form offers; 0: it does not expire.
var lives = []int{90, 30, 365, 0}

// keyForm is the data of the form of a new key.
type keyForm struct {
	Name    string
	Scopes  map[tenant.Scope]bool
	All     []tenant.Scope
	Days    int
	Lives   []int
	Test    bool
	Problem frame.Problems
}

func (a *access) newKeyPage(w http.ResponseWriter, r *http.Request, v account.Visit) {
	a.keyForm(w, r, v, keyForm{Days: lives[0], Scopes: map[tenant.Scope]bool{tenant.ScopeStamp: true}}, http.StatusOK)
}

func (a *access) keyForm(w http.ResponseWriter, r *http.Request, v account.Visit, f keyForm, status int) {
	f.All, f.Lives = tenant.Scopes(), lives
	p, t := a.page(r, v, "", f)
	p.Title = t.NewKey
	a.Draw(w, r, status, "access/newkey", p)
}

func (a *access) newKey(w http.ResponseWriter, r *http.Request, v account.Visit) {
	f := keyForm{Name: strings.TrimSpace(r.PostFormValue("name")), Test: r.PostFormValue("test") != "", Scopes: map[tenant.Scope]bool{}, Days: lives[0]}
	opt := tenant.KeyOptions{Name: f.Name, Test: f.Test}
	for _, s := range r.PostForm["scope"] {
		f.Scopes[tenant.Scope(s)] = true
		opt.Scopes = append(opt.Scopes, tenant.Scope(s))
	}
	if len(opt.Scopes) == 0 {
		f.Problem = frame.Wrong("scopes", a.texts(r).NoScope)
		a.keyForm(w, r, v, f, http.StatusBadRequest)
		return
	}
	if days, err := strconv.Atoi(r.PostFormValue("days")); err == nil && days >= 0 && days <= 3650 {
		f.Days = days
	}
	if f.Days > 0 {
		opt.ExpiresAt = a.Now().AddDate(0, 0, f.Days)
	}
	made, err := a.c.Keys.CreateKey(by(r, v), v.Tenant.Reference, opt)
	if err != nil {
		problem, status, ok := a.Refused(r, err)
		if !ok {
			a.Failed(w, r, err)
			return
		}
		f.Problem = problem
		a.keyForm(w, r, v, f, status)
		return
	}
	a.keyList(w, r, v, &made)
}

// ownKey returns the key of the path. ok is false if there is none, and the answer is given
// then.
func (a *access) ownKey(w http.ResponseWriter, r *http.Request, v account.Visit) (k tenant.APIKey, ok bool) {
	k, err := a.c.Keys.Key(r.Context(), v.Tenant.Reference, r.PathValue("prefix"))
	if err != nil {
		a.Failed(w, r, err)
	}
	return k, err == nil
}

// renewForm is the data of the form that replaces a key by a new one.
type renewForm struct {
	Key     keyRow
	Problem frame.Problems
}

func (a *access) renewPage(w http.ResponseWriter, r *http.Request, v account.Visit) {
	if k, ok := a.ownKey(w, r, v); ok {
		a.renewForm(w, r, v, renewForm{Key: a.row(k)}, http.StatusOK)
	}
}

func (a *access) renewForm(w http.ResponseWriter, r *http.Request, v account.Visit, f renewForm, status int) {
	p, t := a.page(r, v, "", f)
	p.Title = t.Renew
	a.Draw(w, r, status, "access/renew", p)
}

func (a *access) renew(w http.ResponseWriter, r *http.Request, v account.Visit) {
	k, ok := a.ownKey(w, r, v)
	if !ok {
		return
	}
	opt := tenant.RenewOptions{Overlap: -1}
	if hours, err := strconv.Atoi(r.PostFormValue("overlap")); err == nil && hours > 0 && hours < 10_000 {
		opt.Overlap = time.Duration(hours) * time.Hour
	}
	made, err := a.c.Keys.RotateKey(by(r, v), v.Tenant.Reference, k.Prefix, opt)
	if err != nil {
		problem, status, ok := a.Refused(r, err)
		if !ok {
			a.Failed(w, r, err)
			return
		}
		a.renewForm(w, r, v, renewForm{a.row(k), problem}, status)
		return
	}
	a.keyList(w, r, v, &made)
}

// revocation returns the screen that confirms the end of a key.
func (a *access) revocation(r *http.Request, k tenant.APIKey) (confirm, error) {
	t, row := a.texts(r), a.row(k)
	used := row.Used
	if used == "" {
		used = a.Page(r, nil).T.Never
	}
	left, err := a.c.Keys.Left(r.Context(), k.Tenant, k.Prefix)
	return confirm{Effect: t.fill(t.RevokeEffect, used, row.Today), Left: left, Typed: k.Name, Act: t.RevokeKey, Back: "/console/keys"}, err
}

func (a *access) revokePage(w http.ResponseWriter, r *http.Request, v account.Visit) {
	if k, ok := a.ownKey(w, r, v); ok {
		a.revokeForm(w, r, v, k, frame.Problems{})
	}
}

func (a *access) revokeForm(w http.ResponseWriter, r *http.Request, v account.Visit, k tenant.APIKey, problem frame.Problems) {
	c, err := a.revocation(r, k)
	if err != nil {
		a.Failed(w, r, err)
		return
	}
	c.Problem = problem
	a.confirmPage(w, r, v, a.texts(r).RevokeKey, c)
}

func (a *access) revoke(w http.ResponseWriter, r *http.Request, v account.Visit) {
	k, ok := a.ownKey(w, r, v)
	if !ok {
		return
	}
	if problem, wrong := mistyped(r, k.Name, a.texts(r).Mistyped); wrong {
		a.revokeForm(w, r, v, k, problem)
		return
	}
	if err := a.c.Keys.RevokeKey(by(r, v), v.Tenant.Reference, k.Prefix); err != nil {
		a.Failed(w, r, err)
		return
	}
	frame.Back(w, r, "/console/keys", "revoked")
}
