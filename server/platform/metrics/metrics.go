// Package metrics counts the gateway's work for Prometheus. Call [New], then [Metrics.Handler].
//
//	httpapi, verify ── Request, Refusal, Verdict ──▶ counters ─┐
//	store, publish, sandbox ◀── asked at each scrape ── Sources┴─▶ Handler: /metrics
//
// Every label has a fixed, small set of values: operations of the contract, statuses,
// verdicts, kinds. They include no tenant, key, address or reference, so that no secrets
// leak and the number of series stays small.
package metrics

import (
	"context"
	"database/sql"
	"log/slog"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// A Publication is how far the trust documents are behind.
type Publication struct {
	Waiting uint64    // changes that are not published yet
	At      time.Time // of the last publication; zero: none yet
	Expires time.Time // of the first document to expire
}

// A Quota is the use of a quota of one kind by the tenants that have it.
type Quota struct {
	Kind    string
	Tenants int     // that have one
	Near    int     // of those, with 80 % or more of it used
	Full    int     // of those, with all of it used
	Used    int64   // operations of all these tenants this month
	Highest float64 // share used by the tenant with the highest use
}

// Webhooks is the state of deliveries to tenants' systems.
type Webhooks struct {
	Waiting           int // deliveries
	Enabled, Disabled int // endpoints
}

// Sources are the functions called at each scrape. Nil members are left out.
type Sources struct {
	Publication  func(ctx context.Context) (Publication, error)
	Quotas       func(ctx context.Context) ([]Quota, error)
	Webhooks     func(ctx context.Context) (Webhooks, error)
	Mails        func(ctx context.Context) (map[string]int, error) // not over, by state
	SetAside     func(ctx context.Context) (map[string]int, error) // items of background work, by kind
	Databases    func() map[string]sql.DBStats                     // by the pool's name
	Children     func() (size, busy int)                           // child processes that stamp
	Ballast      func() (held, wanted int64)                       // bytes kept for a full disk
	Pending      func() int                                        // lines of history not yet written
	LogDropped   func() uint64                                     // lines of the log dropped since the start
	Ready        func(ctx context.Context) error                   // why the gateway is not ready
	Behind       func() int                                        // items that hung and go on
	Health       func(ctx context.Context) (Health, error)
	Lost         func() map[string]uint64 // child processes that ended before their time, by role
	Certificates func() []Certificate     // of the TLS listener
}

// Metrics are the counters. They are safe for concurrent use.
type Metrics struct {
	registry            *prometheus.Registry
	requests            *prometheus.CounterVec
	durations           *prometheus.HistogramVec
	refusals            *prometheus.CounterVec
	verdicts            *prometheus.CounterVec
	webhooks            *prometheus.CounterVec
	mail                *prometheus.CounterVec
	failed              prometheus.Counter
	outages, background *prometheus.CounterVec
	contained           *prometheus.CounterVec

	mu   sync.RWMutex // guards seen
	seen map[outcome]counted
}

// An outcome is one operation with one status. Their number is limited by the
// contract.
type outcome struct {
	operation string
	status    int
}

// counted is the counters of an outcome: finding them by labels takes longer than
// counting.
type counted struct {
	requests  prometheus.Counter
	durations prometheus.Observer
}

// scrapeTimeout bounds the queries of one scrape.
const scrapeTimeout = 5 * time.Second

// New returns counters at zero.
func New() *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		seen:     make(map[outcome]counted),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "tcode_requests_total", Help: "Requests answered, by the contract's operation and HTTP status.",
		}, []string{"operation", "status"}),
		durations: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "tcode_request_duration_seconds", Help: "Time to answer, uploads included.",
			Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60},
		}, []string{"operation"}),
		refusals: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "tcode_refusals_total", Help: "Requests refused by a plan: quota_exceeded, not_entitled, tenant_suspended.",
		}, []string{"reason"}),
		verdicts: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "tcode_verdicts_total", Help: "Verdicts given, by kind of request: reference, hash, payload, scan.",
		}, []string{"method", "verdict"}),
		webhooks: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "tcode_webhook_tries_total", Help: "Tries to deliver a webhook, by state of the delivery: Delivered, Waiting for the next try, Failed.",
		}, []string{"state"}),
		mail: mailTries(),
		failed: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "tcode_scrape_errors_total", Help: "Parts of scrapes that could not be read; the log says why.",
		}),
	}
	m.outages, m.background, m.contained = failures()
	for _, reason := range []string{"quota_exceeded", "not_entitled", "tenant_suspended"} {
		m.refusals.WithLabelValues(reason)
	}
	for _, state := range []string{"Delivered", "Waiting", "Failed"} {
		m.webhooks.WithLabelValues(state)
	}
	m.registry.MustRegister(m.outages, m.background, m.contained, m.requests, m.durations, m.refusals, m.verdicts, m.webhooks, m.mail, m.failed,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Request counts one answer. operation is a name of the contract's, or other.
func (m *Metrics) Request(operation string, status int, took time.Duration) {
	o := outcome{operation, status}
	m.mu.RLock()
	c, ok := m.seen[o]
	m.mu.RUnlock()
	if !ok {
		c = counted{m.requests.WithLabelValues(operation, strconv.Itoa(status)), m.durations.WithLabelValues(operation)}
		m.mu.Lock()
		m.seen[o] = c
		m.mu.Unlock()
	}
	c.requests.Inc()
	c.durations.Observe(took.Seconds())
}

// Refusal counts one request that a plan refuses.
func (m *Metrics) Refusal(reason string) { m.refusals.WithLabelValues(reason).Inc() }

// Verdict counts one verdict.
func (m *Metrics) Verdict(method, verdict string) { m.verdicts.WithLabelValues(method, verdict).Inc() }

// Webhook counts one try to deliver.
func (m *Metrics) Webhook(state string) { m.webhooks.WithLabelValues(state).Inc() }

// Handler returns the handler for Prometheus's scrapes. A source that fails is left out of
// that scrape, logged and counted; the others are included.
func (m *Metrics) Handler(s Sources, log *slog.Logger) http.Handler {
	registry := prometheus.NewRegistry()
	registry.MustRegister(&sources{Sources: s, log: log, failed: m.failed})
	return promhttp.HandlerFor(prometheus.Gatherers{m.registry, registry}, promhttp.HandlerOpts{
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelError), ErrorHandling: promhttp.ContinueOnError, MaxRequestsInFlight: 4,
	})
}
