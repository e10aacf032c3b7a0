package frame

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"tcode/server/account"
	"tcode/server/fault"
)

// stages are the screens of the stages of signing in.
var stages = map[account.Stage]string{account.StageCode: "/console/code", account.StageEnrol: "/console/enrol", account.StageIn: "/console/"}

// ToStage sends the browser to the screen of a stage.
func ToStage(w http.ResponseWriter, r *http.Request, at account.Stage) {
	http.Redirect(w, r, stages[at], http.StatusSeeOther)
}

// guard serves a route to signed-in users whose role permits its action. It is the only way
// to a screen behind the door.
func (f *Frame) guard(route Route) http.HandlerFunc {
	limit := route.MaxBody
	if limit == 0 {
		limit = MaxForm
	}
	return func(w http.ResponseWriter, r *http.Request) {
		var v account.Visit
		if route.Needs != "" {
			ask, ok := f.c.Sessions.Visit, false
			if route.Stream {
				ask = f.c.Sessions.Look
			}
			if v, ok = f.visit(w, r, ask); !ok {
				return
			}
			switch {
			case v.Stage != account.StageIn:
				ToStage(w, r, v.Stage)
				return
			case !v.May(route.Needs):
				f.Message(w, r, http.StatusForbidden, func(t *Words) Note { return t.NotAllowed }, false)
				return
			}
		}
		r.Body = http.MaxBytesReader(w, r.Body, limit)
		route.Serve(w, r, v)
	}
}

// Visit returns the session of a request. ok is false if there is none, and the answer is
// given then.
func (f *Frame) Visit(w http.ResponseWriter, r *http.Request) (v account.Visit, ok bool) {
	return f.visit(w, r, f.c.Sessions.Visit)
}

func (f *Frame) visit(w http.ResponseWriter, r *http.Request, ask func(context.Context, string, account.From) (account.Visit, error)) (v account.Visit, ok bool) {
	v, err := ask(r.Context(), f.Token(r), f.From(r))
	switch {
	case errors.Is(err, account.ErrNoSession):
		f.DropToken(w, r)
		http.Redirect(w, r, "/console/signin", http.StatusSeeOther)
	case errors.Is(err, account.ErrSuspended):
		f.Message(w, r, http.StatusForbidden, func(t *Words) Note { return t.Suspended }, true)
	case err != nil:
		f.Failed(w, r, err)
	}
	return v, err == nil
}

// Lasts reports whether the session of v is still open and permits the action: an answer
// that lasts asks again from time to time. That is no use of the session.
func (f *Frame) Lasts(r *http.Request, v account.Visit, needs account.Action) bool {
	now, err := f.c.Sessions.Look(r.Context(), f.Token(r), f.From(r))
	return err == nil && now.ID == v.ID && now.Stage == account.StageIn && now.May(needs)
}

// Message answers with a screen that says one thing. leave offers to sign out.
func (f *Frame) Message(w http.ResponseWriter, r *http.Request, status int, say func(*Words) Note, leave bool) {
	p := f.Page(r, nil)
	n := say(p.T)
	p.Title, p.D = n.Title, struct {
		Text  string
		Leave bool
	}{n.Text, leave}
	f.Draw(w, r, status, "message", p)
}

// NotFound answers that there is nothing at the address.
func (f *Frame) NotFound(w http.ResponseWriter, r *http.Request) {
	f.Message(w, r, http.StatusNotFound, func(t *Words) Note { return t.NotFound }, false)
}

func (f *Frame) notFound(w http.ResponseWriter, r *http.Request) { f.NotFound(w, r) }

// otherOrigin answers a form that another site sent.
func (f *Frame) otherOrigin(w http.ResponseWriter, r *http.Request) {
	f.Message(w, r, http.StatusForbidden, func(t *Words) Note { return t.OtherOrigin }, false)
}

// Failed answers for an error of a service: 404 for a NotFound fault, 413 for a form that
// is too large, and otherwise that the gateway cannot answer.
func (f *Frame) Failed(w http.ResponseWriter, r *http.Request, err error) {
	var large *http.MaxBytesError
	switch {
	case fault.Is(err, fault.NotFound):
		f.NotFound(w, r)
		return
	case errors.As(err, &large):
		f.Message(w, r, http.StatusRequestEntityTooLarge, func(t *Words) Note { return t.TooLarge }, false)
		return
	}
	status := http.StatusInternalServerError
	if fault.Is(err, fault.Unavailable) || f.c.Outage(err) {
		status = http.StatusServiceUnavailable
		w.Header().Set("Retry-After", strconv.Itoa(int((5 * time.Second).Seconds())))
	}
	f.c.Log.ErrorContext(r.Context(), "console cannot answer", slog.Any("err", err), slog.String("route", r.Pattern))
	f.Message(w, r, status, func(t *Words) Note { return t.Failed }, false)
}
