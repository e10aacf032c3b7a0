package console

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"time"

	"tcode/server/account"
	"tcode/server/console/frame"
	"tcode/server/fault"
)

// at serves a session at one stage before it is signed in, and sends others to their own
// screen.
func (a *console) at(stage account.Stage, serve http.HandlerFunc) func(http.ResponseWriter, *http.Request, account.Visit) {
	return func(w http.ResponseWriter, r *http.Request, _ account.Visit) {
		v, ok := a.Visit(w, r)
		if !ok {
			return
		}
		if v.Stage != stage {
			frame.ToStage(w, r, v.Stage)
			return
		}
		serve(w, r)
	}
}

func (a *console) signInPage(w http.ResponseWriter, r *http.Request) {
	if v, err := a.accounts.Visit(r.Context(), a.Token(r), a.From(r)); err == nil {
		frame.ToStage(w, r, v.Stage)
		return
	}
	p, _, err := a.signInForm(r)
	if err != nil {
		a.Failed(w, r, err)
		return
	}
	a.Draw(w, r, http.StatusOK, "door/signin", p)
}

// signInForm returns the first screen, with the ways in that there are.
func (a *console) signInForm(r *http.Request) (*frame.Page, *view, error) {
	p, d := a.page(r, nil, func(t *texts) string { return t.SignInTitle })
	_, err := a.accounts.Provider(r.Context(), "")
	if d.Provider = err == nil; errors.Is(err, account.ErrNoProvider) {
		err = nil
	}
	origin, ok := a.passkeyOrigin(r)
	if err != nil || !ok {
		return p, d, err
	}
	c, err := a.accounts.PasskeyChallenge(r.Context(), origin, a.From(r))
	d.Passkey, p.Scripts = &c, a.Scripts("door/passkey.js")
	return p, d, err
}

func (a *console) signIn(w http.ResponseWriter, r *http.Request) {
	p, d, err := a.signInForm(r)
	if err != nil {
		a.Failed(w, r, err)
		return
	}
	d.Email = r.PostFormValue("email")
	ticket, err := a.accounts.SignIn(r.Context(), d.Email, r.PostFormValue("password"), a.From(r))
	a.enter(w, r, ticket, err, func(err error) { a.refuse(w, r, "signin", p, words.In(p).Wrong, err) })
}

// enter gives the browser the session of a ticket, in place of the one that it had, or the
// choice that comes before, or calls refuse with the error.
func (a *console) enter(w http.ResponseWriter, r *http.Request, ticket account.Ticket, err error, refuse func(error)) {
	if err == nil && ticket.Choice != nil {
		p, d := a.page(r, nil, func(t *texts) string { return t.ChooseTitle })
		d.Choice = *ticket.Choice
		a.Draw(w, r, http.StatusOK, "door/choose", p)
		return
	}
	if err == nil {
		err = a.accounts.SignOut(r.Context(), a.Token(r), a.From(r)) // another session of this browser
	}
	if err != nil {
		refuse(err)
		return
	}
	a.SetToken(w, r, ticket)
	frame.ToStage(w, r, ticket.Stage)
}

// choose signs in the account that a person chose.
func (a *console) choose(w http.ResponseWriter, r *http.Request) {
	ticket, err := a.accounts.Choose(r.Context(), r.PostFormValue("choice"), r.PostFormValue("tenant"), a.From(r))
	a.enter(w, r, ticket, err, func(err error) {
		for _, over := range []error{account.ErrWrong, account.ErrUsed, account.ErrIdentity, account.ErrLink} {
			if errors.Is(err, over) {
				a.Message(w, r, http.StatusForbidden, func(t *frame.Words) frame.Note { return words.Of(t.Language).ChoiceOver }, false)
				return
			}
		}
		a.Failed(w, r, err)
	})
}

func (a *console) codePage(w http.ResponseWriter, r *http.Request) {
	p, _ := a.page(r, nil, func(t *texts) string { return t.CodeTitle })
	a.Draw(w, r, http.StatusOK, "door/code", p)
}

func (a *console) code(w http.ResponseWriter, r *http.Request) {
	ticket, err := a.accounts.Code(r.Context(), a.Token(r), r.PostFormValue("code"), a.From(r))
	if err != nil {
		p, _ := a.page(r, nil, func(t *texts) string { return t.CodeTitle })
		a.refuse(w, r, "code", p, words.In(p).WrongCode, err)
		return
	}
	a.SetToken(w, r, ticket)
	frame.ToStage(w, r, ticket.Stage)
}

func (a *console) enrolPage(w http.ResponseWriter, r *http.Request) {
	p, err := a.enrolment(r)
	if err != nil {
		a.refuse(w, r, "", nil, "", err)
		return
	}
	a.Draw(w, r, http.StatusOK, "door/enrol", p)
}

