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
	"tcode/server/httpapi/gate"
	"tcode/server/issue/bulk"
	"tcode/server/issue/stamp"
	"tcode/server/pages"
	"tcode/server/platform/blob"
	"tcode/server/platform/pace"
	"tcode/server/platform/spool"
	"tcode/server/publish"
	"tcode/server/refdata"
	"tcode/server/tenant"
	"tcode/server/verify"
	"tcode/sync/wire"
)

// Keys finds the owner of an API key. Package tenant implements it.
type Keys interface {
	gate.Keys
	// Tenant returns one tenant, or a NotFound fault.
	Tenant(ctx context.Context, reference string) (tenant.Tenant, error)
}

// Stamps makes and keeps stamps. Package stamp implements it.
type Stamps interface {
	Create(ctx context.Context, id tenant.Identity, r stamp.Request) (stamp.Stamp, error)
	Check(ctx context.Context, id tenant.Identity, r stamp.Request) error
	Preview(ctx context.Context, id tenant.Identity, r stamp.PreviewRequest) (stamp.Preview, error)
	CheckPreview(ctx context.Context, id tenant.Identity, r stamp.PreviewRequest) error
	Reach(ctx context.Context, who tenant.Identity, id string) (stamp.Stamp, error)
	List(ctx context.Context, tenantRef string, f stamp.Filter) (stamp.Page, error)
	Act(ctx context.Context, who tenant.Identity, id string, a stamp.Action, reason string) error
	FileFor(ctx context.Context, who tenant.Identity, id, kind string) (stamp.File, error)
	// Derived returns a file that is not stored.
	Derived(ctx context.Context, tenantRef, id, kind string) (stamp.File, []byte, error)
	Replace(ctx context.Context, who tenant.Identity, id string, r stamp.Replacement) (stamp.Stamp, error)
	CheckReplacement(ctx context.Context, who tenant.Identity, id string, r stamp.Replacement) error
	Duplicates(ctx context.Context, tenantRef string, q stamp.DuplicateQuery) ([]stamp.Match, error)
}

// Verifier answers whether stamps are genuine. Package verify implements it.
type Verifier interface {
	ByReference(ctx context.Context, v verify.Viewer, reference string) (verify.Result, error)
	ByHash(ctx context.Context, v verify.Viewer, hash string) (verify.Result, error)
	ByPayload(ctx context.Context, v verify.Viewer, payload string) (verify.Result, error)
	Sync(ctx context.Context, b wire.Batch, p verify.Proof) (wire.Reply, error)
	Scans(ctx context.Context, v verify.Viewer, reference string, f verify.ScanFilter) (verify.ScanPage, error)
	History(ctx context.Context, v verify.Viewer, f verify.HistoryFilter, p verify.Page) (verify.HistoryPage, error)
	DocumentVerifier
}

// ReferenceData returns public data. Package refdata implements it.
type ReferenceData interface {
	Tenants(ctx context.Context) ([]refdata.TenantInfo, error)
	DocumentTypes(ctx context.Context) ([]refdata.DocumentType, error)
	PublicKeys(ctx context.Context) ([]refdata.PublicKey, error)
	PublicKey(ctx context.Context, tenantRef string) (refdata.TenantKeys, error)
	Key(ctx context.Context, tenantRef, keyID string) (refdata.PublicKey, error)
}

// TrustStore serves published trust documents. Package publish implements it.
type TrustStore interface {
	// Root, Timestamp, Object and Pack return a NotFound fault if there is no such
	// document.
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

// Files opens a complete file by its SHA-256. Package blob implements it.
type Files interface {
	Open(ctx context.Context, name string) (io.ReadSeekCloser, error)
}

// Config has the parts of the interface. All members up to Idempotency are required.
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
	Brands     Brands
	Bulk       Bulk
	Privacy    Privacy
	Management Management
	Webhooks   Webhooks
	Devices    Devices
	Spool      *spool.Folder // holds files while the gateway receives them

	Idempotency tenant.IdempotencyStore

	// ScannerApp says that the scanner app is at /scan/, and Console that the console
	// is at /console: pages then link to them.
	ScannerApp, Console bool
	// Engine reports whether the scanner app has its engine, which /verify then uses;
	// nil: it has not.
	Engine func() bool

	// Source is the offer of the gateway's source code at /source.
	Source Source

	// Metrics counts requests; nil: no counting.
	Metrics gate.Metrics
	// Ready returns an Unavailable fault whose fields are the parts without which the gateway
	// cannot do what a tenant needs; nil: it always can.
	Ready func(ctx context.Context) error
	// Outage reports whether an error of a database or a disk may be temporary;
	// nil: none is.
	Outage func(error) bool
	// PublicURL is the gateway's address as clients know it, with or without
	// /v1 at its end. Empty: that in each request's Host.
	PublicURL string
	// TrustedProxies may name the client in X-Forwarded-For.
	TrustedProxies []netip.Prefix
	Limits         Limits
	DownloadFor    time.Duration    // life of a download address; zero: 15 min
	Now            func() time.Time // nil: time.Now
	Log            *slog.Logger     // nil: discards
}

