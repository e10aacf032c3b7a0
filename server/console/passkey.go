package console

import (
	"errors"
	"net"
	"net/http"
	"net/url"
	"strings"

	"tcode/server/account"
	"tcode/server/console/frame"
	"tcode/server/fault"
)

// passkeyOrigin returns the origin to which passkeys are bound. ok is false where browsers
// have none: without TLS other than at localhost, and at an IP address.
func (a *console) passkeyOrigin(r *http.Request) (origin string, ok bool) {
	origin, ok = a.Origin(r)
	u, err := url.Parse(origin)
	if !ok || err != nil || net.ParseIP(u.Hostname()) != nil {
		return "", false
	}
	return origin, u.Scheme == "https" || u.Hostname() == "localhost"
}

func (a *console) signInPasskey(w http.ResponseWriter, r *http.Request) {
	origin, ok := a.passkeyOrigin(r)
	if !ok {
		a.NotFound(w, r)
		return
	}
	ticket, err := a.accounts.SignInPasskey(r.Context(), origin, r.PostFormValue("challenge"), r.PostFormValue("answer"), a.From(r))
	a.enter(w, r, ticket, err, func(err error) {
		if !errors.Is(err, account.ErrPasskey) && !errors.Is(err, account.ErrUsed) {
			a.Failed(w, r, err)
			return
		}
		p, d, failed := a.signInForm(r)
		if failed != nil {
			a.Failed(w, r, failed)
			return
		}
		d.PasskeyWrong = words.In(p).PasskeyRefused
		a.Draw(w, r, http.StatusForbidden, "door/signin", p)
	})
}

// welcomePasskey takes the passkey of an invited person, in place of a password.
func (a *console) welcomePasskey(w http.ResponseWriter, r *http.Request) {
	origin, ok := a.passkeyOrigin(r)
	if !ok {
		a.NotFound(w, r)
		return
	}
	p, ok := a.invitation(w, r)
	if !ok {
		return
	}
	name := strings.TrimSpace(r.PostFormValue("name"))
	ticket, err := a.accounts.AcceptPasskey(r.Context(), r.PathValue("token"), origin, r.PostFormValue("challenge"), name, r.PostFormValue("answer"), a.From(r))
	a.enter(w, r, ticket, err, func(err error) {
		if !fault.Is(err, fault.Invalid) && !fault.Is(err, fault.Unauthorized) && !fault.Is(err, fault.Conflict) {
			a.refuse(w, r, "", nil, "", err)
			return
		}
		d := p.D.(*view)
		d.PassName, d.PasskeyWrong = name, words.In(p).PasskeyRefused
		if fault.Is(err, fault.Invalid) {
			d.PasskeyWrong = words.In(p).PasskeyNameWrong
		}
		a.Draw(w, r, http.StatusBadRequest, "door/welcome", p)
	})
}

// passkeyRow is a line of the list of passkeys.
type passkeyRow struct {
	account.Passkey
	Added, Used string
}

func (a *console) passkeys(w http.ResponseWriter, r *http.Request, v account.Visit) {
	if p, _ := a.passkeyPage(w, r, v); p != nil {
		a.Draw(w, r, http.StatusOK, "door/passkeys", p)
	}
}

// passkeyPage returns the screen of the visitor's passkeys, or nil if the answer is given.
func (a *console) passkeyPage(w http.ResponseWriter, r *http.Request, v account.Visit) (*frame.Page, *view) {
	list, err := a.accounts.Passkeys(r.Context(), v)
	if err != nil {
		a.Failed(w, r, err)
		return nil, nil
	}
	p, d := a.page(r, &v, func(t *texts) string { return t.Passkeys })
	for _, one := range list {
		d.Passkeys = append(d.Passkeys, passkeyRow{one, frame.Moment(one.CreatedAt), frame.Moment(one.UsedAt)})
	}
	if origin, ok := a.passkeyOrigin(r); ok && len(list) < account.MaxPasskeys {
		c, err := a.accounts.NewPasskey(r.Context(), v, origin, a.From(r))
		switch {
		case errors.Is(err, account.ErrNotFresh):
			d.Stale = true
		case err != nil:
			a.Failed(w, r, err)
			return nil, nil
		default:
			d.Passkey, p.Scripts = &c, a.Scripts("door/passkey.js")
		}
	}
	return p, d
}

func (a *console) addPasskey(w http.ResponseWriter, r *http.Request, v account.Visit) {
	origin, ok := a.passkeyOrigin(r)
	if !ok {
		a.NotFound(w, r)
		return
	}
	name := strings.TrimSpace(r.PostFormValue("name"))
	err := a.accounts.AddPasskey(r.Context(), v, origin, r.PostFormValue("challenge"), name, r.PostFormValue("answer"), a.From(r))
	switch {
	case err == nil:
		http.Redirect(w, r, "/console/passkeys", http.StatusSeeOther)
	case fault.Is(err, fault.Invalid), fault.Is(err, fault.Unauthorized), fault.Is(err, fault.Conflict):
		if p, d := a.passkeyPage(w, r, v); p != nil {
			d.PassName, p.Wrong = name, words.In(p).PasskeyRefused
			if fault.Is(err, fault.Invalid) {
				p.Wrong = words.In(p).PasskeyNameWrong
			}
			a.Draw(w, r, http.StatusBadRequest, "door/passkeys", p)
		}
	default:
		a.Failed(w, r, err)
	}
}

func (a *console) removePasskey(w http.ResponseWriter, r *http.Request, v account.Visit) {
	// One that is removed already is the wanted state.
	err := a.accounts.RemovePasskey(r.Context(), v, r.PostFormValue("id"))
	switch {
	case errors.Is(err, account.ErrLastWay):
		if p, d := a.passkeyPage(w, r, v); p != nil {
			d.PasskeyKept = words.In(p).PasskeyLast
			a.Draw(w, r, http.StatusConflict, "door/passkeys", p)
		}
		return
	case err != nil && !errors.Is(err, account.ErrPasskey):
		a.Failed(w, r, err)
		return
	}
	http.Redirect(w, r, "/console/passkeys", http.StatusSeeOther)
}
