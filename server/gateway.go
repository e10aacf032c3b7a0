package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"tcode/offline/host/sandbox"
	"tcode/scanner/proof"
	"tcode/server/account"
	"tcode/server/ballast"
	"tcode/server/brand"
	"tcode/server/httpapi"
	"tcode/server/httpapi/bounded"
	"tcode/server/issue/batch"
	"tcode/server/issue/bulk"
	"tcode/server/issue/placement"
	"tcode/server/issue/stamp"
	"tcode/server/issue/tdoc"
	"tcode/server/issue/trustdoc"
	"tcode/server/outbound/delivery"
	"tcode/server/outbound/webhook"
	"tcode/server/outbound/webhook/post"
	"tcode/server/pdfstamp"
	"tcode/server/picturepdf"
	"tcode/server/platform/blob"
	"tcode/server/platform/certs"
	"tcode/server/platform/draft"
	"tcode/server/platform/durable"
	"tcode/server/platform/jobs"
	"tcode/server/platform/keyring"
	"tcode/server/platform/metrics"
	"tcode/server/platform/spool"
	"tcode/server/privacy"
	"tcode/server/publish"
	"tcode/server/refdata"
	"tcode/server/store"
	"tcode/server/tenant"
	"tcode/server/verify"
)

// A Gateway is an open data folder with its services. They are safe for
// concurrent use, also with other gateways on the same folder.
type Gateway struct {
	Tenants    *tenant.Service
	Reference  *refdata.Service
	Placements *placement.Service
	Templates  *tdoc.Service
	Stamps     *stamp.Service
	Documents  *trustdoc.Service
	Bulk       *bulk.Service
	Batches    *batch.Service
	Webhooks   *webhook.Service
	Delivery   *delivery.Service
	Verify     *verify.Service
	Publisher  *publish.Publisher
	Accounts   *account.Service
	Brands     *brand.Service
	Privacy    *privacy.Service
	Drafts     *draft.Folder

	c        Config
	ownClock bool // no Config.Now
	db       *store.DB
	ring     *keyring.Ring
	token    *keyring.Token // nil: none
	spool    *spool.Folder
	files    *blob.Store
	urls     *blob.URLSigner
	pool     *sandbox.Pool
	pictures *sandbox.Pool // makes PDFs of them

	reader *proof.Reader // nil: Config.Readback

	ballast *ballast.File // nil: the rows are on another disk

	poster *post.Poster // nil before Webhooks is made

	certs *certs.Keeper // nil: plain HTTP

	metrics     *metrics.Metrics
	maintenance maintenance
	started     time.Time
	services    []service
	parts       []*part                     // without which the gateway is not ready
	runner      atomic.Pointer[jobs.Runner] // nil: it does not serve
	draining    atomic.Bool
}

