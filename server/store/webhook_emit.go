package store

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"tcode/offline/dates"
	"tcode/offline/payload"
	"tcode/server/issue/bulk"
	"tcode/server/issue/stamp"
	"tcode/server/issue/trustdoc"
	"tcode/server/outbound/webhook"
	"tcode/server/tenant"
)

// emit stores deliveries of an event for the tenant's endpoints that want it, in the
// transaction of the effect. It calls data only if there are any.
func emit(ctx context.Context, q queryer, tenantRef string, t webhook.EventType, at time.Time, data func() (any, error)) error {
	type endpoint struct {
		id     string
		events webhook.Filter
	}
	endpoints, err := all(ctx, q, func(r scanner) (e endpoint, err error) {
		var events []byte
		if err := r.Scan(&e.id, &events); err != nil {
			return e, err
		}
		return e, json.Unmarshal(events, &e.events)
	}, `SELECT id, events FROM webhooks WHERE tenant = $1 AND state = 'enabled'`, tenantRef)
	if err != nil {
		return fmt.Errorf("look for webhooks: %w", err)
	}
	in, body := insertion{into: `webhook_deliveries (tenant, id, endpoint, type, body, state, due_at, created_at)`}, ""
	for _, e := range endpoints {
		if !e.events.Wants(t) {
			continue
		}
		if body == "" {
			if body, err = eventBody(tenantRef, t, at, data); err != nil {
				return err
			}
		}
		id, err := uuid.NewV7()
		if err != nil {
			return err
		}
		in.row(tenantRef, id.String(), e.id, string(t), body, string(webhook.Waiting), ms(at), ms(at))
	}
	return in.exec(ctx, q)
}

func eventBody(tenantRef string, t webhook.EventType, at time.Time, data func() (any, error)) (string, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return "", err
	}
	d, err := data()
	if err != nil {
		return "", fmt.Errorf("data of event %s: %w", t, err)
	}
	return webhook.Event{ID: id.String(), Type: t, CreatedAt: at, TenantReference: tenantRef, Data: d}.Body()
}

// stampEvents are the events of a stamp's history.
var stampEvents = map[stamp.Action]webhook.EventType{
	stamp.ActionCreate: webhook.StampCreated, stamp.ActionSuspend: webhook.StampSuspended, stamp.ActionReactivate: webhook.StampReactivated,
	stamp.ActionRevoke: webhook.StampRevoked, stamp.ActionReplace: webhook.StampReplaced,
}

// emitStamp sends an event of a stamp whose row is stored already.
func emitStamp(ctx context.Context, q queryer, tenantRef, id string, ev stamp.Event) error {
	t, ok := stampEvents[ev.Action]
	if !ok {
		return fmt.Errorf("no event for %q of a stamp", ev.Action)
	}
	return emit(ctx, q, tenantRef, t, ev.At, func() (any, error) {
		x := webhook.StampData{ID: id, Status: string(ev.To), PreviousStatus: webhook.OrNull(string(ev.From)), Reason: webhook.OrNull(ev.Reason)}
		var raw []byte
		var external, replacedBy, document string
		err := q.QueryRowContext(ctx, `SELECT reference, external_id, replaced_by, document, test FROM stamps WHERE tenant = $1 AND id = $2`, tenantRef, id).
			Scan(&raw, &external, &replacedBy, &document, &x.Test)
		var ref payload.Reference
		copy(ref[:], raw)
		x.Reference, x.ExternalID, x.ReplacedBy, x.Document = ref.String(), webhook.OrNull(external), webhook.OrNull(replacedBy), webhook.OrNull(document)
		return x, err
	})
}

// documentEvents are the events of a document's history.
var documentEvents = map[trustdoc.Action]webhook.EventType{
	trustdoc.ActionIssue: webhook.DocumentIssued, trustdoc.ActionSuspend: webhook.DocumentSuspended, trustdoc.ActionReinstate: webhook.DocumentReactivated,
	trustdoc.ActionRevoke: webhook.DocumentRevoked, trustdoc.ActionReplace: webhook.DocumentReplaced, trustdoc.ActionExpire: webhook.DocumentExpired,
}

