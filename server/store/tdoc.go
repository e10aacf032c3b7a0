package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"tcode/server/issue/tdoc"
	"tcode/server/tenant"
)

var _ tdoc.Store = (*DB)(nil)

const tdocColumns = `tenant, id, version, status, name, description, spec, hidden, created_at, updated_at, archived_at`

var tdocs = templateTable[tdoc.Template]{
	name: "tdoc_templates", columns: tdocColumns, what: "TDoc template", scan: scanTdoc, none: tdoc.NoTemplate,
	set: `version = $3, status = $4, name = $5, description = $6, spec = $7, hidden = $8, updated_at = $9, archived_at = $10`,
	values: func(t tdoc.Template) ([]any, error) {
		spec, err := specText("TDoc template", t.ID, t.Spec)
		return []any{t.Version, t.Status, t.Name, t.Description, spec, one(t.Hidden), ms(t.UpdatedAt), ms(t.ArchivedAt)}, err
	},
}

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
	spec, err := specText("TDoc template", t.ID, t.Spec)
	if err != nil {
		return err
	}
	err = d.write(ctx, t.Tenant, func(tx *sql.Tx) error {
		return d.makeTemplate(ctx, tx, t.Tenant, once, audit, `
			INSERT INTO tdoc_templates (`+tdocColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
			t.Tenant, t.ID, t.Version, t.Status, t.Name, t.Description, spec, one(t.Hidden),
			ms(t.CreatedAt), ms(t.UpdatedAt), ms(t.ArchivedAt))
	})
	return wrap(err, "insert TDoc template %s", t.ID)
}

// Tdoc returns one template, a hidden one too.
func (d *DB) Tdoc(ctx context.Context, tenantRef, id string) (tdoc.Template, error) {
	return tdocs.get(ctx, d, tenantRef, id)
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
	return tdocs.change(ctx, d, tenantRef, id, audit, change)
}