// Limits bound the requests of clients. A zero member means the default, unless
// its comment says that 0 is off.
type Limits = gate.Limits

// DefaultLimits returns the limits that apply if the operator sets no others.
func DefaultLimits() Limits {
	return Limits{LookupsPerMinute: 60, KeyLookupsPerMinute: 600, RequestsPerMinute: 1200, ScansPerMinute: 60_000, MaxPDF: stamp.DefaultMaxPDF, MaxUploads: 8}
}

// siteFactor is the number of devices whose scans one address may send. Unsigned
// clients choose their names freely, so a limit by name alone has no effect.
const siteFactor = 10

// syncPatience is the longest wait of a batch for its turn: shorter than the wait of devices for
// their answer (uplink.DefaultTimeout). Batches of scans cost more than all other requests: with
// 200 concurrent ones on two cores a look-up waits for 2 s, and with one it waits for 80 ms and
// the gateway has a seventh of the memory (PostgreSQL, 2026-11, a busy machine).
const syncPatience = 45 * time.Second

// app implements the interface.
type app struct {
	c       Config
	gate    *gate.Gate
	scans   *gate.Limiter
	sites   *gate.Limiter // scans of an address, under any names of its devices
	typed   *gate.Limiter // payloads on the page for references
	exports *gate.Slots   // of requests that make a file, by tenant
	syncs   *gate.Slots   // of batches of scans, by address
	pacer   pace.Pacer    // slows batches of scans while other requests arrive
	pages   *pages.Pages
}

// New returns the gateway's HTTP handler. It returns an error if the embedded
// contract or a page is broken.
func New(c Config) (http.Handler, error) {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.DownloadFor == 0 {
		c.DownloadFor = 15 * time.Minute
	}
	if c.Limits.MaxPDF == 0 {
		c.Limits.MaxPDF = stamp.DefaultMaxPDF
	}
	a := &app{
		c:       c,
		scans:   gate.NewLimiter("scans", c.Limits.ScansPerMinute, c.Now),
		sites:   gate.NewLimiter("scans", siteFactor*c.Limits.ScansPerMinute, c.Now),
		typed:   gate.NewLimiter("lookups", c.Limits.LookupsPerMinute, c.Now),
		exports: gate.NewSlots(exportPlaces, gate.Patience, gate.Busy),
		syncs: gate.NewSlots(max(1, runtime.GOMAXPROCS(0)-1), syncPatience,
			"too many devices send scans at the moment; try again"),
	}
	var err error
	if a.pages, err = pages.New(a.site); err != nil {
		return nil, err
	}
	a.gate, err = gate.New(gate.Config{
		Keys: c.Keys, Spool: c.Spool, Idempotency: c.Idempotency,
		Routes: a.withRules(), PDF: "pdf", Page: a.problemPage, Asked: a.pacer.Asked,
		Files:   map[string]int64{"csvFileBase64": bulk.MaxCSV, "zipFileBase64": bulk.MaxZIP},
		Metrics: c.Metrics, Outage: c.Outage, TrustedProxies: c.TrustedProxies, Limits: c.Limits, Now: c.Now, Log: c.Log,
		PublicURL: strings.TrimSuffix(strings.TrimRight(c.PublicURL, "/"), "/v1"),
	})
	if err != nil {
		return nil, err
	}
	return a.gate.Handler(a.register)
}

// register adds all routes: the generated ones, and those whose answers the
// generated code cannot write.
func (a *app) register(e *echo.Echo) error {
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
	e.GET("/v1/export", a.exportTenant)
	e.GET("/d/:reference", a.twinPage)
	e.GET(logoPath+":tenant/:file", a.logo)
	if err := a.people(e); err != nil {
		return err
	}
	e.GET("/healthz", a.healthz)
	e.GET("/readyz", a.readyz)
	return a.docs(e)
}
