package records

import (
	"context"

	"tcode/offline/payload"
	"tcode/server/fault"
	"tcode/server/issue"
	"tcode/server/issue/batch"
	"tcode/server/issue/stamp"
	"tcode/server/tenant"
	"tcode/server/verify"
)

// stamps is the kind of stamps.
type stamps struct{ c Config }

func (stamps) about() about {
	return about{
		Path: "/console/stamps", Subject: batch.Stamps, Prefix: payload.StampPrefix, Verified: verify.OfStamp,
		Statuses: []string{string(stamp.Active), string(stamp.Suspended), string(stamp.Revoked)},
		Actions:  []string{string(stamp.ActionSuspend), string(stamp.ActionReactivate), string(stamp.ActionRevoke)},
	}
}

// filter returns q for the service.
func (k stamps) filter(q query) stamp.Filter {
	f := stamp.Filter{
		Search: q.Search, TemplateID: q.Template, DocumentType: q.Type, From: q.from, To: q.to, TestOnly: q.Test == testOnly, LiveOnly: q.Test == liveOnly,
		OldestFirst: q.Sort == oldest, Page: q.Page, PageSize: q.size, After: q.after, Uncounted: q.uncounted,
	}
	if q.Status != "" {
		f.Statuses = []stamp.Status{stamp.Status(q.Status)}
	}
	return f
}

func (k stamps) list(ctx context.Context, tenantRef string, q query) (out page, err error) {
	p, err := k.c.Stamps.List(ctx, tenantRef, k.filter(q))
	for _, s := range p.Items {
		out.Rows = append(out.Rows, row{
			ID: s.ID, Reference: s.Reference.String(), Status: shown(string(s.Status), s.Replaced), Name: s.Name, Sub: s.ExternalID, Type: s.DocumentType,
			Created: s.CreatedAt, Updated: s.UpdatedAt, Test: s.Test, Owned: s.Owned, place: issue.Place{At: s.CreatedAt, ID: s.ID},
		})
	}
	out.Total, out.More = p.TotalCount, p.TotalIsLowerBound
	return out, err
}

func (k stamps) choose(ctx context.Context, tenantRef string, q query, ids []string, action string) (issue.Choice, error) {
	if ids != nil {
		return pick(ctx, k, tenantRef, ids, action)
	}
	return k.c.Stamps.Choose(ctx, tenantRef, k.filter(q), stamp.Action(action))
}

func (k stamps) get(ctx context.Context, tenantRef, id string) (record, error) {
	s, err := k.c.Stamps.Get(ctx, tenantRef, id)
	if err != nil {
		return record{}, err
	}
	rec := record{
		row: row{
			ID: s.ID, Reference: s.Reference.String(), Status: shown(string(s.Status), s.ReplacedBy != ""), Name: s.Name, Sub: s.ExternalID, Type: s.DocumentType,
			Created: s.CreatedAt, Updated: s.UpdatedAt, Expires: s.ExpiresAt, Test: s.Test, Owned: s.Document != "",
		},
		Raw: s.Reference, Reason: s.Reason, Files: k.c.Stamps.AllFiles(s), Delivery: s.Delivery, Replaces: s.Replaces, ReplacedBy: s.ReplacedBy, Document: s.Document,
		Warnings: s.Warnings, KeySeq: s.KeySeq, Issued: s.IssuedAt, SHA256: s.StampedSHA256, Erased: s.ErasedAt, source: s,
		Symbol: &symbol{Modules: s.Barcode.Modules, SizeMM: s.Barcode.SizeMM, Page: s.Page},
	}
	if s.Grade != nil {
		rec.Symbol.Grade, rec.Symbol.DPI = string(s.Grade.Letter), s.Grade.ReadsAtDPI
	}
	signed := map[string]bool{}
	for _, f := range s.Fields {
		signed[f.Key] = true
	}
	for _, f := range s.Values {
		rec.Fields = append(rec.Fields, fact{Key: f.Key, Label: f.Key, Value: f.Value, Signed: signed[f.Key]})
		if s.Delivery != nil && s.Delivery.Field == f.Key {
			rec.Address = f.Value
		}
	}
	return rec, nil
}

// details adds to a record what its own screen shows beyond other ones.
func (k stamps) details(ctx context.Context, tenantRef string, rec *record) error {
	events, err := k.c.Stamps.Events(ctx, tenantRef, rec.ID)
	if err != nil {
		return err
	}
	for _, e := range events {
		rec.Events = append(rec.Events, event{string(e.Action), e.Reason, e.By, e.At})
	}
	s, _ := rec.source.(stamp.Stamp)
	if s.TdocTemplateID == "" {
		return nil
	}
	t, err := k.c.Templates.OfStamp(ctx, tenantRef, s.TdocTemplateID)
	if err != nil {
		return err
	}
	rec.Template = t.Name
	for _, f := range t.Fields() {
		for i := range rec.Fields {
			if rec.Fields[i].Key == f.Key {
				rec.Fields[i].Label = f.Label
			}
		}
	}
	return nil
}

func (stamps) next(status, action string) (string, error) {
	to, err := stamp.Status(status).Next(stamp.Action(action))
	return string(to), err
}

func (k stamps) act(ctx context.Context, id tenant.Identity, recordID, action, reason string) error {
	return k.c.Stamps.Act(ctx, id, recordID, stamp.Action(action), reason)
}

func (k stamps) templates(ctx context.Context, tenantRef string) (out []option, err error) {
	ts, err := k.c.Templates.List(ctx, tenantRef, true)
	if err != nil {
		return nil, err
	}
	for _, t := range ts {
		out = append(out, option{t.ID, t.Name})
	}
	ps, err := k.c.Placements.List(ctx, tenantRef)
	for _, p := range ps {
		out = append(out, option{p.ID, p.Name})
	}
	return out[:min(len(out), mostOptions)], err
}

// mostOptions is the number of templates in the list of a filter.
const mostOptions = 200

// isMissing reports whether a record is not the tenant's.
func isMissing(err error) bool { return fault.Is(err, fault.NotFound) }
