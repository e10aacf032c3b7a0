package httpapi

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"runtime"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"tcode/offline/trust"
	"tcode/server/console"
	"tcode/server/fault"
	"tcode/server/issue/stamp"
	"tcode/server/platform/blob"
	"tcode/server/platform/pace"
	"tcode/server/platform/spool"
	"tcode/server/publish"
	"tcode/server/refdata"
	"tcode/server/tenant"
	"tcode/server/verify"
	"tcode/sync/wire"
)

// Keys tells whose API key a request carries. Package tenant implements it.
type Keys interface {
	// Authenticate returns an Unauthorized or Forbidden fault for a key that
	// is no good.
	Authenticate(ctx context.Context, secret string) (tenant.Identity, error)
	// CountRequest counts a request against the tenant's month, and returns
	// the Forbidden fault quota_exceeded if it is one too many; a free one
	// never is.
	CountRequest(ctx context.Context, id tenant.Identity, free bool) error
	// Tenant returns one tenant, or a NotFound fault.
	Tenant(ctx context.Context, reference string) (tenant.Tenant, error)
}

// Stamps makes and keeps stamps. Package stamp implements it.
type Stamps interface {
	Create(ctx context.Context, id tenant.Identity, r stamp.Request) (stamp.Stamp, error)
	Preview(ctx context.Context, id tenant.Identity, r stamp.PreviewRequest) (stamp.Preview, error)
	Reach(ctx context.Context, who tenant.Identity, id string) (stamp.Stamp, error)
	List(ctx context.Context, tenantRef string, f stamp.Filter) (stamp.Page, error)
	Act(ctx context.Context, who tenant.Identity, id string, a stamp.Action, reason string) error
	FileFor(ctx context.Context, who tenant.Identity, id, kind string) (stamp.File, error)
	Replace(ctx context.Context, who tenant.Identity, id string, r stamp.Replacement) (stamp.Stamp, error)
	Duplicates(ctx context.Context, tenantRef string, q stamp.DuplicateQuery) ([]stamp.Match, error)
}

// Verifier answers whether stamps are genuine. Package verify implements it.
type Verifier interface {
	ByReference(ctx context.Context, v verify.Viewer, reference string) (verify.Result, error)
	ByHash(ctx context.Context, v verify.Viewer, hash string) (verify.Result, error)
	ByPayload(ctx context.Context, v verify.Viewer, payload string) (verify.Result, error)
	Sync(ctx context.Context, b wire.Batch, p verify.Proof) (wire.Reply, error)
	Scans(ctx context.Context, v verify.Viewer, reference string, f verify.ScanFilter) (verify.ScanPage, error)
	History(ctx context.Context, v verify.Viewer, p verify.Page) (verify.HistoryPage, error)
	DocumentVerifier
}

// ReferenceData is what anyone may know. Package refdata implements it.
type ReferenceData interface {
	Tenants(ctx context.Context) ([]refdata.TenantInfo, error)
	DocumentTypes(ctx context.Context) ([]refdata.DocumentType, error)
	PublicKeys(ctx context.Context) ([]refdata.PublicKey, error)
	PublicKey(ctx context.Context, tenantRef string) (refdata.TenantKeys, error)
	Key(ctx context.Context, tenantRef, keyID string) (refdata.PublicKey, error)
}

// TrustStore serves published trust documents. Package publish implements it.
type TrustStore interface {
	// Root, Timestamp, Object and Pack return a NotFound fault for what is not there.
	Root(ctx context.Context, version uint64) ([]byte, error)
	Timestamp(ctx context.Context) ([]byte, error)
	Object(ctx context.Context, sha256 string) (data []byte, contentType string, err error)
	// Pack returns a pack with its shards, by the hash of the pack.
	Pack(ctx context.Context, sha256 string) ([]byte, error)
	// Time returns the signed time note for a nonce.
	Time(ctx context.Context, nonce [32]byte) ([]byte, error)
	// Fingerprint names the trust root; devices pin it.
	Fingerprint() trust.Fingerprint
	PublicKey() publish.OnlineKey
}

// Files opens a file that is known to be whole, by its SHA-256. Package blob
// implements it.
type Files interface {
	Open(ctx context.Context, name string) (io.ReadSeekCloser, error)
}

// Config is what the interface is made of. All members up to Idempotency are required.
type Config struct {
	Keys      Keys
	Stamps    Stamps
	Verify    Verifier
	Reference ReferenceData
	Trust     TrustStore
	Files     Files
	URLs      *blob.URLSigner

	Placements Placements
	Templates  Templates
	Documents  Documents
	Bulk       Bulk
	Scratch    string        // folder for files of bulk jobs that are being received; "": the system's
	Spool      *spool.Folder // where PDFs lie that are being received

	Idempotency tenant.IdempotencyStore

	// Metrics counts requests; nil: not counted.
	Metrics Metrics
	// Ready reports why the gateway cannot serve; nil: it always can.
	Ready func(ctx context.Context) error
	// Outage tells errors of a database or a disk that may be back later from
	// mistakes; nil: there are none.
	Outage func(error) bool
	// PublicURL is the gateway's address as clients know it, with or without
	// /v1 at its end. Empty: taken from each request's Host.
	PublicURL string
	// TrustedProxies may say in X-Forwarded-For who the client is.
	TrustedProxies []netip.Prefix
	Limits         Limits
	DownloadFor    time.Duration    // life of a download address; zero: 15 min
	Now            func() time.Time // nil: time.Now
	Log            *slog.Logger     // nil: discards
}

