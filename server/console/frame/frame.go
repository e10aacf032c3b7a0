package frame

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/language"

	"tcode/offline/contain"
	"tcode/server/account"
	"tcode/server/httpapi/bounded"
	"tcode/server/httpapi/gate"
)

// Sessions has the sessions of users. Package account implements it.
type Sessions interface {
	// Visit returns the session of a token, or [account.ErrNoSession].
	Visit(ctx context.Context, token string, from account.From) (account.Visit, error)
	// Look does the same, and is no use of the session.
	Look(ctx context.Context, token string, from account.From) (account.Visit, error)
}

// Config has the parts of a [Frame]. Sessions is required.
type Config struct {
	Sessions Sessions
	// PublicURL is the gateway's address in a browser. Empty: that in each request.
	PublicURL string
	// TrustedProxies may name the client in X-Forwarded-For.
	TrustedProxies []netip.Prefix
	// Outage reports whether an error of a database or a disk may be temporary; nil: none is.
	Outage func(error) bool
	Now    func() time.Time // nil: time.Now
	Log    *slog.Logger     // nil: discards
}

// An Area is a group of screens.
type Area struct {
	Name string // lower-case letters: the prefix of its screens and modules
	// Files has templates/*.html, of which each is a screen and defines "main", and
	// assets/*.js and *.css. Definitions in templates/parts.html are in each of its screens.
	Files fs.FS
	// Words are the texts of the area, a [Lexicon]. See [Frame.Missing].
	Words  interface{ Missing() []string }
	Links  []Link
	Routes []Route
	// Home, if not nil, is the first screen of users of a tenant.
	Home func(w http.ResponseWriter, r *http.Request, v account.Visit)
}

// A Link is a line of the navigation.
type Link struct {
	Path  string         // of the screen
	Place int            // lines are sorted by it; a new ten begins a group
	Needs account.Action // lines of other roles are not shown
	Label func(language string) string
}

// A Route is a screen or a form.
type Route struct {
	Pattern string // of [http.ServeMux], with its method
	// Needs is the action that the user's role must permit. Empty: the route is open to
	// requests without a session, and Serve gets no visit.
	Needs account.Action
	// Stream means that pages ask by themselves, for answers that last: neither counts as use of
	// the session.
	Stream  bool
	MaxBody int64 // bytes; 0: [MaxForm]
	Serve   func(w http.ResponseWriter, r *http.Request, v account.Visit)
}

// MaxForm is the size of a form in bytes.
const MaxForm = 16 << 10

// Frame serves the screens of its areas. It is safe for concurrent use after the last
// [Frame.Add].
type Frame struct {
	c       Config
	screens map[string]*screen
	areas   []Area
	links   []Link
	routes  []Route
	home    func(w http.ResponseWriter, r *http.Request, v account.Visit)
	style   []byte
	modules map[string]string // name to path
	mux     *http.ServeMux
	match   language.Matcher
	client  func(*http.Request) string
}

//go:embed assets templates
var files embed.FS

// styles are the parts of the style sheet, in order.
var styles = []string{"assets/tokens.css", "assets/ui.css", "assets/console.css"}

// New returns a frame with the screen "message". It returns an error if an embedded file
// is broken.
func New(c Config) (*Frame, error) {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Outage == nil {
		c.Outage = func(error) bool { return false }
	}
	f := &Frame{c: c, screens: map[string]*screen{}, modules: map[string]string{}, mux: http.NewServeMux(), match: matcher(), client: gate.ClientIP(c.TrustedProxies)}
	for _, name := range styles {
		part, err := files.ReadFile(name)
		if err != nil {
			return nil, err
		}
		f.style = append(f.style, part...)
	}
	if err := f.parse("", files); err != nil {
		return nil, err
	}
	if err := f.addModules("frame", files); err != nil {
		return nil, err
	}
	f.handle("GET /console", redirect("/console/"))
	f.handle("POST /console/language", f.setLanguage)
	f.handle("/console/", f.notFound)
	return f, nil
}

