package access

import (
	"net/http"
	"strconv"
	"time"

	"tcode/server/account"
	"tcode/server/console/frame"
	"tcode/server/fault"
	"tcode/server/tenant"
)

// signingRow is a line of the list of signing keys.
type signingRow struct {
	tenant.SigningKey
	From, Until, Since string
	Days               int // since it was made
	Old                bool
	Retire, Compromise bool // can be done
}

// old is the age at which a key that signs is marked.
const old = 365 * 24 * time.Hour

// signingList is the data of the screen of signing keys.
type signingList struct {
	Keys      []signingRow
	Announced bool // a key is: no further one can be
	Problem   frame.Problems
	Lost      *tenant.Compromise // the result of the form before
}

func (a *access) signing(w http.ResponseWriter, r *http.Request, v account.Visit) {
	a.signingList(w, r, v, signingList{}, http.StatusOK)
}

func (a *access) signingList(w http.ResponseWriter, r *http.Request, v account.Visit, d signingList, status int) {
	keys, err := a.c.Keys.SigningKeys(r.Context(), v.Tenant.Reference)
	if err != nil {
		a.Failed(w, r, err)
		return
	}
	now := a.Now()
	for i := range keys {
		k := keys[len(keys)-1-i]
		row := signingRow{
			SigningKey: k, From: frame.Moment(k.ValidFrom), Until: frame.Moment(k.ValidUntil), Since: frame.Moment(k.CompromisedSince),
			Days: int(now.Sub(k.CreatedAt).Hours() / 24), Old: k.State == tenant.KeySigning && now.Sub(k.CreatedAt) > old,
			Retire: k.State == tenant.KeySigning || k.State == tenant.KeyAnnounced, Compromise: k.State != tenant.KeyCompromised,
		}
		d.Announced = d.Announced || k.State == tenant.KeyAnnounced
		d.Keys = append(d.Keys, row)
	}
	p, t := a.page(r, v, "", d)
	p.Title = t.Signing
	p.Back = "/console/signing"
	a.Draw(w, r, status, "access/signing", p)
}

func (a *access) rotate(w http.ResponseWriter, r *http.Request, v account.Visit) {
	opt := tenant.RotateOptions{}
	if r.PostFormValue("now") != "" {
		opt.Announce = -1
	}
	if _, err := a.c.Keys.RotateSigningKey(by(r, v), v.Tenant.Reference, opt); err != nil {
		a.signingRefused(w, r, v, err)
		return
	}
	frame.Back(w, r, "/console/signing", "rotated")
}

// signingRefused answers for a change of keys that failed.
func (a *access) signingRefused(w http.ResponseWriter, r *http.Request, v account.Visit, err error) {
	problem, status, ok := a.Refused(r, err)
	if !ok {
		a.Failed(w, r, err)
		return
	}
	a.signingList(w, r, v, signingList{Problem: problem}, status)
}

// ownSigning returns the signing key of the path. ok is false if there is none, and the
// answer is given then.
func (a *access) ownSigning(w http.ResponseWriter, r *http.Request, v account.Visit) (k tenant.SigningKey, ok bool) {
	keys, err := a.c.Keys.SigningKeys(r.Context(), v.Tenant.Reference)
	if err != nil {
		a.Failed(w, r, err)
		return k, false
	}
	for _, k := range keys {
		if strconv.Itoa(int(k.Seq)) == r.PathValue("seq") {
			return k, true
		}
	}
	a.NotFound(w, r)
	return k, false
}

// retirement returns the screen that confirms the end of a key's signing.
func (a *access) retirement(r *http.Request, k tenant.SigningKey) confirm {
	t := a.texts(r)
	return confirm{Effect: t.RetireEffect, Typed: k.ID(), Act: t.Retire, Back: "/console/signing"}
}

func (a *access) retirePage(w http.ResponseWriter, r *http.Request, v account.Visit) {
	if k, ok := a.ownSigning(w, r, v); ok {
		a.confirmPage(w, r, v, a.texts(r).Retire, a.retirement(r, k))
	}
}

func (a *access) retire(w http.ResponseWriter, r *http.Request, v account.Visit) {
	k, ok := a.ownSigning(w, r, v)
	if !ok {
		return
	}
	t := a.texts(r)
	if problem, wrong := mistyped(r, k.ID(), t.Mistyped); wrong {
		c := a.retirement(r, k)
		c.Problem = problem
		a.confirmPage(w, r, v, t.Retire, c)
		return
	}
	if _, _, err := a.c.Keys.RetireSigningKey(by(r, v), v.Tenant.Reference, int(k.Seq)); err != nil {
		a.signingRefused(w, r, v, err)
		return
	}
	frame.Back(w, r, "/console/signing", "retired")
}

// loss returns the screen that confirms that others may have a key.
func (a *access) loss(r *http.Request, k tenant.SigningKey) confirm {
	t := a.texts(r)
	return confirm{Effect: t.CompromiseEffect, Typed: k.ID(), Act: t.Compromise, Back: "/console/signing", Ask: true, Since: a.Now().UTC().Format(localTime)}
}

// localTime is the form of the values of an input of type datetime-local. They are in UTC.
const localTime = "2006-01-02T15:04"

func (a *access) compromisePage(w http.ResponseWriter, r *http.Request, v account.Visit) {
	if k, ok := a.ownSigning(w, r, v); ok {
		a.confirmPage(w, r, v, a.texts(r).Compromise, a.loss(r, k))
	}
}

func (a *access) compromise(w http.ResponseWriter, r *http.Request, v account.Visit) {
	k, ok := a.ownSigning(w, r, v)
	if !ok {
		return
	}
	t, c := a.texts(r), a.loss(r, k)
	c.Since = r.PostFormValue("since")
	since, err := time.Parse(localTime, c.Since)
	if problem, wrong := mistyped(r, k.ID(), t.Mistyped); wrong || err != nil {
		if c.Problem = problem; err != nil {
			c.Problem.Add("since", t.NoTime)
		}
		a.confirmPage(w, r, v, t.Compromise, c)
		return
	}
	out, err := a.c.Keys.CompromiseSigningKey(by(r, v), v.Tenant.Reference, int(k.Seq), since)
	switch {
	case fault.Is(err, fault.Invalid):
		c.Problem, _, _ = a.Refused(r, err)
		a.confirmPage(w, r, v, t.Compromise, c)
	case err != nil:
		a.signingRefused(w, r, v, err)
	default:
		a.signingList(w, r, v, signingList{Lost: &out}, http.StatusOK)
	}
}
