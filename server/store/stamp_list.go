package store

import (
	"context"

	"tcode/offline/payload"
	"tcode/server/issue/stamp"
)

var stampsListed = listed{
	rows: "stamps", fields: "stamp_fields", words: "stamp_words", owner: "stamp_id",
	templates: []string{"placement_template_id", "tdoc_template_id"}, statuses: 3,
}

const summaryColumns = "s.id, s.reference, s.status, s.name, s.document_type, s.created_at, s.test, s.external_id, s.updated_at, s.erased_at, s.replaced_by <> '', s.document <> ''"

// Stamps returns one page of a tenant's stamps.
func (d *DB) Stamps(ctx context.Context, tenantRef string, f stamp.Filter) (stamp.Page, error) {
	p := stamp.Page{Page: f.Page, PageSize: f.PageSize}
	err := d.read(ctx, tenantRef, func(q queryer) error {
		l, err := planList(ctx, q, stampsListed, tenantRef, stampFilter(f))
		if err != nil {
			return err
		}
		p.Items, p.TotalCount, p.TotalIsLowerBound, err = listPage(ctx, d, q, l, summaryColumns, scanSummary, usageVersion(ctx, q, tenantRef))
		return err
	})
	return p, wrap(err, "list stamps")
}

func stampFilter(f stamp.Filter) listFilter {
	out := listFilter{
		search: f.Search, templateID: f.TemplateID, statuses: words(f.Statuses), from: f.From, to: f.To,
		fieldName: f.FieldName, fieldValue: f.FieldValue, page: f.Page, pageSize: f.PageSize, testOnly: f.TestOnly, liveOnly: f.LiveOnly,
		documentType: f.DocumentType, after: f.After, uncounted: f.Uncounted,
	}
	out.references, out.oldestFirst = referenceRange(f.Search, payload.StampPrefix), f.OldestFirst
	return out
}

// MatchingStamps returns the stamps of f, at most limit.
func (d *DB) MatchingStamps(ctx context.Context, tenantRef string, f stamp.Filter, limit int) (found []stamp.Summary, err error) {
	err = d.read(ctx, tenantRef, func(q queryer) error {
		l, err := planList(ctx, q, stampsListed, tenantRef, stampFilter(f))
		if err != nil {
			return err
		}
		found, err = matching(ctx, q, l, summaryColumns, limit, scanSummary)
		return err
	})
	return found, wrap(err, "look for matching stamps")
}

// words returns a domain's words as arguments.
func words[S ~string](in []S) []string {
	out := make([]string, len(in))
	for i, w := range in {
		out[i] = string(w)
	}
	return out
}

func scanSummary(r scanner) (s stamp.Summary, err error) {
	var reference []byte
	var created, updated, erased int64
	err = r.Scan(&s.ID, &reference, &s.Status, &s.Name, &s.DocumentType, &created, &s.Test, &s.ExternalID, &updated, &erased, &s.Replaced, &s.Owned)
	copy(s.Reference[:], reference)
	s.CreatedAt, s.UpdatedAt, s.ErasedAt = fromMS(created), fromMS(updated), fromMS(erased)
	if erased != 0 {
		s.Name = ""
	}
	return s, err
}

// live excludes test documents, if requested. It never drives: nearly all rows are
// live.
func (l list) live() list {
	if l.f.liveOnly {
		l.others = append(l.others, filter{holds: func(_ *args, s string) string { return s + ".test = 0" }})
	}
	return l
}