// emitDocument sends an event of a document whose row is stored already.
func emitDocument(ctx context.Context, q queryer, tenantRef, id string, ev trustdoc.Event) error {
	t, ok := documentEvents[ev.Action]
	if !ok {
		return fmt.Errorf("no event for %q of a document", ev.Action)
	}
	return emit(ctx, q, tenantRef, t, ev.At, func() (any, error) {
		x := webhook.DocumentData{ID: id, Status: string(ev.To), PreviousStatus: webhook.OrNull(string(ev.From)), Reason: webhook.OrNull(ev.Reason)}
		var raw, ofStamp []byte
		var external, replacedBy string
		var expires int64
		err := q.QueryRowContext(ctx, `SELECT reference, external_id, replaced_by, template_id, stamp_reference, test, expires_at FROM documents WHERE tenant = $1 AND id = $2`, tenantRef, id).
			Scan(&raw, &external, &replacedBy, &x.TemplateID, &ofStamp, &x.Test, &expires)
		var ref trustdoc.Reference
		copy(ref[:], raw)
		x.Reference, x.ExternalID, x.ReplacedBy = ref.String(), webhook.OrNull(external), webhook.OrNull(replacedBy)
		if end := fromMS(expires); !end.IsZero() {
			x.ExpiresAt, x.ExpiresOn = &end, webhook.OrNull(dates.LastOn(end))
		}
		if len(ofStamp) > 0 {
			var s payload.Reference
			copy(s[:], ofStamp)
			x.StampReference = webhook.OrNull(s.String())
		}
		return x, err
	})
}

// bulkEvents are the events of a bulk job's ends.
var bulkEvents = map[bulk.Status]webhook.EventType{
	bulk.Completed: webhook.BulkCompleted, bulk.CompletedWithErrors: webhook.BulkCompleted, bulk.Failed: webhook.BulkFailed, bulk.Cancelled: webhook.BulkCancelled,
}

// emitBulk sends the event of a job's end, after everything else about it is stored. It
// does nothing for a job that is not over.
func emitBulk(ctx context.Context, q queryer, tenantRef, id string, to bulk.Status, at time.Time) error {
	t, ok := bulkEvents[to]
	if !ok {
		return nil
	}
	return emit(ctx, q, tenantRef, t, at, func() (any, error) {
		j, err := scanBulk(q.QueryRowContext(ctx, `SELECT `+bulkColumns+` FROM bulk_jobs WHERE tenant = $1 AND id = $2`, tenantRef, id))
		return webhook.BulkData{
			ID: id, Product: string(j.Product), Status: string(to), DryRun: j.DryRun, Test: j.Test,
			Total: j.Counts.Total, Succeeded: j.Counts.Succeeded, Failed: j.Counts.Failed, Skipped: j.Counts.Skipped,
		}, err
	})
}

// emitRotated sends an event if another key of a tenant begins to
// sign.
func emitRotated(ctx context.Context, q queryer, tenantRef string, have, put []tenant.SigningKey, at time.Time) error {
	signing := func(ks []tenant.SigningKey) *tenant.SigningKey {
		for i := range ks {
			if ks[i].State == tenant.KeySigning {
				return &ks[i]
			}
		}
		return nil
	}
	was, is := signing(have), signing(put)
	if is == nil || was != nil && was.Seq == is.Seq {
		return nil
	}
	return emit(ctx, q, tenantRef, webhook.KeyRotated, at, func() (any, error) {
		x := webhook.KeyData{KeyID: is.ID(), Algorithm: is.Public.Algorithm().String(), ValidFrom: is.ValidFrom.UTC()}
		if was != nil {
			x.PreviousKeyID = webhook.OrNull(was.ID())
			for _, k := range put {
				if k.Seq == was.Seq {
					x.PreviousState = webhook.OrNull(string(k.State))
				}
			}
		}
		return x, nil
	})
}
