package server

import (
	"cmp"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os/exec"
	"time"

	"tcode/server/account"
	"tcode/server/httpapi"
	"tcode/server/httpapi/bounded"
	"tcode/server/issue/stamp"
	"tcode/server/platform/certs"
	"tcode/server/platform/hold"
	"tcode/server/platform/keyring"
	"tcode/server/store/pgdb"
)

// DefaultAddr is the default address of a gateway: on this machine
// only.
const DefaultAddr = "127.0.0.1:8080"

// The number of connections of a gateway to PostgreSQL.
const (
	DefaultConnections = pgdb.DefaultConns
	MinConnections     = pgdb.MinConns
)

// DefaultData is the default data folder.
const DefaultData = "tcode-data"

// Config is the configuration of a gateway. Its zero value is a gateway for this machine,
// with everything in ./tcode-data.
type Config struct {
	Addr string // HOST:PORT to listen on; empty: DefaultAddr; port 0: any free one
	Data string // data folder; empty: DefaultData
	// Init begins a gateway, a new issuer of trust documents, if there is none in the folder
	// or database. Without Init a missing gateway is [ErrNoGateway].
	Init bool
	// DatabaseURL is a PostgreSQL database, postgres://... Empty: an SQLite file
	// in the data folder, which holds keys in either case.
	DatabaseURL string
	// BlobURL is where the files are, as [blob.OpenURL] knows it. Empty: in the data folder.
	BlobURL string
	// AdoptFiles makes the database name the store of files that is there, after the files were
	// moved. Without it another store than the one that the database names is [ErrOtherFiles].
	AdoptFiles bool
	// DatabaseConnections is the number of connections to PostgreSQL that the gateway has
	// open, at most; zero: [DefaultConnections], and never less than [MinConnections].
	DatabaseConnections int
	// MasterKeyset is the keyset that opens all keys, as JSON. Empty: the one in the data
	// folder, which Init makes.
	MasterKeyset string
	// Token, if set, makes new signing keys, which never leave it. With the zero value they
	// are sealed in the database.
	Token keyring.TokenConfig
	// PublicURL is the gateway's address for clients, with or without /v1. Empty: taken from
	// each request.
	PublicURL      string
	TrustedProxies []netip.Prefix // proxies whose X-Forwarded-For is trusted

	// Reserve is the number of bytes on the data folder's disk that are reserved for changes,
	// scans and publication when the disk is full. Zero: none are reserved, and those reserved
	// by another process are released.
	Reserve int64

	Mail MailConfig // how recipients get their documents, and users their invitations
	// OpenID is the provider that may sign in operators, and users of tenants without one of
	// their own. No issuer: there is none.
	OpenID account.Provider

	// Readback reads each stamp back before it is delivered. Nil: the gateway does,
	// in child processes of its own.
	Readback stamp.Readback
	// Cache is the folder for the machine code of the engine that draws PDFs, made with the
	// first page that is drawn. Empty: tcode/pdfium below the user's cache folder.
	Cache string

	// PageTime bounds each drawing of a page when a stamp is read back; zero: Wall of
	// package proof. A page that takes longer is refused.
	PageTime time.Duration

	// ScannerApp serves the paths below /scan/: the scanner as an app for phones. It needs no key,
	// and no limit of requests applies to it. If it has a method Built that reports true, /verify reads
	// files with its engine. Nil: there is none.
	ScannerApp http.Handler

	// OpenShards is the number of status shards that new stamps get their entries in; zero: 8.
	OpenShards int
	// Source is the offer of the gateway's source code, which the public pages make.
	Source httpapi.Source

	Limits   *httpapi.Limits // nil: httpapi.DefaultLimits
	Stampers int             // child processes that stamp; zero: one for each usable core
	Drain    time.Duration   // time for requests to end at shutdown; zero: 20 s
	// Linger is the time for which a gateway that was told to stop still accepts requests,
	// while /readyz answers 503, so that a load balancer sends no more of them.
	Linger time.Duration
	// WebhooksAllowPrivate allows webhooks of tenants to this machine and to private networks,
	// and without TLS.
	WebhooksAllowPrivate bool
	// MetricsAddr is HOST:PORT to serve /metrics on, with /healthz and /readyz.
	// It needs no key, so only monitoring systems should reach it. Empty: not
	// served.
	MetricsAddr string
	Timeouts    Timeouts
	// TLS says where the certificates of Addr come from. The zero value: plain HTTP, for a
	// gateway behind a proxy or on this machine. An empty Cache is the folder acme of Data.
	TLS certs.Config
	// Reload makes the gateway read certificates again, each time that it gives a value; nil: at intervals only.
	Reload <-chan struct{}
	// RedirectAddr is HOST:PORT to lead browsers from plain HTTP to TLS, and to answer an ACME
	// authority. Empty: not served. It needs TLS.
	RedirectAddr string
	// Hold is the time for which background work belongs to the gateway that began it, without
	// a sign of life, before another takes it over; zero: [hold.Default].
	Hold time.Duration

	// Apart returns the command of a process that calls [Work] with the same configuration. After
	// an end of the gateway that its background work may have caused, that work is done there.
	// Nil: it is done in this process.
	Apart func() *exec.Cmd
	// ApartMemory is the most memory of such a process in bytes; zero: any.
	ApartMemory uint64

	// Ready, if set, is called once the gateway answers, with the address that it listens
	// on.
	Ready func(addr net.Addr)
	// MetricsReady is the same for MetricsAddr, and is called before Ready.
	MetricsReady func(addr net.Addr)
	// RedirectReady is the same for RedirectAddr.
	RedirectReady func(addr net.Addr)
	Now           func() time.Time // nil: time.Now
	LogDropped    func() uint64    // dropped log lines, for the metrics; nil: not counted
	Log           *slog.Logger     // nil: discards
}

// Timeouts bound what one connection may take, whatever it sends. A body is at
// most one PDF of 25 MiB: two minutes are enough for it on a line of 2 Mbit/s.
type Timeouts struct {
	Header time.Duration // for a request's header to arrive; zero: 10 s
	Read   time.Duration // for a request with its body; zero: 2 min
	Write  time.Duration // from the header's end to the answer's; zero: 4 min, longer than the limit of a request
	Idle   time.Duration // between requests; zero: 2 min
}

func (t Timeouts) withDefaults() Timeouts {
	return Timeouts{
		Header: cmp.Or(t.Header, 10*time.Second), Read: cmp.Or(t.Read, 2*time.Minute),
		Write: cmp.Or(t.Write, 4*time.Minute), Idle: cmp.Or(t.Idle, 2*time.Minute),
	}
}

func (c Config) withDefaults() Config {
	c.Timeouts = c.Timeouts.withDefaults()
	if c.Addr == "" {
		c.Addr = DefaultAddr
	}
	if c.Data == "" {
		c.Data = DefaultData
	}
	if c.Limits == nil {
		l := httpapi.DefaultLimits()
		c.Limits = &l
	}
	if c.Limits.Request == 0 {
		l := *c.Limits
		l.Request = bounded.DefaultLimit
		c.Limits = &l
	}
	c.Hold = cmp.Or(c.Hold, hold.Default)
	if c.Drain == 0 {
		c.Drain = 20 * time.Second
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return c
}
