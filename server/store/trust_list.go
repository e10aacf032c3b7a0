package store

import (
	"context"
	"fmt"
	"slices"
	"time"

	"tcode/offline/payload"
	"tcode/server/issue/stamp"
	"tcode/server/issue/trustdoc"
)

var documentsListed = listed{
	rows: "documents", fields: "document_fields", words: "document_words", owner: "document_id",
	templates: []string{"template_id"}, statuses: 4,
}

const documentSummary = "s.id, s.reference, s.status, s.recipient_name, s.title, s.template_id, s.document_type, s.external_id, s.expires_at, s.created_at, s.test, s.updated_at, s.erased_at, s.replaced_by <> ''"

// Documents returns one page of a tenant's documents.
func (d *DB) Documents(ctx context.Context, tenantRef string, f trustdoc.Filter) (trustdoc.Page, error) {
	p := trustdoc.Page{Page: f.Page, PageSize: f.PageSize}
	err := d.read(ctx, tenantRef, func(q queryer) error {
		l, err := planList(ctx, q, documentsListed, tenantRef, documentFilter(f))
		if err != nil {
			return err
		}
		version := usageVersion(ctx, q, tenantRef)
		if len(f.Statuses) > 0 {
			version = nil // time changes a status, and no plan counts that
		}
		p.Items, p.TotalCount, p.TotalIsLowerBound, err = listPage(ctx, d, q, l, documentSummary, scanDocumentSummary, version)
		return err
	})
	return p, wrap(err, "list documents")
}

func documentFilter(f trustdoc.Filter) listFilter {
	out := listFilter{
		search: f.Search, templateID: f.TemplateID, statuses: words(f.Statuses), from: f.From, to: f.To,
		fieldName: f.FieldName, fieldValue: f.FieldValue, page: f.Page, pageSize: f.PageSize, testOnly: f.TestOnly, liveOnly: f.LiveOnly,
		documentType: f.DocumentType, after: f.After, uncounted: f.Uncounted,
	}
	out.references, out.oldestFirst = referenceRange(f.Search, payload.DocumentPrefix), f.OldestFirst
	return out
}

func scanDocumentSummary(r scanner) (s trustdoc.Summary, err error) {
	var reference []byte
	var expires, created, updated, erased int64
	err = r.Scan(&s.ID, &reference, &s.Status, &s.RecipientName, &s.Title, &s.TemplateID, &s.DocumentType, &s.ExternalID, &expires, &created, &s.Test, &updated, &erased, &s.Replaced)
	copy(s.Reference[:], reference)
	s.ExpiresAt, s.CreatedAt, s.UpdatedAt, s.ErasedAt = fromMS(expires), fromMS(created), fromMS(updated), fromMS(erased)
	if erased != 0 {
		s.RecipientName = ""
	}
	return s, err
}

// MatchingDocuments returns the documents of f, at most limit.
func (d *DB) MatchingDocuments(ctx context.Context, tenantRef string, f trustdoc.Filter, limit int) (found []trustdoc.Summary, err error) {
	err = d.read(ctx, tenantRef, func(q queryer) error {
		l, err := planList(ctx, q, documentsListed, tenantRef, documentFilter(f))
		if err != nil {
			return err
		}
		found, err = matching(ctx, q, l, documentSummary, limit, scanDocumentSummary)
		return err
	})
	return found, wrap(err, "look for matching documents")
}

// DuplicateDocuments returns documents that match q, one for each kind of match.
func (d *DB) DuplicateDocuments(ctx context.Context, tenantRef string, q trustdoc.DuplicateQuery, now time.Time, limit int) (out []trustdoc.Match, err error) {
	err = d.read(ctx, tenantRef, func(qr queryer) error {
		out = nil
		if q.ExternalID != "" {
			w := new(where)
			w.and("s.tenant = ?", tenantRef)
			w.and("s.external_id = ? AND s.external_id <> '' AND s.status IN ('Active', 'Suspended')", q.ExternalID)
			w.and("s.test = ?", one(q.Test))
			w.and("(s.expires_at = 0 OR s.expires_at > ?)", ms(now))
			found, err := matches(ctx, qr, stamp.ByExternalID, "documents s", "s.created_at DESC, s.id DESC", w, limit)
			if err != nil {
				return err
			}
			out = append(out, found...)
		}
		if len(q.Twin) > 0 {
			w := new(where)
			w.and("s.tenant = ?", tenantRef)
			w.and("s.twin = ? AND s.twin IS NOT NULL AND s.status IN ('Active', 'Suspended')", q.Twin)
			w.and("(s.expires_at = 0 OR s.expires_at > ?)", ms(now))
			found, err := matches(ctx, qr, stamp.ByFields, "documents s", "s.created_at DESC, s.id DESC", w, limit)
			if err != nil {
				return err
			}
			out = append(out, found...)
		}
		if len(q.Fields) == 0 {
			return nil
		}
		found, err := standingWith(ctx, qr, tenantRef, q, now, limit)
		out = append(out, found...)
		return err
	})
	return out[:min(len(out), limit)], err
}