// enrolment returns the screen with the second factor to set up.
func (a *console) enrolment(r *http.Request) (*frame.Page, error) {
	p, d := a.page(r, nil, func(t *texts) string { return t.EnrolTitle })
	e, err := a.accounts.Enrolment(r.Context(), a.Token(r), "TCode", a.From(r))
	if err != nil {
		return nil, err
	}
	d.Secret = e.Secret
	d.QR, err = frame.QR(e.URL)
	return p, err
}

func (a *console) enrol(w http.ResponseWriter, r *http.Request) {
	p, err := a.enrolment(r) // its session ends with a right code
	if err != nil {
		a.refuse(w, r, "", nil, "", err)
		return
	}
	ticket, codes, err := a.accounts.Enrol(r.Context(), a.Token(r), r.PostFormValue("code"), a.From(r))
	if err != nil {
		a.refuse(w, r, "enrol", p, words.In(p).WrongCode, err)
		return
	}
	a.SetToken(w, r, ticket)
	done, d := a.page(r, nil, func(t *texts) string { return t.RecoveryTitle })
	d.Codes = codes
	a.Draw(w, r, http.StatusOK, "door/recovery", done)
}

// invitation returns the screen of a link. ok is false if the link does not work, and the
// answer is given then.
func (a *console) invitation(w http.ResponseWriter, r *http.Request) (p *frame.Page, ok bool) {
	u, until, err := a.accounts.Invited(r.Context(), r.PathValue("token"))
	if err != nil {
		a.refuse(w, r, "", nil, "", err)
		return nil, false
	}
	p, d := a.page(r, nil, func(t *texts) string { return t.Welcome })
	if d.Organisation, err = a.accounts.Organisation(r.Context(), u.Tenant); err != nil {
		a.Failed(w, r, err)
		return nil, false
	}
	d.Invited, d.Until, d.Link = u, frame.Moment(until), r.PathValue("token")
	if origin, ok := a.passkeyOrigin(r); ok {
		c, err := a.accounts.InvitedPasskey(r.Context(), d.Link, origin, a.From(r))
		if err != nil {
			a.refuse(w, r, "", nil, "", err)
			return nil, false
		}
		d.Passkey, d.PassName, p.Scripts = &c, words.In(p).FirstDevice, a.Scripts("door/passkey.js")
	}
	return p, true
}

func (a *console) welcomePage(w http.ResponseWriter, r *http.Request) {
	if p, ok := a.invitation(w, r); ok {
		a.Draw(w, r, http.StatusOK, "door/welcome", p)
	}
}

func (a *console) welcome(w http.ResponseWriter, r *http.Request) {
	p, ok := a.invitation(w, r)
	if !ok {
		return
	}
	password := r.PostFormValue("password")
	if password != r.PostFormValue("again") {
		p.Wrong = words.In(p).Differs
		a.Draw(w, r, http.StatusBadRequest, "door/welcome", p)
		return
	}
	ticket, err := a.accounts.Accept(r.Context(), r.PathValue("token"), password, a.From(r))
	a.enter(w, r, ticket, err, func(err error) { a.refuse(w, r, "welcome", p, words.In(p).Weak, err) })
}

func (a *console) signOut(w http.ResponseWriter, r *http.Request) {
	if err := a.accounts.SignOut(r.Context(), a.Token(r), a.From(r)); err != nil {
		a.Failed(w, r, err)
		return
	}
	a.DropToken(w, r)
	http.Redirect(w, r, "/console/signin", http.StatusSeeOther)
}

// refuse answers a form that failed: with the form again and the reason, or with a message.
// wrong is the sentence for a wrong entry.
func (a *console) refuse(w http.ResponseWriter, r *http.Request, name string, p *frame.Page, wrong string, err error) {
	wait, waits := account.IsWait(err)
	switch {
	case waits && p != nil:
		p.Wait = fmt.Sprintf(words.In(p).WaitMinutes, minutes(wait))
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
		a.Draw(w, r, http.StatusTooManyRequests, "door/"+name, p)
	case errors.Is(err, account.ErrLink):
		a.Message(w, r, http.StatusNotFound, func(t *frame.Words) frame.Note { return words.Of(t.Language).BadLink }, false)
	case errors.Is(err, account.ErrNoSession):
		a.DropToken(w, r)
		http.Redirect(w, r, "/console/signin", http.StatusSeeOther)
	case errors.Is(err, account.ErrSuspended):
		a.Message(w, r, http.StatusForbidden, func(t *frame.Words) frame.Note { return t.Suspended }, true)
	case p != nil && (errors.Is(err, account.ErrWrong) || errors.Is(err, account.ErrRecovery)):
		p.Wrong = wrong
		a.Draw(w, r, http.StatusForbidden, "door/"+name, p)
	case p != nil && fault.Is(err, fault.Invalid):
		p.Wrong = wrong
		a.Draw(w, r, http.StatusBadRequest, "door/"+name, p)
	default:
		a.Failed(w, r, err)
	}
}

// minutes returns a duration in whole minutes, rounded up.
func minutes(d time.Duration) int { return int(math.Ceil(d.Minutes())) }
