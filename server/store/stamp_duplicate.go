package store

import (
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"slices"

	"golang.org/x/text/unicode/norm"

	"tcode/server/issue/stamp"
)

// found is a match and the time when it was made.
type found struct {
	stamp.Match
	created int64
}

// Duplicates returns stamps that match q, one for each kind of match.
func (d *DB) Duplicates(ctx context.Context, tenantRef string, q stamp.DuplicateQuery, limit int) ([]stamp.Match, error) {
	var hits []found
	err := d.read(ctx, tenantRef, func(qr queryer) (err error) {
		hits, err = duplicates(ctx, qr, tenantRef, q, limit)
		return err
	})
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(hits, func(a, b found) int {
		return cmp.Or(cmp.Compare(b.created, a.created), cmp.Compare(b.ID, a.ID))
	})
	out := make([]stamp.Match, 0, min(len(hits), limit))
	for _, h := range hits[:min(len(hits), limit)] {
		out = append(out, h.Match)
	}
	return out, nil
}

func duplicates(ctx context.Context, qr queryer, tenantRef string, q stamp.DuplicateQuery, limit int) (hits []found, err error) {
	look := func(by stamp.MatchedBy, from, order string, w *where) {
		if err != nil {
			return
		}
		var more []found
		more, err = all(ctx, qr, func(r scanner) (f found, err error) {
			var reference []byte
			err = r.Scan(&f.ID, &reference, &f.created)
			copy(f.Reference[:], reference)
			f.By = by
			return f, err
		}, fmt.Sprintf(`SELECT s.id, s.reference, s.created_at FROM %s WHERE %s
			ORDER BY %s LIMIT %d`, from, w, order, limit), w.args...)
		hits, err = append(hits, more...), wrap(err, "look for duplicates by %s", by)
	}
	const newest = "s.created_at DESC, s.id DESC"
	if q.ExternalID != "" {
		w := new(where)
		w.and("s.tenant = ?", tenantRef)
		w.and("s.external_id = ? AND s.external_id <> '' AND s.status <> 'Revoked'", q.ExternalID)
		w.and("s.test = ?", one(q.Test))
		look(stamp.ByExternalID, "stamps s", newest, w)
	}
	if sum, bad := hex.DecodeString(q.SHA256); bad == nil && len(sum) > 0 {
		for _, of := range []string{"s.tenant = ? AND s.original_sha256 = ?", "s.tenant || '' = ? AND s.stamped_sha256 = ?"} {
			for _, status := range []stamp.Status{stamp.Active, stamp.Suspended, stamp.Revoked} {
				// The index of a file is in this order for each status, and that of originals
				// also within a tenant, because any tenant may have stamped the same file.
				// Elsewhere the tenant is written so that no engine reads all of its stamps
				// instead.
				w := new(where)
				w.and(of+" AND s.status = ?", tenantRef, sum, string(status))
				w.and("s.test = ? AND s.replaced_by = ''", one(q.Test))
				look(stamp.BySHA256, "stamps s", newest, w)
			}
		}
	}
	if len(q.Twin) > 0 {
		w := new(where)
		w.and("s.tenant = ?", tenantRef)
		w.and("s.twin = ? AND s.twin IS NOT NULL AND s.status <> 'Revoked'", q.Twin)
		look(stamp.ByFields, "stamps s", newest, w)
	}
	if len(q.Fields) > 0 {
		fields, counted := fewestOf(ctx, qr, stampsListed, tenantRef, q.Fields)
		if err = orElse(err, counted); err != nil {
			return nil, err
		}
		for _, value := range forms(fields[0].Value) {
			w := new(where)
			w.and("f.tenant = ?", tenantRef)
			w.and("f.key = ? AND f.value = ?", fields[0].Key, value)
			w.and("s.tdoc_template_id = ? AND s.test = ? AND s.status <> 'Revoked'", q.TdocTemplateID, one(q.Test))
			for _, f := range fields[1:] {
				w.and(`EXISTS (SELECT 1 FROM stamp_fields m WHERE m.tenant = f.tenant AND m.stamp_id = f.stamp_id AND m.key = ? AND m.value IN (?, ?, ?))`,
					append([]any{f.Key}, threeForms(f.Value)...)...)
			}
			// The order is that of the values' index, so that the first few rows are enough.
			look(stamp.ByFields, "stamp_fields f JOIN stamps s ON s.tenant = f.tenant AND s.id = f.stamp_id", "f.created_at DESC, f.stamp_id DESC", w)
		}
	}
	return hits, err
}

// forms returns a text as it is and in the normal forms of Unicode, in which it is the same
// to people: each once.
func forms(text string) []string {
	out := []string{text}
	for _, form := range []norm.Form{norm.NFC, norm.NFD} {
		if other := form.String(text); !slices.Contains(out, other) {
			out = append(out, other)
		}
	}
	return out
}

// threeForms returns [forms] as three arguments.
func threeForms(text string) []any {
	return []any{text, norm.NFC.String(text), norm.NFD.String(text)}
}
