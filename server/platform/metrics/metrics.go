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
	"bytes"
	"context"
	"database/sql"
	"log/slog"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"tcode/offline/contain"
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
	set *metrics.Set

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
	requests  *metrics.Counter
	durations *metrics.PrometheusHistogram
}

// scrapeTimeout bounds the queries of one scrape.
const scrapeTimeout = 5 * time.Second

var (
	requests   = newFamily("requests_total", "Requests answered, by the contract's operation and HTTP status.", "operation", "status")
	durations  = newFamily("request_duration_seconds", "Time to answer, uploads included.", "operation")
	refusals   = newFamily("refusals_total", "Requests refused by a plan: quota_exceeded, not_entitled, tenant_suspended.", "reason")
	verdicts   = newFamily("verdicts_total", "Verdicts given, by kind of request: reference, hash, payload, scan.", "method", "verdict")
	deliveries = newFamily("webhook_tries_total", "Tries to deliver a webhook, by state of the delivery: Delivered, Waiting for the next try, Failed.", "state")
	failed     = newFamily("scrape_errors_total", "Parts of scrapes that could not be read; the log says why.")
)

// buckets are the upper limits of durations, in seconds.
var buckets = []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60}

// atZero are the counters that begin at zero, so that the first failure is a change.
var atZero = []struct {
	of     *family
	values []string
}{
	{outages, []string{CauseDatabase, CauseFiles, CauseKeys, CauseMachine}},
	{refusals, []string{"quota_exceeded", "not_entitled", "tenant_suspended"}},
	{deliveries, []string{"Delivered", "Waiting", "Failed"}},
	{mailTries, []string{"confirm", "refuse", "postpone", "give up", "drop"}},
}

// New returns counters at zero.
func New() *Metrics {
	m := &Metrics{set: metrics.NewSet(), seen: make(map[outcome]counted)}
	for _, c := range atZero {
		for _, v := range c.values {
			m.counter(c.of, v)
		}
	}
	for _, kind := range []string{FaultPanic, FaultHang} {
		m.counter(contained, "request", kind)
	}
	m.counter(failed)
	return m
}

// counter returns the counter of f with these labels.
func (m *Metrics) counter(f *family, labels ...string) *metrics.Counter {
	return m.set.GetOrCreateCounter(f.sample(labels...))
}

// Request counts one answer. operation is a name of the contract's, or other.
func (m *Metrics) Request(operation string, status int, took time.Duration) {
	o := outcome{operation, status}
	m.mu.RLock()
	c, ok := m.seen[o]
	m.mu.RUnlock()
	if !ok {
		c = counted{
			m.counter(requests, operation, strconv.Itoa(status)),
			m.set.GetOrCreatePrometheusHistogramExt(durations.sample(operation), buckets),
		}
		m.mu.Lock()
		m.seen[o] = c
		m.mu.Unlock()
	}
	c.requests.Inc()
	c.durations.Update(took.Seconds())
}

// Refusal counts one request that a plan refuses.
func (m *Metrics) Refusal(reason string) { m.counter(refusals, reason).Inc() }

// Verdict counts one verdict.
func (m *Metrics) Verdict(method, verdict string) { m.counter(verdicts, method, verdict).Inc() }

// Webhook counts one try to deliver.
func (m *Metrics) Webhook(state string) { m.counter(deliveries, state).Inc() }

// scrapes is how many scrapes are answered concurrently.
const scrapes = 4

// Handler returns the handler for Prometheus's scrapes. A source that fails is left out of
// that scrape, logged and counted; the others are included.
func (m *Metrics) Handler(s Sources, log *slog.Logger) http.Handler {
	asked := &sources{Sources: s, log: log, failed: m.counter(failed).Inc}
	free := make(chan struct{}, scrapes)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case free <- struct{}{}:
			defer func() { <-free }()
		default:
			http.Error(w, "too many scrapes", http.StatusServiceUnavailable)
			return
		}
		// The counters come first, so that what they count has reached the sources.
		var out bytes.Buffer
		m.set.WritePrometheus(&out)
		now := metrics.NewSet()
		_ = contain.Do("metrics", func() error {
			asked.collect(r.Context(),
				func(f *family, v float64, labels ...string) { now.GetOrCreateGauge(f.sample(labels...), nil).Set(v) },
				func(f *family, v float64, labels ...string) { now.GetOrCreateFloatCounter(f.sample(labels...)).Set(v) })
			return nil
		})
		now.WritePrometheus(&out)
		metrics.WriteProcessMetrics(&out)
		metrics.WriteFDMetrics(&out)
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		_, _ = w.Write(described(out.Bytes()))
	})
}
