package console

import (
	"errors"
	"log/slog"
	"net/http"

	"tcode/server/account"
	"tcode/server/console/frame"
	"tcode/server/fault"
)

// callback is the path to which a provider sends the browser back. With the origin it is
// the address that is registered there.
const callback = "/console/openid/callback"

// flowName is the cookie that binds an answer of a provider to the browser that asked.
const flowName = "tcode-console-openid"

// openIDStart sends the browser to the provider of a tenant, or to that of the gateway.
func (a *console) openIDStart(w http.ResponseWriter, r *http.Request) {
	provider, err := a.accounts.Provider(r.Context(), r.PathValue("tenant"))
	origin, ok := a.Origin(r)
	if err == nil && !ok {
		err = account.ErrNoProvider
	}
	if err != nil {
		a.Failed(w, r, err)
		return
	}
	flow, sealed, err := a.accounts.BeginFlow(provider.Tenant, a.From(r))
	if err != nil {
		a.Failed(w, r, err)
		return
	}
	to, err := a.providers.AuthURL(provider, flow, origin+callback)
	if err != nil {
		a.providerFailed(w, r, err)
		return
	}
	a.Keep(w, r, flowName, sealed, "/console/openid", account.FlowLife)
	http.Redirect(w, r, to, http.StatusSeeOther)
}

// openIDCallback signs in the user for whom a provider gave a code.
func (a *console) openIDCallback(w http.ResponseWriter, r *http.Request) {
	a.Keep(w, r, flowName, "", "/console/openid", 0) // it counts once
	ticket, err := a.answered(r)
	a.enter(w, r, ticket, err, func(err error) { a.providerFailed(w, r, err) })
}

// answered returns the ticket for the answer of a provider.
func (a *console) answered(r *http.Request) (account.Ticket, error) {
	q := r.URL.Query()
	flow, err := a.accounts.OpenFlow(a.Cookie(r, flowName), q.Get("state"), a.From(r))
	if err != nil {
		return account.Ticket{}, err
	}
	origin, ok := a.Origin(r)
	if q.Get("code") == "" || !ok { // the person or the provider refused
		return account.Ticket{}, account.ErrIdentity
	}
	provider, err := a.accounts.Provider(r.Context(), flow.Tenant)
	if err != nil {
		return account.Ticket{}, err
	}
	id, err := a.providers.Identity(r.Context(), provider, flow, origin+callback, q.Get("code"), q.Get("iss"))
	if err != nil {
		return account.Ticket{}, err
	}
	return a.accounts.SignInIdentity(r.Context(), flow, id, a.From(r))
}

// providerFailed answers that a provider signed no user in. The reason is in the log alone.
func (a *console) providerFailed(w http.ResponseWriter, r *http.Request, err error) {
	say := func(t *frame.Words) frame.Note { return words.Of(t.Language).ProviderRefused }
	switch {
	case errors.Is(err, account.ErrIdentity), errors.Is(err, account.ErrUsed):
		a.Log().InfoContext(r.Context(), "OpenID sign-in refused", slog.Any("err", err))
		a.Message(w, r, http.StatusForbidden, say, false)
	case fault.Is(err, fault.Unavailable):
		a.Log().WarnContext(r.Context(), "OpenID provider cannot be reached", slog.Any("err", err))
		a.Message(w, r, http.StatusServiceUnavailable, func(t *frame.Words) frame.Note { return words.Of(t.Language).ProviderDown }, false)
	default:
		a.Failed(w, r, err)
	}
}
