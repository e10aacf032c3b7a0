package server

import (
	"context"
	"fmt"
	"log/slog"
	"time"

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
		Store: g.db, Blobs: g.files, Author: g.Accounts.Author, Spool: g.spool, Hold: g.c.Hold, Outage: g.outage, Now: g.sharedNow, Log: g.c.Log,
		Makers: map[bulk.Product]bulk.Maker{
			bulk.TCode: bulk.ForStamps(g.Stamps, g.Templates, g.Placements),
			bulk.Trust: bulk.ForDocuments(g.Documents, g.c.Now),
		},
	})
}

// newBatches makes the service of orders that change many records.
func (g *Gateway) newBatches() *batch.Service {
	return batch.New(batch.Config{
		Store: g.db, Author: g.Accounts.Author, Hold: g.c.Hold, Outage: g.outage, Now: g.sharedNow,
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

// rowQuiet is the longest time without a sign of progress of a bulk job: longer than that of a
// row.
const rowQuiet = 12 * time.Minute

// handlers do the work that requests leave for later.
func (g *Gateway) handlers() []jobs.Handler {
	return append([]jobs.Handler{
		{
			Kind: jobs.Bulk, AtOnce: bulkAtOnce, Timeout: -1, Work: g.Bulk.Run, Due: g.Bulk.Wake, Every: hold.Look,
			SetAside: g.Bulk.SetAside, Free: g.Bulk.Free, Quiet: rowQuiet,
		},
		g.webhookHandler(),
		{
			Kind: jobs.Batch, AtOnce: 2, Timeout: -1, Work: g.Batches.Run, Due: g.Batches.Wake, Every: hold.Look,
			SetAside: g.Batches.SetAside, Free: g.Batches.Free,
		},
		{Kind: jobs.Publication, Own: true, Always: true, Work: g.Publisher.Do, Quiet: publicationQuiet},
		{Kind: jobs.Privacy, Own: true, Work: g.Privacy.Do, Quiet: privacyQuiet},
		{Kind: jobs.Expiry, Own: true, Work: func(ctx context.Context, _ string) error {
			_, err := g.Documents.Sweep(ctx)
			return err
		}},
	}, g.mailHandlers()...)
}

// publicationQuiet is the longest time of a publication: a million changed entries take seconds.
const publicationQuiet = 3 * time.Minute

// privacyQuiet is the longest time of a part of an erasure, which is a small transaction.
const privacyQuiet = 6 * time.Minute

// apart returns the way to have own work of a kind done: by the runner of the serving gateway, or
// in this process for a command.
func (g *Gateway) apart(kind jobs.Kind) func(ctx context.Context, subject string) error {
	return func(ctx context.Context, subject string) error {
		if r := g.runner.Load(); r != nil {
			return r.Do(ctx, kind, subject)
		}
		return g.handler(kind).Work(ctx, subject)
	}
}

// background makes their runner.
func (g *Gateway) background() (*jobs.Runner, error) {
	db, engine := g.db.Background()
	handlers := g.handlers()
	for _, h := range handlers {
		g.metrics.Background(string(h.Kind), 0)
	}
	return jobs.NewRunner(jobs.Config{
		DB: db, Engine: engine, Log: g.c.Log, Handlers: handlers, Apart: g.c.Apart, ApartMemory: g.c.ApartMemory, Now: g.sharedNow,
		Failed: func(kind jobs.Kind) { g.metrics.Background(string(kind), 1) },
	})
}

// runBackground works until ctx ends, and then waits until running work reaches a safe
// point.
func (g *Gateway) runBackground(ctx context.Context) error {
	r := g.runner.Load()
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
