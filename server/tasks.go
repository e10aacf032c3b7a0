package server

import (
	"context"
	"slices"

	"tcode/server/console/operator"
	"tcode/server/fault"
	"tcode/server/issue/bulk"
	"tcode/server/platform/jobs"
	"tcode/server/tenant"
)

// Tasks returns background work: what is not over, and what ended its process.
func (g *Gateway) Tasks(ctx context.Context, f jobs.TaskFilter) ([]jobs.Task, error) {
	return g.db.Tasks(ctx, f, g.sharedNow())
}

// ListSetAside returns the items that were set aside, for the operator's console.
func (g *Gateway) ListSetAside(ctx context.Context, limit int) (out []operator.SetAside, err error) {
	list, err := g.Tasks(ctx, jobs.TaskFilter{State: jobs.SetAside, Limit: limit})
	for _, t := range list {
		out = append(out, operator.SetAside{ID: t.ID(), Kind: string(t.Kind), Tenant: t.Tenant, Input: t.Input, Reason: t.Reason, Since: t.Since, Own: g.handler(t.Kind).Own})
	}
	return out, err
}

// TasksOf returns the work called id and its items that ended their process, or the item alone.
// The fault is NOT_FOUND.
func (g *Gateway) TasksOf(ctx context.Context, id string) ([]jobs.Task, error) {
	t, err := g.db.Task(ctx, id)
	if err != nil {
		return nil, err
	}
	list, err := g.Tasks(ctx, jobs.TaskFilter{Kind: t.Kind, Subject: t.Subject, Limit: maxItems})
	if t.Item != "" {
		list = slices.DeleteFunc(list, func(x jobs.Task) bool { return x.Item != t.Item })
	}
	if err == nil && len(list) == 0 {
		err = fault.New(fault.NotFound, fault.CodeNotFound, "this work is over, and ended no process: %s", id)
	}
	return list, err
}

// maxItems is the most items of one subject in a list: the rows of a bulk job.
const maxItems = bulk.MaxRows

// CancelTask ends the work called id, or sets an item of it aside permanently, also while no
// gateway serves. What is in work ends soon. Faults: NOT_FOUND, INVALID_TRANSITION.
func (g *Gateway) CancelTask(ctx context.Context, id string) error {
	return g.changeTask(ctx, id, "work.cancel", func(t jobs.Task) error {
		if g.handler(t.Kind).Own {
			return fault.New(fault.Conflict, fault.CodeInvalidTransition, "this work is the gateway's own, and is not cancelled, only tried again: %s", id)
		}
		switch {
		case t.State == jobs.SetAside:
			return nil // it is over, and its record goes
		case t.Item != "" && t.Item != jobs.Failures:
			return g.handler(t.Kind).SetAside(ctx, t.Subject, t.Item, "an operator")
		}
		switch t.Kind {
		case jobs.Bulk:
			return g.Bulk.ChangeAny(ctx, t.Tenant, t.Subject, bulk.Cancel)
		case jobs.Batch:
			return g.Batches.StopAny(ctx, t.Tenant, t.Subject)
		case jobs.Webhook:
			_, err := g.Webhooks.Disable(ctx, t.Tenant, t.Subject)
			return err
		}
		return g.Delivery.Cancel(ctx, t.Subject)
	})
}

// RetryTask has the work called id done again: the rows of a bulk job that did not succeed, a
// record of an order, a delivery, a message, own work of the gateway. Faults: NOT_FOUND, INVALID_TRANSITION.
func (g *Gateway) RetryTask(ctx context.Context, id string) error {
	return g.changeTask(ctx, id, "work.retry", func(t jobs.Task) error {
		switch {
		case g.handler(t.Kind).Own:
			return nil // its record is all that holds it up
		case t.Kind == jobs.Bulk:
			return g.Bulk.ChangeAny(ctx, t.Tenant, t.Subject, bulk.Retry)
		case t.Kind == jobs.Batch:
			return g.Batches.Again(ctx, t.Tenant, t.Subject, t.Item)
		case t.Kind == jobs.Webhook && t.Item == "":
			_, err := g.Webhooks.Enable(ctx, t.Tenant, t.Subject)
			return err
		case t.Kind == jobs.Webhook:
			return g.Webhooks.Redeliver(ctx, t.Tenant, t.Item)
		}
		_, err := g.Delivery.Resend(ctx, t.Subject)
		return err
	})
}

// changeTask changes work on an operator's request, and forgets that it ended its process.
func (g *Gateway) changeTask(ctx context.Context, id, action string, change func(jobs.Task) error) error {
	t, err := g.db.Task(ctx, id)
	if err != nil {
		return err
	}
	if err := change(t); err != nil {
		return err
	}
	if err := g.db.ForgetTask(ctx, t); err != nil {
		return err
	}
	audit := tenant.NewEntry(ctx, t.Tenant, action, t.Subject, g.c.Now().UTC()).With("kind", string(t.Kind))
	if t.Item != "" {
		audit.With("item", t.Item)
	}
	return g.db.Record(ctx, audit)
}

// handler returns that of a kind.
func (g *Gateway) handler(kind jobs.Kind) (found jobs.Handler) {
	for _, h := range g.handlers() {
		if h.Kind == kind {
			found = h
		}
	}
	return found
}
