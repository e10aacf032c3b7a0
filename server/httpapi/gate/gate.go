// Package gate handles a request between the socket and a handler of the gateway.
// It has no code for a single route: handlers describe their operations as
// [Route]s.
//
//	request ─▶ trace, log, recover ─▶ route ─▶ Accept ─▶ key ──▶ rate ─▶ parameters ─▶ body ─▶ handler
//	               ▲                   404 405   406    401 403   429       400      400 413 415    │
//	               └──────────────────── one error handler: fault.Kind ─▶ status ◀──────────────────┘
//
// The gate reads the checks of requests from the contract in package api when the
// program starts, so that contract and checks cannot differ. With an
// Idempotency-Key one request runs at a time (once.go), and the transaction of its
// change stores its answer.
//
// Call [New], then [Gate.Handler] with the routes. A handler finds its request
// with [CallOf], and returns a fault for the error handler to answer.
package gate

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"tcode/server/httpapi/bounded"
	"tcode/server/platform/spool"
	"tcode/server/tenant"
)

// Keys finds the owner of an API key. Package tenant implements it.
type Keys interface {
	// AuthenticateFrom returns an Unauthorized or Forbidden fault for a bad key. from is the
	// network address to note for the key; "": none.
	AuthenticateFrom(ctx context.Context, secret, from string) (tenant.Identity, error)
	// CountRequest counts a request against the tenant's monthly quota, and
	// returns the Forbidden fault quota_exceeded if the request exceeds it. It
	// never refuses a free request.
	CountRequest(ctx context.Context, id tenant.Identity, free bool) error
}

// A Route describes an operation to the gate, beyond the contract.
type Route struct {
	// Admit returns a Forbidden fault if the holder of a good key may not use the
	// operation; nil: each may.
	Admit func(id tenant.Identity) error
	// Free: no quota refuses it.
	Free bool
	// Limit names the operation's own limit for each client address; the gate then
	// ignores keys. "": the limits that operations share.
	Limit string
	// Counted: the handler counts the request against limits.
	Counted bool
	// RawQuery: a signature covers the unchanged query parameters.
	RawQuery bool
	// CheckQuery adds to bad the errors of the query that no schema can express;
	// nil: there are none.
	CheckQuery func(query url.Values, now time.Time, bad Fields)
	// CheckBody returns a fault whose fields are the errors of a body that no schema can
	// express. The gate calls it for a body that has other errors, of which good values have
	// taken the place: the service of the handler finds them in a body that has none. nil:
	// there are none.
	CheckBody func(c echo.Context, body []byte) error
	// Packed is the limit in bytes of a body that the handler unpacks and checks
	// itself; 0: the gate does so.
	Packed int64
	// Yields: the handler pauses while other requests arrive, see [Config.Asked].
	Yields bool
	// Begin sets headers of every answer, errors included; nil: it sets none.
	Begin func(r *http.Request, h http.Header)
	// Probe: supervisors send the request continually.
	Probe bool
	// Open: scripts of every web site may read the answers (CORS). Only for operations
	// that answer everybody alike: a browser then sends neither a cookie nor a key.
	Open bool
}

// Config has the parts of a gate. Keys, Spool and Idempotency are required.
type Config struct {
	Keys        Keys
	Spool       *spool.Folder // holds files while the gateway receives them
	Idempotency tenant.IdempotencyStore

	// Routes describes operations by their names in the contract. An operation
	// without an entry has the zero Route.
	Routes map[string]Route
	// PDF is the member of bodies that holds a PDF.
	PDF string
	// Files are the members of bodies that hold other files, with the limit in
	// bytes of each.
	Files map[string]int64
	// Page answers an error with a page for people, and reports whether it did;
	// nil: never.
	Page func(c echo.Context, status int) (answered bool)

	// The gate calls Asked, if not nil, for each request to an operation that does
	// not yield.
	Asked func()

	Metrics        Metrics          // nil: not counted
	Outage         func(error) bool // reports whether an error may be temporary; nil: none is
	PublicURL      string           // the gateway's address; "": that in each request's Host
	TrustedProxies []netip.Prefix   // may name the client in X-Forwarded-For
	Limits         Limits           // MaxPDF is required
	Now            func() time.Time // required
	Log            *slog.Logger     // required
}

