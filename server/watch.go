package server

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"tcode/offline/contain"
	"tcode/server/platform/durable"
	"tcode/server/platform/metrics"
	"tcode/server/store"
	"tcode/server/tenant"
)

// WatchHandler serves metrics, and the two health pages of api, which still
// answer there while the gateway drains.
func (g *Gateway) WatchHandler(api http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", g.metrics.Handler(metrics.Sources{
		Publication: g.publication, Quotas: g.quotas, Webhooks: g.db.WebhookUse, Databases: g.db.Pools, Children: g.pool.Stats, Pending: g.Verify.Pending, Mails: g.waitingMails, SetAside: g.db.CountSetAside, Ballast: g.ballast.Bytes,
		LogDropped: g.c.LogDropped, Certificates: g.certificates, Ready: g.ready, Health: g.health, Lost: g.lostChildren, Behind: contain.Behind,
	}, g.c.Log))
	mux.Handle("GET /healthz", api)
	mux.Handle("GET /readyz", api)
	return mux
}

// recordFaults has the faults that the process contains logged and counted.
func (g *Gateway) recordFaults() {
	contain.Observe(func(e contain.Event) {
		contain.Log(g.c.Log, e)
		kind := metrics.FaultPanic
		if errors.Is(e.Err, contain.ErrHung) {
			kind = metrics.FaultHang
		}
		g.metrics.Contained(e.Name, kind)
	})
}

// readClockEvery is the interval of comparing this machine's clock with the database's.
const readClockEvery = time.Minute

// far is the distance of clocks that an operator should hear about: receipts, expiries and
// published documents have the time of their gateway.
const far = 5 * time.Second

// sharedNow is the clock of holds: that of the database's machine, which all gateways share,
// so that a gateway with another time neither takes the work of others nor loses its own.
func (g *Gateway) sharedNow() time.Time {
	if g.ownClock {
		return g.c.Now().Add(g.db.Ahead())
	}
	return g.c.Now()
}

// watchClock compares the clocks until ctx is done.
func (g *Gateway) watchClock(ctx context.Context) error {
	tick := time.NewTicker(readClockEvery)
	defer tick.Stop()
	for {
		if ahead := g.db.Ahead(); ahead.Abs() > far {
			g.c.Log.WarnContext(ctx, "the clock of the database's machine differs from this machine's: set one of them", slog.Int64("ahead_ms", ahead.Milliseconds()))
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		if err := g.db.ReadClock(ctx); err != nil {
			g.c.Log.DebugContext(ctx, "read the database's clock", slog.Any("err", err))
		}
	}
}

// lookEvery is the interval for checking that the database still exists. Meanwhile no
// change is accepted, but answers may come from the deleted file.
const lookEvery = 500 * time.Millisecond

// schemaEvery is the number of these checks between two of the schema.
const schemaEvery = 10

// watchDatabase ends with an error when the database is no longer where it was
// opened, or when a newer program has updated its schema.
func (g *Gateway) watchDatabase(ctx context.Context) error {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for n := 1; ; n++ {
		err := g.db.CheckFiles()
		if err == nil && n%schemaEvery == 0 {
			if err = g.db.CheckSchema(ctx); !errors.Is(err, store.ErrNewerSchema) {
				err = nil // an outage of the database ends elsewhere
			}
		}
		if err != nil {
			g.c.Log.ErrorContext(ctx, "the gateway ends", slog.Any("err", err))
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

func (g *Gateway) publication(ctx context.Context) (metrics.Publication, error) {
	h, err := g.db.Head(ctx)
	p := metrics.Publication{Waiting: h.Wanted - h.Published, At: h.At, Expires: h.Bundle.Expires}
	if h.Status.Expires.Before(p.Expires) {
		p.Expires = h.Status.Expires
	}
	return p, err
}

// maintenance is what the audit log says of maintenance, read once a minute at most.
type maintenance struct {
	mu           sync.Mutex
	read         time.Time
	backup, fsck time.Time
}

// health returns what an operator must renew or look at.
func (g *Gateway) health(ctx context.Context) (h metrics.Health, err error) {
	a, err := g.Publisher.Authority(ctx)
	if err != nil {
		return h, err
	}
	h.RootExpires, h.OnlineKeyHeld = a.Root.Expires, a.OnlineHeld
	if h.Free, h.Size, err = durable.Free(g.c.Data); err != nil {
		h.Free, h.Size = 0, 0
	}
	m := &g.maintenance
	m.mu.Lock()
	defer m.mu.Unlock()
	if time.Since(m.read) >= time.Minute {
		backup, err := g.lastRun(ctx, ActionBackup)
		if err != nil {
			return h, err
		}
		fsck, err := g.lastRun(ctx, ActionFsck)
		if err != nil {
			return h, err
		}
		m.read, m.backup, m.fsck = time.Now(), backup.At, fsck.At
	}
	h.Backup, h.Fsck = m.backup, m.fsck
	return h, nil
}

// lostChildren counts the child processes that ended before their time.
func (g *Gateway) lostChildren() map[string]uint64 {
	return map[string]uint64{"stamp": g.pool.Replaced(), "picture": g.pictures.Replaced()}
}

func (g *Gateway) quotas(ctx context.Context) ([]metrics.Quota, error) {
	return g.db.QuotaUse(ctx, tenant.MonthOf(g.c.Now()))
}
