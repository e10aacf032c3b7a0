package records

import (
	"context"

	"tcode/offline/payload"
	"tcode/server/issue"
	"tcode/server/issue/batch"
	"tcode/server/issue/stamp"
	"tcode/server/issue/trustdoc"
	"tcode/server/tenant"
	"tcode/server/verify"
)

// documents is the kind of Trust documents.
type documents struct{ c Config }

func (documents) about() about {
	return about{
		Path: "/console/documents", Subject: batch.Documents, Prefix: payload.DocumentPrefix, Verified: verify.OfDocument,
		Statuses: []string{string(trustdoc.Active), string(trustdoc.Suspended), string(trustdoc.Revoked), string(trustdoc.Expired)},
		Actions:  []string{string(trustdoc.ActionSuspend), string(trustdoc.ActionReinstate), string(trustdoc.ActionExpire), string(trustdoc.ActionRevoke)},
	}
}

// filter returns q for the service.
func (k documents) filter(q query) trustdoc.Filter {
	f := trustdoc.Filter{
		Search: q.Search, TemplateID: q.Template, DocumentType: q.Type, From: q.from, To: q.to, TestOnly: q.Test == testOnly, LiveOnly: q.Test == liveOnly,
		OldestFirst: q.Sort == oldest, Page: q.Page, PageSize: q.size, After: q.after, Uncounted: q.uncounted,
	}
	if q.Status != "" {
		f.Statuses = []trustdoc.Status{trustdoc.Status(q.Status)}
	}
	return f
}

func (k documents) list(ctx context.Context, tenantRef string, q query) (out page, err error) {
	p, err := k.c.Documents.List(ctx, tenantRef, k.filter(q))
	for _, s := range p.Items {
		name := s.RecipientName
		if s.Title != "" {
			name = s.Title + ", " + name
		}
		out.Rows = append(out.Rows, row{
			ID: s.ID, Reference: s.Reference.String(), Status: shown(string(s.Status), s.Replaced), Name: name, Sub: s.ExternalID, Type: s.DocumentType,
			Created: s.CreatedAt, Updated: s.UpdatedAt, Expires: s.ExpiresAt, Test: s.Test, place: issue.Place{At: s.CreatedAt, ID: s.ID},
		})
	}
	out.Total, out.More = p.TotalCount, p.TotalIsLowerBound
	return out, err
}

func (k documents) choose(ctx context.Context, tenantRef string, q query, ids []string, action string) (issue.Choice, error) {
	if ids != nil {
		return pick(ctx, k, tenantRef, ids, action)
	}
	return k.c.Documents.Choose(ctx, tenantRef, k.filter(q), trustdoc.Action(action))
}

func (k documents) get(ctx context.Context, tenantRef, id string) (record, error) {
	s, err := k.c.Documents.Get(ctx, tenantRef, id)
	if err != nil {
		return record{}, err
	}
	name := s.RecipientName
	if s.Title != "" {
		name = s.Title + ", " + name
	}
	rec := record{
		row: row{
			ID: s.ID, Reference: s.Reference.String(), Status: shown(string(s.Status), s.ReplacedBy != ""), Name: name, Sub: s.ExternalID, Type: s.DocumentType,
			Created: s.CreatedAt, Updated: s.UpdatedAt, Expires: s.ExpiresAt, Test: s.Test,
		},
		Raw: s.Reference, Reason: s.Reason, Files: s.Files, Delivery: s.Delivery, Address: s.RecipientEmail, Replaces: s.Replaces, ReplacedBy: s.ReplacedBy,
		Warnings: s.Warnings, KeySeq: s.KeySeq, Issued: s.IssuedAt, SHA256: s.OriginalSHA256, Erased: s.ErasedAt, source: s,
	}
	if s.Stamp != nil {
		rec.StampRef, rec.SHA256 = s.Stamp.Reference.String(), s.Stamp.SHA256
	}
	for _, f := range s.Values {
		rec.Fields = append(rec.Fields, fact{Key: f.Key, Label: f.Key, Value: f.Value, Signed: true})
	}
	return rec, nil
}

// details adds to a record what its own screen shows beyond other ones.
func (k documents) details(ctx context.Context, tenantRef string, rec *record) error {
	events, err := k.c.Documents.Events(ctx, tenantRef, rec.ID)
	if err != nil {
		return err
	}
	for _, e := range events {
		rec.Events = append(rec.Events, event{string(e.Action), e.Reason, e.By, e.At})
	}
	s, _ := rec.source.(trustdoc.Document)
	t, err := k.c.Documents.Template(ctx, tenantRef, s.TemplateID)
	if isMissing(err) { // it was deleted since
		return nil
	}
	if err != nil {
		return err
	}
	rec.Template = t.Name
	for _, f := range t.Fields {
		for i := range rec.Fields {
			if rec.Fields[i].Key == f.Key {
				rec.Fields[i].Label = f.Label
			}
		}
	}
	return nil
}

func (documents) next(status, action string) (string, error) {
	to, err := trustdoc.Status(status).Next(trustdoc.Action(action))
	return string(to), err
}

func (k documents) act(ctx context.Context, id tenant.Identity, recordID, action, reason string) error {
	return k.c.Documents.Act(ctx, id, recordID, trustdoc.Action(action), reason)
}

func (k documents) templates(ctx context.Context, tenantRef string) (out []option, err error) {
	for n := 1; len(out) < mostOptions; n++ {
		p, err := k.c.Documents.Templates(ctx, tenantRef, trustdoc.TemplateFilter{Archived: true, Page: n, PageSize: stamp.MaxPageSize})
		if err != nil {
			return nil, err
		}
		for _, t := range p.Items {
			out = append(out, option{t.ID, t.Name})
		}
		if len(p.Items) < stamp.MaxPageSize {
			break
		}
	}
	return out, nil
}