// Limits bound what clients may ask for. Zero members mean the default, except
// where 0 says off.
type Limits struct {
	LookupsPerMinute    int // a client address, and as many keys that are no good; 0: off
	KeyLookupsPerMinute int // an API key sent to a public route; 0: off
	RequestsPerMinute   int // an API key on protected routes, unless its plan says otherwise; 0: off
	ScansPerMinute      int // synced scans, a device and address; 0: off

	MaxPDF     int // bytes, decoded; zero: stamp.DefaultMaxPDF
	MaxUploads int // requests with a PDF at once; zero: 8

	Request time.Duration // one request in all, its upload included; zero: 3 min
}

// DefaultLimits are the limits unless the operator sets others.
func DefaultLimits() Limits {
	return Limits{LookupsPerMinute: 60, KeyLookupsPerMinute: 600, RequestsPerMinute: 1200, ScansPerMinute: 60_000, MaxPDF: stamp.DefaultMaxPDF, MaxUploads: 8}
}

const (
	maxSmallBody  = 64 << 10 // bytes; bodies without a file
	bodyOverhead  = 256 << 10
	uploadPatient = 20 * time.Second // how long an upload waits for its turn
	// requestTimeout is how long one request may take in all.
	requestTimeout = 3 * time.Minute
)

// siteFactor is how many devices' worth of scans one address may send: unsigned
// clients choose their name freely, so a limit by name alone is none.
const siteFactor = 10

// app is the interface at work.
type app struct {
	c        Config
	contract *contract
	lookups  *limiter
	clocks   *limiter // questions for the time, which leave look-ups alone
	keyed    *limiter
	requests *limiter // of keys on protected routes
	guesses  *limiter // of addresses that send keys that are no good
	scans    *limiter
	sites    *limiter     // scans of an address, whatever its devices call themselves
	uploads  *tenantSlots // of requests with a PDF
	spools   *tenantSlots // of requests that put files on disk
	exports  *tenantSlots // of requests that make a file
	syncs    queue        // of batches of scans
	pacer    pace.Pacer   // of batches of scans, among all other requests
	inFlight *inFlight    // creating requests with an Idempotency-Key
	pages    *console.Pages
}

// New returns the gateway's HTTP handler. The error says that the embedded
// contract, or a page, is broken.
func New(c Config) (http.Handler, error) {
	contract, err := loadContract()
	if err != nil {
		return nil, err
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Metrics == nil {
		c.Metrics = uncounted{}
	}
	if c.DownloadFor == 0 {
		c.DownloadFor = 15 * time.Minute
	}
	if c.Limits.MaxPDF == 0 {
		c.Limits.MaxPDF = stamp.DefaultMaxPDF
	}
	if c.Limits.Request == 0 {
		c.Limits.Request = requestTimeout
	}
	if c.Limits.MaxUploads == 0 {
		c.Limits.MaxUploads = 8
	}
	pages, err := console.New()
	if err != nil {
		return nil, err
	}
	c.PublicURL = strings.TrimSuffix(strings.TrimRight(c.PublicURL, "/"), "/v1")
	a := &app{
		c:        c,
		contract: contract,
		lookups:  newLimiter("lookups", c.Limits.LookupsPerMinute, c.Now),
		clocks:   newLimiter("times", c.Limits.LookupsPerMinute, c.Now),
		keyed:    newLimiter("lookups", c.Limits.KeyLookupsPerMinute, c.Now),
		guesses:  newLimiter("keys", c.Limits.LookupsPerMinute, c.Now),
		requests: newLimiter("requests", c.Limits.RequestsPerMinute, c.Now),
		scans:    newLimiter("scans", c.Limits.ScansPerMinute, c.Now),
		sites:    newLimiter("scans", siteFactor*c.Limits.ScansPerMinute, c.Now),
		uploads:  newTenantSlots(c.Limits.MaxUploads),
		spools:   newTenantSlots(spoolPlaces),
		exports:  newTenantSlots(exportPlaces),
		syncs:    newQueue(max(1, runtime.GOMAXPROCS(0)-1)),
		inFlight: newInFlight(),
		pages:    pages,
	}
	routes, err := a.routes()
	if err != nil {
		return nil, err
	}
	return headAsGet(routes), nil
}

// routes builds the router: what is generated, and the routes that answer in
// other ways than the generated code can.
func (a *app) routes() (*echo.Echo, error) {
	e := echo.New()
	e.HideBanner, e.HidePort = true, true
	e.Binder = binder{}
	e.HTTPErrorHandler = a.handleError
	e.IPExtractor = clientIP(a.c.TrustedProxies)
	e.Use(a.observe, a.keepContract)

	RegisterHandlers(e, NewStrictHandler(&handlers{a}, nil))
	e.POST("/v1/tcode/verify/sync", a.syncScans)
	e.GET("/v1/reference-data/trust-store/root/:version", a.trustRoot)
	e.GET("/v1/reference-data/trust-store/timestamp", a.trustTimestamp)
	e.GET("/v1/reference-data/trust-store/time", a.trustTime)
	e.GET("/v1/reference-data/trust-store/packs/:sha256", a.trustPack)
	e.GET("/v1/reference-data/trust-store/:sha256", a.trustObject)
	e.GET("/v1/files/:file", a.file)
	for product, path := range bulkPaths {
		e.GET(path+":jobId/errors.csv", a.bulkErrors(product))
		e.GET(path+":jobId/results.zip", a.bulkResults(product))
	}
	e.GET("/d/:reference", a.twinPage)
	e.GET("/healthz", a.healthz)
	e.GET("/readyz", a.readyz)
	return e, a.docs(e)
}

// headAsGet answers HEAD as GET; net/http drops the body.
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

// notFound is the answer where nothing is, to every caller.
func notFound(what string) error {
	return fault.New(fault.NotFound, fault.CodeNotFound, "%s not found", what)
}
