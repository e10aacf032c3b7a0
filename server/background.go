package server

import (
	"context"
	"fmt"
	"log/slog"

	"tcode/server/issue/batch"
	"tcode/server/issue/bulk"
	"tcode/server/issue/stamp"
	"tcode/server/issue/trustdoc"
	"tcode/server/platform/hold"
	"tcode/server/platform/jobs"
	"tcode/server/tenant"
)

// newBulk makes the service of bulk jobs.
func (g *Gateway) newBulk() *bulk.Service {
	return bulk.New(bulk.Config{
		Store: g.db, Blobs: g.files, Tenants: g.Tenants, Spool: g.spool, Hold: g.c.Hold, Now: g.sharedNow, Log: g.c.Log,
		Makers: map[bulk.Product]bulk.Maker{
			bulk.TCode: bulk.ForStamps(g.Stamps, g.Templates, g.Placements),
			bulk.Trust: bulk.ForDocuments(g.Documents, g.c.Now),
		},
	})
}

// newBatches makes the service of orders that change many records.
func (g *Gateway) newBatches() *batch.Service {
	return batch.New(batch.Config{
		Store: g.db, Tenants: g.Tenants, Hold: g.c.Hold, Now: g.sharedNow,
		Acts: map[batch.Subject]batch.Act{
			batch.Stamps: func(ctx context.Context, id tenant.Identity, record, action, reason string) error {
				return g.Stamps.Act(ctx, id, record, stamp.Action(action), reason)
			},
			batch.Documents: func(ctx context.Context, id tenant.Identity, record, action, reason string) error {
				return g.Documents.Act(ctx, id, record, trustdoc.Action(action), reason)
			},
		},
	})
}

// bulkAtOnce is the number of bulk jobs that a gateway works on concurrently: a small one
// need not wait for a large one, and the rows of each are made concurrently.
const bulkAtOnce = 2

// background makes the runner of the work that requests leave for later.
func (g *Gateway) background() (*jobs.Runner, error) {
	db, engine := g.db.Background()
	handlers := []jobs.Handler{
		{Kind: jobs.Bulk, AtOnce: bulkAtOnce, Timeout: -1, Work: g.Bulk.Run, Due: g.Bulk.Wake, Every: hold.Look},
		g.webhookHandler(),
		{Kind: jobs.Batch, AtOnce: 2, Timeout: -1, Work: g.Batches.Run, Due: g.Batches.Wake, Every: hold.Look},
	}
	handlers = append(handlers, g.mailHandlers()...)
	for _, h := range handlers {
		g.metrics.Background(string(h.Kind), 0)
	}
	return jobs.NewRunner(jobs.Config{DB: db, Engine: engine, Log: g.c.Log, Handlers: handlers, Failed: func(kind jobs.Kind) { g.metrics.Background(string(kind), 1) }})
}

// runBackground works until ctx ends, and then waits until running work reaches a safe
// point.
func (g *Gateway) runBackground(ctx context.Context) error {
	r, err := g.background()
	if err != nil {
		return err
	}
	if err := r.Start(ctx); err != nil {
		return err
	}
	<-ctx.Done()
	g.c.Log.DebugContext(ctx, "background work ends", slog.Int64("drain_ms", g.c.Drain.Milliseconds()))
	// A row is finished and its job released: more waiting is not needed.
	end, cancel := context.WithCancel(context.WithoutCancel(ctx))
	cancel()
	if err := r.Stop(end); err != nil {
		return fmt.Errorf("end background work: %w", err)
	}
	return nil
}