// standingWith returns the active documents with all of q's values.
func standingWith(ctx context.Context, qr queryer, tenantRef string, q trustdoc.DuplicateQuery, now time.Time, limit int) (out []trustdoc.Match, err error) {
	fields, err := fewestOf(ctx, qr, documentsListed, tenantRef, q.Fields)
	if err != nil {
		return nil, err
	}
	for _, value := range forms(fields[0].Value) {
		w := standing(tenantRef, q, now, fields[1:])
		w.and("f.key = ? AND f.value = ?", fields[0].Key, value)
		found, err := matches(ctx, qr, stamp.ByFields, "document_fields f JOIN documents s ON s.tenant = f.tenant AND s.id = f.document_id",
			"f.created_at DESC, f.document_id DESC", w, limit)
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	return out, nil
}

// standing returns the conditions of active documents with values, and the recipient of q.
func standing(tenantRef string, q trustdoc.DuplicateQuery, now time.Time, fields []payload.Field) *where {
	w := new(where)
	w.and("f.tenant = ?", tenantRef)
	w.and("s.template_id = ? AND s.status IN ('Active', 'Suspended')", q.TemplateID)
	w.and("s.test = ?", one(q.Test))
	w.and("(s.expires_at = 0 OR s.expires_at > ?)", ms(now))
	if q.RecipientName != "" {
		w.and("s.recipient_name IN (?, ?, ?)", threeForms(q.RecipientName)...)
	}
	for _, f := range fields {
		w.and(`EXISTS (SELECT 1 FROM document_fields m WHERE m.tenant = f.tenant AND m.document_id = f.document_id AND m.key = ? AND m.value IN (?, ?, ?))`,
			append([]any{f.Key}, threeForms(f.Value)...)...)
	}
	return w
}

func matches(ctx context.Context, qr queryer, by stamp.MatchedBy, from, order string, w *where, limit int) ([]trustdoc.Match, error) {
	found, err := all(ctx, qr, func(r scanner) (m trustdoc.Match, err error) {
		var reference []byte
		err = r.Scan(&m.ID, &reference)
		copy(m.Reference[:], reference)
		m.By = by
		return m, err
	}, fmt.Sprintf(`SELECT s.id, s.reference FROM %s WHERE %s ORDER BY %s LIMIT %d`, from, w, order, limit), w.args...)
	return found, wrap(err, "look for duplicates by %s", by)
}

// rareEnough is the number of rows that are read without a search for the field with the
// fewest.
const rareEnough = 50

// fewestOf returns fields, beginning with the one that the fewest rows have, counted up to
// a bound: those rows are then read one by one.
func fewestOf(ctx context.Context, qr queryer, of listed, tenantRef string, fields []payload.Field) ([]payload.Field, error) {
	out := slices.Clone(fields)
	best := 100 * rareEnough
	for i := range out {
		if len(out) == 1 || best <= rareEnough {
			break
		}
		var n int
		err := qr.QueryRowContext(ctx, `SELECT count(*) FROM (
			SELECT 1 FROM `+of.fields+` f WHERE f.tenant = $1 AND f.key = $2 AND f.value = $3 LIMIT $4) AS t`,
			tenantRef, fields[i].Key, fields[i].Value, best).Scan(&n)
		if err != nil {
			return nil, fmt.Errorf("count rows with a field: %w", err)
		}
		if n < best {
			best = n
			j := slices.IndexFunc(out, func(f payload.Field) bool { return f.Key == fields[i].Key })
			out[0], out[j] = out[j], out[0]
		}
	}
	return out, nil
}