// Open opens the gateway of c. With [Config.Init] it makes the missing parts: the folder,
// the database, the master keyset, the trust root, the starter set of document types. The
// caller must call Close.
func Open(ctx context.Context, c Config) (_ *Gateway, err error) {
	g := &Gateway{c: c.withDefaults(), ownClock: c.Now == nil, metrics: metrics.New(), started: time.Now()}
	defer func() {
		if err != nil {
			err = errors.Join(err, g.Close())
		}
	}()
	if err := g.checkFolder(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(g.c.Data, 0o700); err != nil {
		return nil, fmt.Errorf("data folder: %w", err)
	}
	if g.c.DatabaseURL == "" { // otherwise the rows are on another disk
		g.ballast = ballast.New(g.c.Data, g.c.Reserve, g.c.Log)
	}
	if g.db, err = store.Open(ctx, store.Config{Path: filepath.Join(g.c.Data, store.FileName), DatabaseURL: g.c.DatabaseURL, Connections: g.c.DatabaseConnections, Existing: !g.c.Init, Full: g.ballast.Release, OpenShards: g.c.OpenShards}); err != nil {
		if errors.Is(err, store.ErrNoSchema) {
			err = fmt.Errorf("%w: check --database-url; to begin a new gateway, run \"tcode-gateway init\" (%w)", ErrNoGateway, err)
		}
		return nil, fmt.Errorf("database of %s: %w", g.c.Data, err)
	}
	if err := g.openBucket(ctx); err != nil {
		return nil, err
	}
	if err := g.checkRows(ctx); err != nil {
		return nil, err
	}
	if err := g.openKeys(ctx); err != nil {
		return nil, err
	}
	if err := g.openFiles(ctx); err != nil {
		return nil, err
	}
	if err := g.noticeSetBack(ctx); err != nil {
		return nil, err
	}
	if err := g.wire(ctx); err != nil {
		return nil, err
	}
	g.services = g.newServices()
	g.parts = g.newParts()
	return g, nil
}

// wire makes the services. Publisher and tenants refer to each other: a change wakes the
// publisher, and the publisher opens signing keys that are due.
func (g *Gateway) wire(ctx context.Context) error {
	notify := func() {
		if g.Publisher != nil {
			g.Publisher.Notify()
		}
	}
	var options []tenant.Option
	if g.token != nil {
		options = append(options, tenant.WithVault(g.token))
	}
	g.Tenants = tenant.New(g.db, g.ring, notify, g.c.Now, options...)
	publisher, err := publish.New(ctx, publish.Config{
		Store: g.db, Ring: g.ring, Advance: g.Tenants.Advance, Apart: g.apart(jobs.Publication), Published: g.raiseFloor, Floor: g.floor, Now: g.c.Now, Log: g.c.Log,
	})
	if err != nil {
		return fmt.Errorf("trust documents: %w", err)
	}
	g.Publisher = publisher
	g.Brands = brand.New(g.db, g.c.Now)
	mailer, err := g.newInvitations()
	if err != nil {
		return err
	}
	g.Accounts = account.New(account.Config{Store: g.db, Sealer: g.ring, Mailer: mailer, Gateway: g.c.OpenID, Tenants: g.Tenants, Now: g.c.Now, Log: g.c.Log})
	g.Reference = refdata.New(g.db, notify, g.c.Now)
	if err := g.Reference.Seed(ctx); err != nil {
		return fmt.Errorf("starter set of document types: %w", err)
	}
	g.pool = sandbox.NewPool(sandbox.Config{Role: pdfstamp.Role().Name, Size: g.c.Stampers, Log: g.c.Log})
	g.pictures = sandbox.NewPool(sandbox.Config{
		Role: picturepdf.Role().Name, Size: picturepdf.Children(), MemoryBytes: picturepdf.MemoryBytes, Wall: picturepdf.Wall, Log: g.c.Log,
	})
	pictures := picturepdf.New(g.pictures)
	g.Placements, g.Templates = placement.New(g.db, g.c.Now), tdoc.New(g.db, g.Reference, g.c.Now)
	g.Stamps = stamp.New(stamp.Config{
		Store: g.db, Blobs: g.files, Spool: g.spool, Stamper: stamper{pdfstamp.New(g.pool)}, Pictures: pictures, PageURL: g.pageURL(), Readback: g.readback(), Keys: g.Tenants, DocumentTypes: g.Reference,
		Placements: g.Placements, Templates: g.Templates, Delivers: g.c.Mail.configured(),
		Notify: notify, Now: g.c.Now, MaxPDF: g.c.Limits.MaxPDF, Log: g.c.Log,
	})
	g.Webhooks = g.newWebhooks()
	g.Documents = trustdoc.NewService(trustdoc.Config{
		Store: g.db, Stamps: g.Stamps, Blobs: g.files, Spool: g.spool, Keys: g.Tenants, DocumentTypes: g.Reference, Placements: g.Placements, Stamper: stamper{pdfstamp.New(g.pool)}, Pictures: pictures, PageURL: g.pageURL(), Delivers: g.c.Mail.configured(),
		Apart: g.apart(jobs.Expiry), Notify: notify, Now: g.c.Now, MaxPDF: g.c.Limits.MaxPDF, Log: g.c.Log,
	})
	if g.Delivery, err = g.newDelivery(); err != nil {
		return err
	}
	g.Bulk, g.Batches = g.newBulk(), g.newBatches()
	g.Privacy = privacy.New(privacy.Config{Store: g.db, Files: g.sweeper(), Tenants: g.Tenants, Apart: g.apart(jobs.Privacy), Now: g.c.Now, Log: g.c.Log})
	g.Verify = verify.New(verify.Config{
		Store: g.db, Receipts: g.Publisher, Room: g.ballast.Room, Outage: g.outage, Now: g.c.Now, Log: g.c.Log,
		ScanRoom: func(proven bool) error { return g.ballast.Part(scansKeep[proven]) },
		Trusting: g.c.Limits.ScansPerMinute == 0,
		Count:    func(m verify.Method, v verify.Verdict) { g.metrics.Verdict(string(m), string(v)) },
	})
	return nil
}

// Handler returns the gateway's HTTP interface.
func (g *Gateway) Handler() (http.Handler, error) {
	routes, err := httpapi.New(httpapi.Config{
		Keys: g.Tenants, Stamps: g.Stamps, Placements: g.Placements, Templates: g.Templates, Documents: g.Documents, Brands: g.Brands, Bulk: g.Bulk, Privacy: g.Privacy, Management: g.Tenants, Webhooks: g.Webhooks, Devices: g.Verify, Spool: g.spool, Verify: g.Verify, Reference: g.Reference, Trust: g.Publisher,
		Files: g.files, URLs: g.urls, Idempotency: g.db, Ready: g.ready, Outage: g.outage, Metrics: g.metrics,
		ScannerApp: g.c.ScannerApp != nil, Engine: g.engineBuilt(), Console: true, Source: g.c.Source,
		PublicURL: g.c.PublicURL, TrustedProxies: g.c.TrustedProxies, Limits: *g.c.Limits, Now: g.c.Now, Log: g.c.Log,
	})
	if err != nil {
		return nil, err
	}
	desk, err := g.Console()
	if err != nil {
		return nil, err
	}
	screens, err := desk.Handler()
	if err != nil {
		return nil, err
	}
	routes = below("/console", screens, routes)
	if g.c.ScannerApp != nil {
		routes = below("/scan", g.c.ScannerApp, routes)
	}
	return bounded.Handler(routes, g.c.Limits.Request), nil
}

// engineBuilt returns the question whether the scanner app has its engine; nil: there is no
// app, or it does not say.
func (g *Gateway) engineBuilt() func() bool {
	if app, ok := g.c.ScannerApp.(interface{ Built() bool }); ok {
		return app.Built
	}
	return nil
}

// below gives a path and all below it to inner, and all others to rest.
func below(path string, inner, rest http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if under, ok := strings.CutPrefix(r.URL.Path, path); ok && (under == "" || under[0] == '/') {
			inner.ServeHTTP(w, r)
			return
		}
		rest.ServeHTTP(w, r)
	})
}

