package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"tcode/server/refdata"
	"tcode/server/tenant"
)

var _ refdata.Store = (*DB)(nil)

func scanDocumentType(r scanner) (t refdata.DocumentType, err error) {
	var names, labels string
	var retired int64
	if err := r.Scan(&t.Code, &names, &labels, &retired); err != nil {
		return t, err
	}
	t.RetiredAt = fromMS(retired)
	if err := json.Unmarshal([]byte(names), &t.Names); err != nil {
		return t, fmt.Errorf("names of document type %s: %w", t.Code, err)
	}
	if err := json.Unmarshal([]byte(labels), &t.FieldLabels); err != nil {
		return t, fmt.Errorf("field labels of document type %s: %w", t.Code, err)
	}
	return t, nil
}

// DocumentTypes returns all document types by code, including retired ones.
func (d *DB) DocumentTypes(ctx context.Context) ([]refdata.DocumentType, error) {
	return readAs(ctx, d, everyone, documentTypes)
}

func documentTypes(ctx context.Context, q queryer) ([]refdata.DocumentType, error) {
	ts, err := all(ctx, q, scanDocumentType, `SELECT code, names, field_labels, retired_at FROM document_types ORDER BY code`)
	return ts, wrap(err, "read document types")
}

// DocumentType returns one document type, or a NotFound fault.
func (d *DB) DocumentType(ctx context.Context, code string) (refdata.DocumentType, error) {
	t, err := scanDocumentType(d.hot.QueryRowContext(ctx,
		`SELECT code, names, field_labels, retired_at FROM document_types WHERE code = $1`, code))
	return t, notFound(err, "read document type", "no document type %s", code)
}

// PutDocumentTypes adds or changes document types.
func (d *DB) PutDocumentTypes(ctx context.Context, audit *tenant.Entry, types ...refdata.DocumentType) error {
	err := d.write(ctx, everyone, func(tx *sql.Tx) error {
		for _, t := range types {
			names, err := json.Marshal(t.Names)
			if err != nil {
				return err
			}
			labels, err := json.Marshal(t.FieldLabels)
			if err != nil {
				return err
			}
			_, err = tx.ExecContext(ctx, `
				INSERT INTO document_types (code, names, field_labels, retired_at) VALUES ($1, $2, $3, $4)
				ON CONFLICT (code) DO UPDATE SET names = excluded.names, field_labels = excluded.field_labels,
					retired_at = excluded.retired_at`,
				t.Code, string(names), string(labels), ms(t.RetiredAt))
			if err != nil {
				return err
			}
		}
		if err := insertAudit(ctx, tx, audit); err != nil {
			return err
		}
		return wantBundle(ctx, tx)
	})
	return wrap(err, "put document types")
}

// RetireDocumentType takes a document type out of use.
func (d *DB) RetireDocumentType(ctx context.Context, code string, now time.Time, audit *tenant.Entry) error {
	err := d.write(ctx, everyone, func(tx *sql.Tx) error {
		res, err := tx.ExecContext(ctx, `
			UPDATE document_types SET retired_at = $1 WHERE code = $2 AND retired_at = 0`, ms(now), code)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			if err == nil { // already retired, or unknown
				err = tx.QueryRowContext(ctx, `SELECT code FROM document_types WHERE code = $1`, code).Scan(&code)
			}
			return notFound(err, "retire document type", "no document type %s", code)
		}
		if err := insertAudit(ctx, tx, audit); err != nil {
			return err
		}
		return wantBundle(ctx, tx)
	})
	return wrap(err, "retire document type %s", code)
}
