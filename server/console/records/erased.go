package records

import (
	"context"
	"time"

	"tcode/server/account"
	"tcode/server/fault"
	"tcode/server/issue/batch"
	"tcode/server/privacy"
	"tcode/server/tenant"
)

// Erasures says how far the erasure of a record is. Package privacy implements it.
type Erasures interface {
	Erasure(ctx context.Context, tenantRef, id string) (privacy.Erasure, error)
}

// Log has the audit log, which says who erased a record. Package tenant implements it.
type Log interface {
	Audit(ctx context.Context, f tenant.AuditFilter) ([]tenant.Entry, error)
}

// erasedView is the erasure of a record.
type erasedView struct {
	At   time.Time
	By   string // "": the document that owns the stamp was erased, or the operator did it
	Done bool   // no copy is left that the gateway can reach
}

// subjects are the subjects of an erasure.
var subjects = map[batch.Subject]privacy.Subject{batch.Stamps: privacy.Stamp, batch.Documents: privacy.Document}

// erasure adds what was erased of a record, or where it can be erased.
func (d *desk) erasure(ctx context.Context, v account.Visit, view *oneView, authors map[string]string) error {
	rec, ref, of := view.R, v.Tenant.Reference, subjects[view.Kind.Subject]
	if rec.Erased.IsZero() {
		if d.Leads("/console/privacy", v) != "" && v.May(account.Manage) && rec.Document == "" {
			view.Erase = "/console/privacy/erase/" + string(of) + "/" + rec.ID
		}
		return nil
	}
	view.Erased = &erasedView{At: rec.Erased, Done: true}
	if rec.Document != "" { // its document has the erasure
		return nil
	}
	e, err := d.c.Erasures.Erasure(ctx, ref, rec.ID)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return err
	}
	view.Erased.Done = e.Step == privacy.StepDone
	log, err := d.c.Log.Audit(ctx, tenant.AuditFilter{Tenant: ref, Action: privacy.ActionErase(of), Subject: rec.ID, Limit: 1})
	for _, entry := range log {
		author := entry.By.Name
		if entry.By.Actor == tenant.ActorUser {
			author = tenant.Identity{User: entry.By.Name}.Author()
		}
		view.Erased.By = named(authors, author)
	}
	return err
}
