package console

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"strconv"
	"time"

	"tcode/server/account"
	"tcode/server/fault"
)

// paths are the screens of the stages of signing in.
var paths = map[account.Stage]string{account.StageCode: "/console/code", account.StageEnrol: "/console/enrol", account.StageIn: "/console/"}

// toStage sends the browser to the screen of a stage.
func toStage(w http.ResponseWriter, r *http.Request, at account.Stage) {
	http.Redirect(w, r, paths[at], http.StatusSeeOther)
}

// visit returns the session of a request. ok is false if there is none, and the answer is
// given then.
func (a *console) visit(w http.ResponseWriter, r *http.Request) (v account.Visit, ok bool) {
	v, err := a.c.Accounts.Visit(r.Context(), a.token(r), a.from(r))
	switch {
	case errors.Is(err, account.ErrNoSession):
		a.dropToken(w, r)
		http.Redirect(w, r, "/console/signin", http.StatusSeeOther)
	case errors.Is(err, account.ErrSuspended):
		a.message(w, r, http.StatusForbidden, func(t *texts) note { return t.Suspended }, true)
	case err != nil:
		a.failed(w, r, err)
	}
	return v, err == nil
}

// at serves a session at one stage before it is signed in, and sends others to their own
// screen.
func (a *console) at(stage account.Stage, serve http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		v, ok := a.visit(w, r)
		if !ok {
			return
		}
		if v.Stage != stage {
			toStage(w, r, v.Stage)
			return
		}
		serve(w, r)
	}
}

func (a *console) signInPage(w http.ResponseWriter, r *http.Request) {
	if v, err := a.c.Accounts.Visit(r.Context(), a.token(r), a.from(r)); err == nil {
		toStage(w, r, v.Stage)
		return
	}
	a.draw(w, r, http.StatusOK, "signin", a.page(r, nil, func(t *texts) string { return t.SignInTitle }))
}

func (a *console) signIn(w http.ResponseWriter, r *http.Request) {
	p := a.page(r, nil, func(t *texts) string { return t.SignInTitle })
	p.Email = r.PostFormValue("email")
	ticket, err := a.c.Accounts.SignIn(r.Context(), p.Email, r.PostFormValue("password"), a.from(r))
	if err == nil {
		err = a.c.Accounts.SignOut(r.Context(), a.token(r), a.from(r)) // another session of this browser
	}
	if err != nil {
		a.refuse(w, r, "signin", p, p.T.Wrong, err)
		return
	}
	a.setToken(w, r, ticket)
	toStage(w, r, ticket.Stage)
}

func (a *console) codePage(w http.ResponseWriter, r *http.Request) {
	a.draw(w, r, http.StatusOK, "code", a.page(r, nil, func(t *texts) string { return t.CodeTitle }))
}

func (a *console) code(w http.ResponseWriter, r *http.Request) {
	ticket, err := a.c.Accounts.Code(r.Context(), a.token(r), r.PostFormValue("code"), a.from(r))
	if err != nil {
		p := a.page(r, nil, func(t *texts) string { return t.CodeTitle })
		a.refuse(w, r, "code", p, p.T.WrongCode, err)
		return
	}
	a.setToken(w, r, ticket)
	toStage(w, r, ticket.Stage)
}

func (a *console) enrolPage(w http.ResponseWriter, r *http.Request) {
	p, err := a.enrolment(r)
	if err != nil {
		a.refuse(w, r, "", nil, "", err)
		return
	}
	a.draw(w, r, http.StatusOK, "enrol", p)
}

// enrolment returns the screen with the second factor to set up.
func (a *console) enrolment(r *http.Request) (*page, error) {
	p := a.page(r, nil, func(t *texts) string { return t.EnrolTitle })
	e, err := a.c.Accounts.Enrolment(r.Context(), a.token(r), "TCode", a.from(r))
	if err != nil {
		return nil, err
	}
	p.Secret = e.Secret
	p.QR, err = newQR(e.URL)
	return p, err
}

func (a *console) enrol(w http.ResponseWriter, r *http.Request) {
	p, err := a.enrolment(r) // its session ends with a right code
	if err != nil {
		a.refuse(w, r, "", nil, "", err)
		return
	}
	ticket, codes, err := a.c.Accounts.Enrol(r.Context(), a.token(r), r.PostFormValue("code"), a.from(r))
	if err != nil {
		a.refuse(w, r, "enrol", p, p.T.WrongCode, err)
		return
	}
	a.setToken(w, r, ticket)
	done := a.page(r, nil, func(t *texts) string { return t.RecoveryTitle })
	done.Codes = codes
	a.draw(w, r, http.StatusOK, "recovery", done)
}

