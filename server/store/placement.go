package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"tcode/server/issue/placement"
	"tcode/server/tenant"
)

var _ placement.Store = (*DB)(nil)

const placementColumns = `tenant, id, version, name, description, spec, hidden, created_at, updated_at`

var placements = templateTable[placement.Template]{
	name: "placement_templates", columns: placementColumns, what: "placement template", scan: scanPlacement, none: placement.NoTemplate,
	set: `version = $3, name = $4, description = $5, spec = $6, hidden = $7, updated_at = $8`,
	values: func(t placement.Template) ([]any, error) {
		spec, err := specText("placement template", t.ID, t.Spec)
		return []any{t.Version, t.Name, t.Description, spec, one(t.Hidden), ms(t.UpdatedAt)}, err
	},
}

func scanPlacement(r scanner) (t placement.Template, err error) {
	var spec string
	var created, updated int64
	var name, description string
	if err = r.Scan(&t.Tenant, &t.ID, &t.Version, &name, &description, &spec, &t.Hidden, &created, &updated); err != nil {
		return t, err
	}
	if err := json.Unmarshal([]byte(spec), &t.Spec); err != nil {
		return t, fmt.Errorf("placement template %s: %w", t.ID, err)
	}
	t.Name, t.Description = name, description
	t.CreatedAt, t.UpdatedAt = fromMS(created), fromMS(updated)
	return t, nil
}

// InsertPlacement stores a new template.
func (d *DB) InsertPlacement(ctx context.Context, t placement.Template, once *tenant.IdempotencyRecord, audit *tenant.Entry) error {
	spec, err := specText("placement template", t.ID, t.Spec)
	if err != nil {
		return err
	}
	err = d.write(ctx, t.Tenant, func(tx *sql.Tx) error {
		return d.makeTemplate(ctx, tx, t.Tenant, once, audit, `
			INSERT INTO placement_templates (`+placementColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
			t.Tenant, t.ID, t.Version, t.Name, t.Description, spec, one(t.Hidden), ms(t.CreatedAt), ms(t.UpdatedAt))
	})
	return wrap(err, "insert placement template %s", t.ID)
}

// Placement returns one template, a hidden one too.
func (d *DB) Placement(ctx context.Context, tenantRef, id string) (placement.Template, error) {
	return placements.get(ctx, d, tenantRef, id)
}

// Placements returns the templates that are not hidden.
func (d *DB) Placements(ctx context.Context, tenantRef string) (ts []placement.Template, err error) {
	err = d.read(ctx, tenantRef, func(q queryer) (err error) {
		ts, err = all(ctx, q, scanPlacement, `SELECT `+placementColumns+` FROM placement_templates
			WHERE tenant = $1 AND hidden = 0 ORDER BY created_at DESC, id DESC`, tenantRef)
		return err
	})
	return ts, wrap(err, "list placement templates")
}

// ChangePlacement stores what change makes of a template.
func (d *DB) ChangePlacement(ctx context.Context, tenantRef, id string, audit *tenant.Entry, change func(*placement.Template) (bool, error)) error {
	return placements.change(ctx, d, tenantRef, id, audit, change)
}
