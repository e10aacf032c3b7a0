package metrics

import (
	"context"
	"log/slog"
	"time"
)

// sources converts the values of a scrape to samples.
type sources struct {
	Sources
	log    *slog.Logger
	failed func() // counts a source that failed
}

var (
	publicationWaiting = newFamily("publication_waiting_changes", "Changes that devices cannot learn of yet.")
	publicationAt      = newFamily("publication_timestamp_seconds", "When trust documents were last published.")
	publicationExpires = newFamily("publication_expiry_timestamp_seconds", "When the first of the published trust documents expires.")
	quotaTenants       = newFamily("quota_tenants", "Tenants that have a quota of this kind, by how much of it they used this month: any, 80 percent, all.", "kind", "used")
	quotaUsed          = newFamily("quota_used", "Operations of tenants that have a quota of this kind, this month.", "kind")
	quotaHighest       = newFamily("quota_highest_ratio", "Share of its quota that the tenant nearest to it has used this month.", "kind")
	webhooksWaiting    = newFamily("webhook_deliveries_waiting", "Deliveries of webhooks that wait for a try.")
	webhookEndpoints   = newFamily("webhook_endpoints", "Endpoints of webhooks: enabled, disabled.", "state")
	databaseConns      = newFamily("database_connections", "Connections of a pool: in_use, idle.", "pool", "state")
	databaseMax        = newFamily("database_connections_max", "Connections that a pool may open; 0: any number.", "pool")
	databaseWaits      = newFamily("database_waits_total", "Times that work waited for a connection.", "pool")
	databaseWaited     = newFamily("database_wait_seconds_total", "Time that work waited for connections.", "pool")
	children           = newFamily("child_processes", "Child processes that stamp: busy, and how many there may be at most.", "state")
	ballast            = newFamily("ballast_bytes", "Space on the data folder's disk that is kept for revocations, scans and publication: held, and wanted. 0 held: it is in use.", "state")
	logDropped         = newFamily("log_lines_dropped_total", "Lines of the log that its reader did not take in time.")
	pending            = newFamily("history_pending", "Verifications that are not written to the history yet.")
)

// A Certificate is one of the TLS listener's.
type Certificate struct {
	Source  string    // file, or the name that it was ordered for
	Expires time.Time // zero: there is none yet
	Failing bool      // the last reading or order failed
}

var (
	certificateExpires = newFamily("tls_certificate_expiry_timestamp_seconds", "When the TLS certificate in use ends, by source: file, or the name that it was ordered for.", "source")
	certificateFailing = newFamily("tls_certificate_failing", "1: changed certificate files were not good, or an order failed; the certificate before stays in use.", "source")
)

func (s *sources) certificates(gauge sampler) {
	if s.Certificates == nil {
		return
	}
	for _, c := range s.Certificates() {
		if !c.Expires.IsZero() {
			gauge(certificateExpires, float64(c.Expires.Unix()), c.Source)
		}
		gauge(certificateFailing, truth(c.Failing), c.Source)
	}
}

// collect asks every source.
func (s *sources) collect(ctx context.Context, gauge, counter sampler) {
	ctx, cancel := context.WithTimeout(ctx, scrapeTimeout)
	defer cancel()
	s.publication(ctx, gauge)
	s.quotas(ctx, gauge)
	s.mails(ctx, gauge)
	s.asides(ctx, gauge)
	s.webhooks(ctx, gauge)
	s.certificates(gauge)
	s.health(ctx, gauge)
	if s.Lost != nil {
		for role, n := range s.Lost() {
			counter(childrenLost, float64(n), role)
		}
	}
	if s.Databases != nil {
		for pool, st := range s.Databases() {
			gauge(databaseConns, float64(st.InUse), pool, "in_use")
			gauge(databaseConns, float64(st.Idle), pool, "idle")
			gauge(databaseMax, float64(st.MaxOpenConnections), pool)
			counter(databaseWaits, float64(st.WaitCount), pool)
			counter(databaseWaited, st.WaitDuration.Seconds(), pool)
		}
	}
	if s.Children != nil {
		size, busy := s.Children()
		gauge(children, float64(busy), "busy")
		gauge(children, float64(size), "max")
	}
	if s.Ballast != nil {
		if held, wanted := s.Ballast(); wanted > 0 {
			gauge(ballast, float64(held), "held")
			gauge(ballast, float64(wanted), "wanted")
		}
	}
	if s.LogDropped != nil {
		counter(logDropped, float64(s.LogDropped()))
	}
	if s.Behind != nil {
		gauge(behind, float64(s.Behind()))
	}
	if s.Pending != nil {
		gauge(pending, float64(s.Pending()))
	}
}

func (s *sources) publication(ctx context.Context, gauge sampler) {
	p, ok := ask(ctx, s, "publication", s.Publication)
	if !ok {
		return
	}
	gauge(publicationWaiting, float64(p.Waiting))
	if !p.At.IsZero() {
		gauge(publicationAt, float64(p.At.UnixMilli())/1000)
		gauge(publicationExpires, float64(p.Expires.UnixMilli())/1000)
	}
}

func (s *sources) quotas(ctx context.Context, gauge sampler) {
	list, ok := ask(ctx, s, "quotas", s.Quotas)
	if !ok {
		return
	}
	for _, q := range list {
		gauge(quotaTenants, float64(q.Tenants), q.Kind, "any")
		gauge(quotaTenants, float64(q.Near), q.Kind, "80 percent")
		gauge(quotaTenants, float64(q.Full), q.Kind, "all")
		gauge(quotaUsed, float64(q.Used), q.Kind)
		gauge(quotaHighest, q.Highest, q.Kind)
	}
}

func (s *sources) webhooks(ctx context.Context, gauge sampler) {
	w, ok := ask(ctx, s, "webhooks", s.Webhooks)
	if !ok {
		return
	}
	gauge(webhooksWaiting, float64(w.Waiting))
	gauge(webhookEndpoints, float64(w.Enabled), "enabled")
	gauge(webhookEndpoints, float64(w.Disabled), "disabled")
}

// ask calls source, unless it is nil. ok is false without an answer.
func ask[T any](ctx context.Context, s *sources, part string, source func(context.Context) (T, error)) (v T, ok bool) {
	if source == nil {
		return v, false
	}
	v, err := source(ctx)
	if err != nil {
		s.fail(ctx, part, err)
	}
	return v, err == nil
}

func (s *sources) fail(ctx context.Context, part string, err error) {
	s.failed()
	s.log.ErrorContext(ctx, "read for metrics", slog.String("part", part), slog.Any("err", err))
}