// scansKeep are the eighths of the reserved space that scans leave to revocations and
// publication: those of proven devices, and of others.
var scansKeep = map[bool]int64{true: 4, false: 6}

// outage distinguishes a database, a disk or a machine that cannot be used now from
// mistakes.
func (g *Gateway) outage(err error) bool {
	cause := causeOf(err)
	if cause != "" {
		g.metrics.Outage(cause)
	}
	return cause != ""
}

// causeOf returns which part around the gateway an error is from; empty: none.
func causeOf(err error) string {
	is := func(short error) bool { return errors.Is(err, short) }
	machine := []error{syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, syscall.EAGAIN, syscall.ENOBUFS, syscall.EFBIG, sandbox.ErrStart, sandbox.ErrKilled} // files, memory, room in a file, processes
	switch {
	case is(keyring.ErrSealed), is(publish.ErrOnlineKey):
		return metrics.CauseKeys
	case slices.ContainsFunc(machine, is):
		return metrics.CauseMachine
	case store.IsUnavailable(err):
		return metrics.CauseDatabase
	case blob.IsUnavailable(err), is(spool.ErrUnwritable):
		return metrics.CauseFiles
	}
	return ""
}

// workRoom returns the space that stamping a document needs on the disk, in bytes: four
// copies of the largest one, or a twentieth of a small disk.
func (g *Gateway) workRoom() int64 {
	_, total, err := durable.Free(g.c.Data)
	if err != nil {
		return 0
	}
	return min(4*int64(g.c.Limits.MaxPDF), total/20)
}
