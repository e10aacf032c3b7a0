package store

import (
	"context"
	"fmt"

	"tcode/offline/payload"
	"tcode/server/issue/stamp"
	"tcode/server/issue/trustdoc"
)

// A Problem is a contradiction between parts of the database.
type Problem struct {
	Kind    string // frozen word, such as status_entry
	Subject string // the subject: a reference, a table
	Detail  string // for people
}

// CheckRows calls each for every contradiction among the rows themselves.
func (d *DB) CheckRows(ctx context.Context, each func(Problem)) error {
	if l, ok := d.engine.(lite); ok {
		for _, pragma := range []string{"quick_check", "foreign_key_check"} {
			if err := l.check(ctx, pragma, each); err != nil {
				return err
			}
		}
	}
	return d.read(ctx, everyone, func(q queryer) error {
		for _, c := range rowChecks {
			subjects, err := all(ctx, q, func(r scanner) (p Problem, err error) {
				p = Problem{Kind: c.kind, Detail: c.detail}
				var ref []byte
				if err := r.Scan(&ref); err != nil {
					return p, err
				}
				if p.Subject = referenceText(ref); c.documents && len(ref) == len(trustdoc.Reference{}) {
					p.Subject = trustdoc.Reference(ref).String()
				}
				return p, nil
			}, c.query)
			if err != nil {
				return fmt.Errorf("check %s: %w", c.kind, err)
			}
			for _, p := range subjects {
				each(p)
			}
		}
		return nil
	})
}

// rowChecks are queries that find the references of stamps, or of documents, with a
// contradiction. Each reads a whole table: they are for an operator's check, not for
// requests.
var rowChecks = []struct {
	kind, detail, query string
	documents           bool
}{
	{"status_entry", "the status list says something else than the stamp", `
		SELECT s.reference FROM stamps s LEFT JOIN status_entries e ON e.shard = s.shard AND e.entry = s.entry
		WHERE e.value IS NULL OR e.tenant <> s.tenant OR e.reference <> s.reference OR e.value <> CASE
			WHEN s.status = 'Revoked' AND s.replaced_by <> '' THEN 3 WHEN s.status = 'Revoked' THEN 1
			WHEN s.status = 'Suspended' THEN 2 ELSE 0 END
		ORDER BY s.reference`, false},
	{"history", "the last change of the stamp's history led to another state than it is in", `
		SELECT s.reference FROM stamps s
		LEFT JOIN stamp_events e ON e.tenant = s.tenant AND e.stamp_id = s.id
			AND e.seq = (SELECT max(seq) FROM stamp_events l WHERE l.tenant = s.tenant AND l.stamp_id = s.id)
		WHERE e.to_status IS NULL OR e.to_status <> s.status
		ORDER BY s.reference`, false},
	{"stampless_entry", "the status list has an entry for it, and there is no such stamp", `
		SELECT e.reference FROM status_entries e
		WHERE NOT EXISTS (SELECT 1 FROM stamps s WHERE s.reference = e.reference)
		ORDER BY e.reference`, false},
	{"files", "a stamp without all its files", `
		SELECT s.reference FROM stamps s
		WHERE (SELECT count(*) FROM stamp_files f WHERE f.tenant = s.tenant AND f.stamp_id = s.id AND f.kind IN ('stamped', 'original')) < 2
		ORDER BY s.reference`, false},
	{"document_stamp", "the document and the stamp that it owns are in different states", `
		SELECT d.reference FROM documents d LEFT JOIN stamps s ON s.tenant = d.tenant AND s.id = d.stamp_id
		WHERE d.stamp_id <> '' AND (s.id IS NULL OR s.document = '' OR s.reference <> d.stamp_reference
			OR s.status <> CASE WHEN d.status = 'Expired' THEN 'Revoked' ELSE d.status END)
		ORDER BY d.reference`, true},
	{"document_history", "the last change of the document's history led to another state than it is in", `
		SELECT d.reference FROM documents d
		LEFT JOIN document_events e ON e.tenant = d.tenant AND e.document_id = d.id
			AND e.seq = (SELECT max(seq) FROM document_events l WHERE l.tenant = d.tenant AND l.document_id = d.id)
		WHERE e.to_status IS NULL OR e.to_status <> d.status
		ORDER BY d.reference`, true},
	{"document_files", "a document without all its files", `
		SELECT d.reference FROM documents d
		WHERE (SELECT count(*) FROM document_files f WHERE f.tenant = d.tenant AND f.document_id = d.id)
			< CASE WHEN d.stamp_id <> '' THEN 2 WHEN d.original_sha256 IS NOT NULL THEN 1 ELSE 0 END
		ORDER BY d.reference`, true},
}

func referenceText(raw []byte) string {
	var ref payload.Reference
	if len(raw) != len(ref) {
		return fmt.Sprintf("%x", raw)
	}
	copy(ref[:], raw)
	return ref.String()
}

// check runs a PRAGMA that returns rows for problems.
func (l lite) check(ctx context.Context, pragma string, each func(Problem)) error {
	rows, err := l.Reader().QueryContext(ctx, `PRAGMA `+pragma)
	if err != nil {
		return fmt.Errorf("%s: %w", pragma, err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	for rows.Next() {
		into := make([]any, len(columns))
		for i := range into {
			into[i] = new(any)
		}
		if err := rows.Scan(into...); err != nil {
			return fmt.Errorf("%s: %w", pragma, err)
		}
		if first := fmt.Sprint(*into[0].(*any)); pragma != "quick_check" || first != "ok" {
			each(Problem{Kind: "database", Subject: pragma, Detail: first})
		}
	}
	return rows.Err()
}

// EachStamp calls each for every stamp of all tenants.
func (d *DB) EachStamp(ctx context.Context, each func(stamp.Stamp) error) error {
	return d.read(ctx, everyone, func(q queryer) error {
		rows, err := q.QueryContext(ctx, `SELECT `+stampRead+` FROM stamps ORDER BY tenant, id`)
		if err != nil {
			return fmt.Errorf("read stamps: %w", err)
		}
		defer rows.Close()
		for rows.Next() {
			st, err := scanStamp(rows)
			if err != nil {
				return err
			}
			if err := each(st); err != nil {
				return err
			}
		}
		return rows.Err()
	})
}

// EachDocument calls each for every Trust document of all tenants.
func (d *DB) EachDocument(ctx context.Context, each func(trustdoc.Document) error) error {
	return d.read(ctx, everyone, func(q queryer) error {
		for tenantRef, id := "", ""; ; {
			docs, err := all(ctx, q, scanDocument, `SELECT `+documentRead+` FROM documents
				WHERE (tenant, id) > ($1, $2) ORDER BY tenant, id LIMIT 500`, tenantRef, id)
			if err != nil {
				return fmt.Errorf("read documents: %w", err)
			}
			if len(docs) == 0 {
				return nil
			}
			for _, doc := range docs {
				if doc.Values, err = documentParts.values(ctx, q, doc.Tenant, doc.ID); err != nil {
					return err
				}
				if err := each(doc); err != nil {
					return err
				}
				tenantRef, id = doc.Tenant, doc.ID
			}
		}
	})
}
