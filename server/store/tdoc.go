package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"tcode/server/issue/tdoc"
	"tcode/server/tenant"
)

var _ tdoc.Store = (*DB)(nil)

const tdocColumns = `tenant, id, version, status, name, description, spec, hidden, created_at, updated_at, archived_at`

func scanTdoc(r scanner) (t tdoc.Template, err error) {
	var spec string
	var created, updated, archived int64
	var name, description string
	err = r.Scan(&t.Tenant, &t.ID, &t.Version, &t.Status, &name, &description, &spec, &t.Hidden, &created, &updated, &archived)
	if err != nil {
		return t, err
	}
	if err := json.Unmarshal([]byte(spec), &t.Spec); err != nil {
		return t, fmt.Errorf("TDoc template %s: %w", t.ID, err)
	}
	t.Name, t.Description = name, description
	t.CreatedAt, t.UpdatedAt, t.ArchivedAt = fromMS(created), fromMS(updated), fromMS(archived)
	return t, nil
}

// InsertTdoc stores a new template.
func (d *DB) InsertTdoc(ctx context.Context, t tdoc.Template, once *tenant.IdempotencyRecord, audit *tenant.Entry) error {
	spec, err := json.Marshal(t.Spec)
	if err != nil {
		return fmt.Errorf("TDoc template %s: %w", t.ID, err)
	}
	err = d.write(ctx, t.Tenant, func(tx *sql.Tx) error {
		return makeTemplate(ctx, tx, t.Tenant, once, audit, `
			INSERT INTO tdoc_templates (`+tdocColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
			t.Tenant, t.ID, t.Version, t.Status, t.Name, t.Description, string(spec), one(t.Hidden),
			ms(t.CreatedAt), ms(t.UpdatedAt), ms(t.ArchivedAt))
	})
	return wrap(err, "insert TDoc template %s", t.ID)
}

// Tdoc returns one template, also a hidden one.
func (d *DB) Tdoc(ctx context.Context, tenantRef, id string) (t tdoc.Template, err error) {
	err = d.read(ctx, tenantRef, func(q queryer) (err error) {
		t, err = scanTdoc(q.QueryRowContext(ctx, `SELECT `+tdocColumns+` FROM tdoc_templates WHERE tenant = $1 AND id = $2`, tenantRef, id))
		return noTdoc(err)
	})
	return t, err
}

// Tdocs returns the templates that are not hidden.
func (d *DB) Tdocs(ctx context.Context, tenantRef string, archived bool) (ts []tdoc.Template, err error) {
	err = d.read(ctx, tenantRef, func(q queryer) (err error) {
		ts, err = all(ctx, q, scanTdoc, `SELECT `+tdocColumns+` FROM tdoc_templates
			WHERE tenant = $1 AND hidden = 0 AND (status = 'Active' OR $2 = 1) ORDER BY created_at DESC, id DESC`, tenantRef, one(archived))
		return err
	})
	return ts, wrap(err, "list TDoc templates")
}

// ChangeTdoc stores a template as change changes it.
func (d *DB) ChangeTdoc(ctx context.Context, tenantRef, id string, audit *tenant.Entry, change func(*tdoc.Template) (bool, error)) error {
	err := d.write(ctx, tenantRef, func(tx *sql.Tx) error {
		t, err := scanTdoc(tx.QueryRowContext(ctx, `SELECT `+tdocColumns+` FROM tdoc_templates
			WHERE tenant = $1 AND id = $2 AND hidden = 0`+d.forUpdate, tenantRef, id))
		if err != nil {
			return noTdoc(err)
		}
		if changed, err := change(&t); err != nil || !changed {
			return err
		}
		spec, err := json.Marshal(t.Spec)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `UPDATE tdoc_templates
			SET version = $1, status = $2, name = $3, description = $4, spec = $5, hidden = $6, updated_at = $7, archived_at = $8
			WHERE tenant = $9 AND id = $10`,
			t.Version, t.Status, t.Name, t.Description, string(spec), one(t.Hidden), ms(t.UpdatedAt), ms(t.ArchivedAt), tenantRef, id)
		if err != nil {
			return err
		}
		return insertAudit(ctx, tx, audit)
	})
	return wrap(err, "change TDoc template %s", id)
}

// noTdoc converts the error of a missing row to its one fault.
func noTdoc(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return tdoc.NoTemplate()
	}
	return wrap(err, "read TDoc template")
}