// Limits bound the requests of clients. A zero member means the default, unless
// its comment says that 0 is off.
type Limits struct {
	LookupsPerMinute    int // for each client address, and as many bad keys; 0: off
	KeyLookupsPerMinute int // for each API key on public routes; 0: off
	RequestsPerMinute   int // for each API key on protected routes, unless its plan has another limit; 0: off
	ScansPerMinute      int // synced scans, for each device and address; 0: off

	MaxPDF     int // bytes, decoded; zero: 25 MiB
	MaxUploads int // concurrent requests with a PDF; zero: 8

	Request time.Duration // for one request, its upload included; zero: 3 min
}

const (
	maxSmallBody = 64 << 10 // bytes of a body without a file
	maxOpenBody  = 8 << 10  // of one that needs no key
	bodyOverhead = 256 << 10
	maxUploads   = 8

	// packedPlaces bounds the memory for bodies that handlers unpack: of a MiB each at most,
	// which arrives within packedTime. Those of up to maxOpenBody bytes need no place: no number
	// of clients that leave larger ones unfinished keeps them waiting. Requests wait for a place
	// less than devices wait for their answer (uplink.DefaultTimeout).
	packedPlaces   = 64
	packedTime     = 30 * time.Second
	packedPatience = 45 * time.Second
)

// A Gate checks requests and passes the good ones to their handlers. It is safe
// for concurrent use.
type Gate struct {
	c        Config
	ops      map[route]*operation // of the contract
	lookups  *Limiter
	keyed    *Limiter
	requests *Limiter            // of keys on protected routes
	guesses  *Limiter            // of addresses that send bad keys
	apart    map[string]*Limiter // of operations that have their own limit
	uploads  *Slots              // of requests with a PDF, by tenant
	spools   *Slots              // of requests with files that go to disk, by tenant
	packed   *Slots              // of large bodies that handlers unpack, by address
	inFlight *inFlight           // creating requests that have an Idempotency-Key
}

// New returns a gate. It returns an error if the embedded contract is broken.
func New(c Config) (*Gate, error) {
	ops, err := loadContract(c)
	if err != nil {
		return nil, err
	}
	if c.Metrics == nil {
		c.Metrics = uncounted{}
	}
	if c.Limits.Request == 0 {
		c.Limits.Request = bounded.DefaultLimit
	}
	if c.Limits.MaxUploads == 0 {
		c.Limits.MaxUploads = maxUploads
	}
	g := &Gate{
		c:        c,
		ops:      ops,
		lookups:  NewLimiter("lookups", c.Limits.LookupsPerMinute, c.Now),
		keyed:    NewLimiter("lookups", c.Limits.KeyLookupsPerMinute, c.Now),
		guesses:  NewLimiter("keys", c.Limits.LookupsPerMinute, c.Now),
		requests: NewLimiter("requests", c.Limits.RequestsPerMinute, c.Now),
		apart:    map[string]*Limiter{},
		uploads:  NewSlots(c.Limits.MaxUploads, Patience, "too many documents are being stamped; try again"),
		spools:   NewSlots(spoolPlaces, Patience, Busy),
		packed:   NewSlots(packedPlaces, packedPatience, "too many devices send scans at the moment; try again"),
		inFlight: newInFlight(),
	}
	for _, r := range c.Routes {
		if r.Limit != "" {
			g.apart[r.Limit] = NewLimiter(r.Limit, c.Limits.LookupsPerMinute, c.Now)
		}
	}
	return g, nil
}

// Handler returns a handler that serves the routes that register adds.
func (g *Gate) Handler(register func(e *echo.Echo) error) (http.Handler, error) {
	e := echo.New()
	e.HideBanner, e.HidePort = true, true
	e.Binder = binder{}
	e.HTTPErrorHandler = g.handleError
	e.IPExtractor = g.clientIP()
	e.Use(g.observe, g.keepContract)
	if err := register(e); err != nil {
		return nil, err
	}
	return headAsGet(e), nil
}

// headAsGet answers HEAD as it answers GET; net/http drops the body.
func headAsGet(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodHead {
			r = r.Clone(r.Context())
			r.Method = http.MethodGet
		}
		next.ServeHTTP(w, r)
	})
}

// allowHead adds HEAD to an Allow header that has GET.
func allowHead(h http.Header) {
	if allow := h.Get("Allow"); strings.Contains(allow, http.MethodGet) {
		h.Set("Allow", strings.Replace(allow, http.MethodGet, "GET, HEAD", 1))
	}
}
