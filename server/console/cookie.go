package console

import (
	"net/http"
	"slices"

	"tcode/server/account"
)

// The cookies of the console. Over HTTPS a browser accepts the one of the session from
// nothing but HTTPS.
const (
	sessionName     = "tcode-console"
	secureName      = "__Secure-tcode-console"
	languageName    = "tcode-console-language"
	languageSeconds = 365 * 24 * 60 * 60
)

func (a *console) cookieName(r *http.Request) string {
	if a.secure(r) {
		return secureName
	}
	return sessionName
}

// token returns the token of the request's session, or "".
func (a *console) token(r *http.Request) string {
	c, err := r.Cookie(a.cookieName(r))
	if err != nil {
		return ""
	}
	return c.Value
}

// cookie returns a cookie for the console alone.
func (a *console) cookie(r *http.Request, name, value string) *http.Cookie {
	return &http.Cookie{Name: name, Value: value, Path: "/console", HttpOnly: true, Secure: a.secure(r), SameSite: http.SameSiteLaxMode}
}

// setToken gives the browser a session.
func (a *console) setToken(w http.ResponseWriter, r *http.Request, t account.Ticket) {
	c := a.cookie(r, a.cookieName(r), t.Token)
	c.MaxAge = max(1, int(t.ExpiresAt.Sub(a.c.Now()).Seconds()))
	http.SetCookie(w, c)
}

// dropToken takes the session from the browser.
func (a *console) dropToken(w http.ResponseWriter, r *http.Request) {
	c := a.cookie(r, a.cookieName(r), "")
	c.MaxAge = -1
	http.SetCookie(w, c)
}

// setLanguage remembers the language that the person chose.
func (a *console) setLanguage(w http.ResponseWriter, r *http.Request) {
	wanted := r.PostFormValue("language")
	if slices.ContainsFunc(languages, func(t *texts) bool { return t.Language == wanted }) {
		c := a.cookie(r, languageName, wanted)
		c.MaxAge = languageSeconds
		http.SetCookie(w, c)
	}
	http.Redirect(w, r, backTo(r.PostFormValue("back")), http.StatusSeeOther)
}
