package frame

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

func (f *Frame) cookieName(r *http.Request) string {
	if f.Secure(r) {
		return secureName
	}
	return sessionName
}

// Token returns the token of the request's session, or "".
func (f *Frame) Token(r *http.Request) string {
	c, err := r.Cookie(f.cookieName(r))
	if err != nil {
		return ""
	}
	return c.Value
}

// cookie returns a cookie for the console alone.
func (f *Frame) cookie(r *http.Request, name, value string) *http.Cookie {
	return &http.Cookie{Name: name, Value: value, Path: "/console", HttpOnly: true, Secure: f.Secure(r), SameSite: http.SameSiteLaxMode}
}

// SetToken gives the browser a session.
func (f *Frame) SetToken(w http.ResponseWriter, r *http.Request, t account.Ticket) {
	c := f.cookie(r, f.cookieName(r), t.Token)
	c.MaxAge = max(1, int(t.ExpiresAt.Sub(f.c.Now()).Seconds()))
	http.SetCookie(w, c)
}

// DropToken takes the session from the browser.
func (f *Frame) DropToken(w http.ResponseWriter, r *http.Request) {
	c := f.cookie(r, f.cookieName(r), "")
	c.MaxAge = -1
	http.SetCookie(w, c)
}

// setLanguage remembers the language that the person chose.
func (f *Frame) setLanguage(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, MaxForm)
	wanted := r.PostFormValue("language")
	if slices.ContainsFunc(languages, func(t *Words) bool { return t.Language == wanted }) {
		c := f.cookie(r, languageName, wanted)
		c.MaxAge = languageSeconds
		http.SetCookie(w, c)
	}
	http.Redirect(w, r, backTo(r.PostFormValue("back")), http.StatusSeeOther)
}
