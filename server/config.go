package server

import (
	"cmp"
	"log/slog"
	"net"
	"net/netip"
	"time"

	"tcode/server/httpapi"
	"tcode/server/issue/stamp"
	"tcode/server/platform/keyring"
)

// DefaultAddr is where a gateway listens unless told otherwise: on this machine
// only.
const DefaultAddr = "127.0.0.1:8080"

// DefaultData is the data folder unless told otherwise.
const DefaultData = "tcode-data"

// Config is what a gateway is made of. Its zero value is a gateway for this
// machine, with everything in ./tcode-data.
type Config struct {
	Addr string // HOST:PORT to listen on; empty: DefaultAddr; port 0: any free one
	Data string // data folder; empty: DefaultData
	// Init begins a gateway, a new issuer of trust documents, where there is none
	// in the folder or database. Without it that is [ErrNoGateway].
	Init bool
	// DatabaseURL is a PostgreSQL database, postgres://... Empty: an SQLite file
	// in the data folder, which holds files and keys in either case.
	DatabaseURL string
	// MasterKeyset is the keyset that opens all keys, as JSON. Empty: the one in
	// the data folder, which Init makes.
	MasterKeyset string
	// Token keeps new signing keys, if it is set: they are made in it and never
	// leave it. The zero value keeps them sealed in the database.
	Token keyring.TokenConfig
	// PublicURL is the gateway's address as clients know it, with or without
	// /v1. Empty: taken from each request.
	PublicURL      string
	TrustedProxies []netip.Prefix // whose X-Forwarded-For is believed

	// Reserve is how many bytes of the data folder's disk are kept for changes,
	// scans and publication when it is full. Zero: none are kept, and those that
	// another process keeps there are used.
	Reserve int64

	Mail MailConfig // how documents reach their recipients

	// Readback reads each stamp back before it is delivered. Nil: the gateway does,
	// in child processes of its own.
	Readback stamp.Readback
	// Cache is the folder for the machine code of the engine that draws PDFs, made with the
	// first page that is drawn. Empty: tcode/pdfium below the user's cache folder.
	Cache string

	Limits   *httpapi.Limits // nil: httpapi.DefaultLimits
	Stampers int             // child processes that stamp; zero: one per usable core
	Drain    time.Duration   // how long requests may take to end at shutdown; zero: 20 s
	// Linger is how long a gateway that was told to stop still takes requests,
	// while /readyz says 503, so that a load balancer sends it no more of them.
	Linger time.Duration
	// WebhooksAllowPrivate lets tenants have webhooks sent to this machine and
	// to private networks, and without TLS.
	WebhooksAllowPrivate bool
	// MetricsAddr is HOST:PORT to serve /metrics on, with /healthz and /readyz.
	// They need no key there, so only those who watch the gateway should reach it.
	// Empty: not served.
	MetricsAddr string
	Timeouts    Timeouts
	// Hold is how long work in the background is left to the gateway that began
	// it, without a sign of life, before another takes it over; zero: 15 s.
	Hold time.Duration

	// Ready, if set, is called once the gateway answers, with the address it
	// listens on.
	Ready func(addr net.Addr)
	// MetricsReady is the same for MetricsAddr, and is called before Ready.
	MetricsReady func(addr net.Addr)
	Now          func() time.Time // nil: time.Now
	LogDropped   func() uint64    // log lines that were dropped, for the metrics; nil: not counted
	Log          *slog.Logger     // nil: discards
}

// Timeouts bound what one connection may take, whatever it sends. A body is at
// most one PDF of 25 MiB: two minutes are enough for it on a line of 2 Mbit/s.
type Timeouts struct {
	Header time.Duration // for a request's header to arrive; zero: 10 s
	Read   time.Duration // for a request with its body; zero: 2 min
	Write  time.Duration // from the header's end to the answer's; zero: 4 min, which is longer than a request may take in all
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
	c.Hold = cmp.Or(c.Hold, 15*time.Second)
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