// Add gives the frame an area. It returns an error if a template is broken.
func (f *Frame) Add(a Area) error {
	if err := f.parse(a.Name+"/", a.Files); err != nil {
		return fmt.Errorf("screens of %s: %w", a.Name, err)
	}
	if err := f.addModules(a.Name, a.Files); err != nil {
		return fmt.Errorf("modules of %s: %w", a.Name, err)
	}
	if a.Home != nil {
		f.home = a.Home
	}
	f.areas = append(f.areas, a)
	f.links = append(f.links, a.Links...)
	slices.SortStableFunc(f.links, func(a, b Link) int { return a.Place - b.Place })
	for _, r := range a.Routes {
		f.routes = append(f.routes, r)
		f.handle(r.Pattern, named("console-"+a.Name, f.guard(r)))
	}
	return nil
}

// Missing returns the words that a language lacks: the shared ones, and those of each area,
// after the name of the area.
func (f *Frame) Missing() []string {
	missing := Missing()
	for _, a := range f.areas {
		if a.Words == nil {
			missing = append(missing, a.Name+": all")
			continue
		}
		for _, word := range a.Words.Missing() {
			missing = append(missing, a.Name+": "+word)
		}
	}
	return missing
}

// Home returns the first screen of users of a tenant, or nil if no area has it.
func (f *Frame) Home() func(w http.ResponseWriter, r *http.Request, v account.Visit) { return f.home }

// Leads returns path if the navigation has it and the user's role permits it, else "". Areas
// lead to each other by it.
func (f *Frame) Leads(path string, v account.Visit) string {
	for _, l := range f.links {
		if l.Path == path && v.May(l.Needs) {
			return path
		}
	}
	return ""
}

// Routes returns the routes of all areas.
func (f *Frame) Routes() []Route { return slices.Clone(f.routes) }

// handle adds a route of the frame.
// named names the requests of an area for the case that one hangs.
func named(item string, serve http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		bounded.Describe(r.Context(), item, w.Header().Get("TCode-Trace-Id"), 0)
		contain.Seed(item)
		serve(w, r)
	}
}

func (f *Frame) handle(pattern string, serve http.HandlerFunc) { f.mux.HandleFunc(pattern, serve) }

// Handler returns the handler of all paths below /console. The style sheet has the parts of
// all areas.
func (f *Frame) Handler() (http.Handler, error) {
	f.serveStyle()
	origin := http.NewCrossOriginProtection()
	if u, err := url.Parse(f.c.PublicURL); err == nil && u.Host != "" {
		if err := origin.AddTrustedOrigin(u.Scheme + "://" + u.Host); err != nil {
			return nil, err
		}
	}
	origin.SetDenyHandler(http.HandlerFunc(f.otherOrigin))
	return f.observe(origin.Handler(f.mux)), nil
}

// redirect returns a handler that sends the browser to a path of the console.
func redirect(to string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, http.StatusSeeOther) }
}

// From returns the client of a request.
func (f *Frame) From(r *http.Request) account.From {
	return account.From{Address: f.client(r), Agent: r.UserAgent(), Known: f.Cookie(r, knownName)}
}

// Origin returns the origin of the console for browsers, scheme://host[:port]. It is that of
// the public URL, whatever a request says: passkeys and OpenID providers are bound to it. A
// gateway without a public URL has one only for requests from its own machine. ok is false
// if there is none.
func (f *Frame) Origin(r *http.Request) (origin string, ok bool) {
	if f.c.PublicURL != "" {
		u, err := url.Parse(f.c.PublicURL)
		return u.Scheme + "://" + u.Host, err == nil
	}
	host := r.Host
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	scheme := "http://"
	if r.TLS != nil {
		scheme = "https://"
	}
	return scheme + r.Host, host == "localhost" || host == "127.0.0.1" || host == "[::1]" || host == "::1"
}

// Log returns the log of the console.
func (f *Frame) Log() *slog.Logger { return f.c.Log }

// Now returns the present time.
func (f *Frame) Now() time.Time { return f.c.Now() }

// Secure reports whether the browser uses HTTPS.
func (f *Frame) Secure(r *http.Request) bool {
	return r.TLS != nil || strings.HasPrefix(f.c.PublicURL, "https://") || r.Header.Get("X-Forwarded-Proto") == "https"
}
