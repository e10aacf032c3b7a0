package console

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"golang.org/x/text/language"

	"tcode/server/account"
	"tcode/server/httpapi/gate"
	"tcode/server/tenant"
)

// Accounts has the users and their sessions. Package account implements it.
type Accounts interface {
	SignIn(ctx context.Context, email, password string, from account.From) (account.Ticket, error)
	Code(ctx context.Context, token, code string, from account.From) (account.Ticket, error)
	Enrolment(ctx context.Context, token, issuer string, from account.From) (account.Enrolment, error)
	Enrol(ctx context.Context, token, code string, from account.From) (account.Ticket, []string, error)
	Invited(ctx context.Context, link string) (account.User, time.Time, error)
	Accept(ctx context.Context, link, password string, from account.From) (account.Ticket, error)
	Visit(ctx context.Context, token string, from account.From) (account.Visit, error)
	Sessions(ctx context.Context, v account.Visit) ([]account.Session, error)
	End(ctx context.Context, v account.Visit, id string) error
	SignOut(ctx context.Context, token string, from account.From) error
}

// Config has the parts of the console. Accounts is required.
type Config struct {
	Accounts Accounts
	// PublicURL is the gateway's address in a browser. Empty: that in each request.
	PublicURL string
	// TrustedProxies may name the client in X-Forwarded-For.
	TrustedProxies []netip.Prefix
	// Outage reports whether an error of a database or a disk may be temporary; nil: none is.
	Outage func(error) bool
	Now    func() time.Time // nil: time.Now
	Log    *slog.Logger     // nil: discards
}

//go:embed assets
var assets embed.FS

// styles are the parts of the style sheet, in order.
var styles = []string{"assets/tokens.css", "assets/ui.css", "assets/console.css"}

// maxBody is the size of a form in bytes.
const maxBody = 16 << 10

// console implements the screens.
type console struct {
	c        Config
	screens  map[string]*screen
	style    []byte
	styleURL string
	match    language.Matcher
	client   func(*http.Request) string
}

// New returns the handler of all paths below /console. It returns an error if an embedded
// file is broken.
func New(c Config) (http.Handler, error) {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Outage == nil {
		c.Outage = func(error) bool { return false }
	}
	a := &console{c: c, client: gate.ClientIP(c.TrustedProxies), match: matcher()}
	var err error
	if a.screens, err = parseScreens(); err != nil {
		return nil, err
	}
	for _, name := range styles {
		part, err := assets.ReadFile(name)
		if err != nil {
			return nil, err
		}
		a.style = append(a.style, part...)
	}
	sum := sha256.Sum256(a.style)
	a.styleURL = "/console/assets/" + hex.EncodeToString(sum[:8]) + ".css"

	mux := http.NewServeMux()
	for pattern, serve := range a.routes() {
		mux.HandleFunc(pattern, serve)
	}

	origin := http.NewCrossOriginProtection()
	if u, err := url.Parse(c.PublicURL); err == nil && u.Host != "" {
		if err := origin.AddTrustedOrigin(u.Scheme + "://" + u.Host); err != nil {
			return nil, err
		}
	}
	origin.SetDenyHandler(http.HandlerFunc(a.otherOrigin))
	return a.observe(origin.Handler(mux)), nil
}

// routes are all screens and forms. One behind the door is [console.inside], with the action
// that the user's role must permit.
func (a *console) routes() map[string]http.HandlerFunc {
	return map[string]http.HandlerFunc{
		"GET " + a.styleURL:             a.styleSheet,
		"GET /console":                  redirect("/console/"),
		"POST /console/language":        a.setLanguage,
		"GET /console/signin":           a.signInPage,
		"POST /console/signin":          a.signIn,
		"GET /console/code":             a.at(account.StageCode, a.codePage),
		"POST /console/code":            a.at(account.StageCode, a.code),
		"GET /console/enrol":            a.at(account.StageEnrol, a.enrolPage),
		"POST /console/enrol":           a.at(account.StageEnrol, a.enrol),
		"GET /console/welcome/{token}":  a.welcomePage,
		"POST /console/welcome/{token}": a.welcome,
		"POST /console/signout":         a.signOut,
		"GET /console/{$}":              a.inside(account.Self, a.overview),
		"GET /console/sessions":         a.inside(account.Self, a.sessions),
		"POST /console/sessions/end":    a.inside(account.Self, a.endSession),
		"/console/":                     a.notFound,
	}
}

// redirect returns a handler that sends the browser to a path of the console.
func redirect(to string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, http.StatusSeeOther) }
}

// styleSheet serves the style sheet. Its name changes with its bytes.
func (a *console) styleSheet(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/css; charset=utf-8")
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	_, _ = w.Write(a.style)
}

// from returns the client of a request.
func (a *console) from(r *http.Request) account.From {
	return account.From{Address: a.client(r), Agent: r.UserAgent()}
}

// secure reports whether the browser uses HTTPS.
func (a *console) secure(r *http.Request) bool {
	return r.TLS != nil || strings.HasPrefix(a.c.PublicURL, "https://") || r.Header.Get("X-Forwarded-Proto") == "https"
}

// observe is the outermost layer: it names the request, sets the headers of every answer,
// turns a panic into an answer, and writes one log line, with the route's pattern and not
// the path, which may have a token.
func (a *console) observe(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start, trace := time.Now(), gate.TraceID(r.Header.Get("traceparent"))
		h := w.Header()
		h.Set("TCode-Trace-Id", trace)
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
		h.Set("Cache-Control", "no-store")
		h.Set("Vary", "Accept-Language, Cookie")
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		out := &answer{ResponseWriter: w}
		r = r.WithContext(tenant.WithBy(r.Context(), tenant.By{Actor: tenant.ActorUser, TraceID: trace}))
		defer func() {
			if p := recover(); p != nil {
				if p == http.ErrAbortHandler {
					panic(p)
				}
				a.c.Log.ErrorContext(r.Context(), "panic", slog.Any("err", p), slog.String("traceId", trace))
				if out.status == 0 {
					http.Error(out, "Internal Server Error", http.StatusInternalServerError)
				}
			}
			a.c.Log.LogAttrs(r.Context(), slog.LevelInfo, "request", slog.String("method", r.Method), slog.String("route", r.Pattern), slog.Int("status", out.status),
				slog.Duration("took", time.Since(start).Round(time.Microsecond)), slog.String("remote", a.client(r)), slog.String("traceId", trace))
		}()
		next.ServeHTTP(out, r)
	})
}

// policy permits the style sheet and forms of the console, and nothing else.
const policy = "default-src 'none'; style-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// answer notes the status of an answer.
type answer struct {
	http.ResponseWriter
	status int
}

// WriteHeader notes the status.
func (w *answer) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write notes that the answer is 200 if nothing else was said.
func (w *answer) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	return w.ResponseWriter.Write(b)
}