// invitation returns the screen of a link. ok is false if the link does not work, and the
// answer is given then.
func (a *console) invitation(w http.ResponseWriter, r *http.Request) (p *page, ok bool) {
	u, until, err := a.c.Accounts.Invited(r.Context(), r.PathValue("token"))
	if err != nil {
		a.refuse(w, r, "", nil, "", err)
		return nil, false
	}
	p = a.page(r, nil, func(t *texts) string { return t.Welcome })
	p.Invited, p.Until = u, moment(until)
	return p, true
}

func (a *console) welcomePage(w http.ResponseWriter, r *http.Request) {
	if p, ok := a.invitation(w, r); ok {
		a.draw(w, r, http.StatusOK, "welcome", p)
	}
}

func (a *console) welcome(w http.ResponseWriter, r *http.Request) {
	p, ok := a.invitation(w, r)
	if !ok {
		return
	}
	password := r.PostFormValue("password")
	if password != r.PostFormValue("again") {
		p.Wrong = p.T.Differs
		a.draw(w, r, http.StatusBadRequest, "welcome", p)
		return
	}
	ticket, err := a.c.Accounts.Accept(r.Context(), r.PathValue("token"), password, a.from(r))
	if err == nil {
		err = a.c.Accounts.SignOut(r.Context(), a.token(r), a.from(r))
	}
	if err != nil {
		a.refuse(w, r, "welcome", p, p.T.Weak, err)
		return
	}
	a.setToken(w, r, ticket)
	toStage(w, r, ticket.Stage)
}

func (a *console) signOut(w http.ResponseWriter, r *http.Request) {
	if err := a.c.Accounts.SignOut(r.Context(), a.token(r), a.from(r)); err != nil {
		a.failed(w, r, err)
		return
	}
	a.dropToken(w, r)
	http.Redirect(w, r, "/console/signin", http.StatusSeeOther)
}

// refuse answers a form that failed: with the form again and the reason, or with a message.
// wrong is the sentence for a wrong entry.
func (a *console) refuse(w http.ResponseWriter, r *http.Request, name string, p *page, wrong string, err error) {
	wait, waits := account.IsWait(err)
	switch {
	case waits && p != nil:
		p.Wait = fmt.Sprintf(p.T.WaitMinutes, minutes(wait))
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
		a.draw(w, r, http.StatusTooManyRequests, name, p)
	case errors.Is(err, account.ErrLink):
		a.message(w, r, http.StatusNotFound, func(t *texts) note { return t.BadLink }, false)
	case errors.Is(err, account.ErrNoSession):
		a.dropToken(w, r)
		http.Redirect(w, r, "/console/signin", http.StatusSeeOther)
	case errors.Is(err, account.ErrSuspended):
		a.message(w, r, http.StatusForbidden, func(t *texts) note { return t.Suspended }, true)
	case p != nil && (errors.Is(err, account.ErrWrong) || errors.Is(err, account.ErrRecovery)):
		p.Wrong = wrong
		a.draw(w, r, http.StatusForbidden, name, p)
	case p != nil && fault.Is(err, fault.Invalid):
		p.Wrong = wrong
		a.draw(w, r, http.StatusBadRequest, name, p)
	default:
		a.failed(w, r, err)
	}
}

// message answers with a screen that says one thing.
func (a *console) message(w http.ResponseWriter, r *http.Request, status int, say func(*texts) note, leave bool) {
	p := a.page(r, nil, func(t *texts) string { return say(t).Title })
	p.Message, p.Leave = say(p.T).Text, leave
	a.draw(w, r, status, "message", p)
}

func (a *console) notFound(w http.ResponseWriter, r *http.Request) {
	a.message(w, r, http.StatusNotFound, func(t *texts) note { return t.NotFound }, false)
}

// otherOrigin answers a form that another site sent.
func (a *console) otherOrigin(w http.ResponseWriter, r *http.Request) {
	a.message(w, r, http.StatusForbidden, func(t *texts) note { return t.OtherOrigin }, false)
}

// failed answers for an error of the gateway.
func (a *console) failed(w http.ResponseWriter, r *http.Request, err error) {
	status := http.StatusInternalServerError
	if fault.Is(err, fault.Unavailable) || a.c.Outage(err) {
		status = http.StatusServiceUnavailable
		w.Header().Set("Retry-After", strconv.Itoa(int((5 * time.Second).Seconds())))
	}
	a.c.Log.ErrorContext(r.Context(), "console cannot answer", slog.Any("err", err), slog.String("route", r.Pattern))
	a.message(w, r, status, func(t *texts) note { return t.Failed }, false)
}
