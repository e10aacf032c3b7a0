package server

import (
	"context"
	"net/http"

	"tcode/server/metrics"
	"tcode/server/tenant"
)

// watchHandler is what whoever watches the gateway asks: metrics, and the two
// health pages, which still answer there while the gateway drains.
func (g *Gateway) watchHandler(api http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", g.metrics.Handler(metrics.Sources{
		Publication: g.publication, Quotas: g.quotas, Webhooks: g.db.WebhookUse, Databases: g.db.Pools, Children: g.pool.Stats, Pending: g.Verify.Pending, Mails: g.waitingMails,
	}, g.c.Log))
	mux.Handle("GET /healthz", api)
	mux.Handle("GET /readyz", api)
	return mux
}

func (g *Gateway) publication(ctx context.Context) (metrics.Publication, error) {
	h, err := g.db.Head(ctx)
	p := metrics.Publication{Waiting: h.Wanted - h.Published, At: h.At, Expires: h.Bundle.Expires}
	if h.Status.Expires.Before(p.Expires) {
		p.Expires = h.Status.Expires
	}
	return p, err
}

func (g *Gateway) quotas(ctx context.Context) ([]metrics.Quota, error) {
	return g.db.QuotaUse(ctx, tenant.MonthOf(g.c.Now()))
}
