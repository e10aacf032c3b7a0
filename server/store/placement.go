package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"tcode/server/issue/placement"
	"tcode/server/tenant"
)

var _ placement.Store = (*DB)(nil)

const placementColumns = `tenant, id, version, name, description, spec, hidden, created_at, updated_at`

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
	spec, err := json.Marshal(t.Spec)
	if err != nil {
		return fmt.Errorf("placement template %s: %w", t.ID, err)
	}
	err = d.write(ctx, t.Tenant, func(tx *sql.Tx) error {
		return makeTemplate(ctx, tx, t.Tenant, once, audit, `
			INSERT INTO placement_templates (`+placementColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
			t.Tenant, t.ID, t.Version, t.Name, t.Description, string(spec), one(t.Hidden), ms(t.CreatedAt), ms(t.UpdatedAt))
	})
	return wrap(err, "insert placement template %s", t.ID)
}

// makeTemplate inserts the row of a template with its other rows.
func makeTemplate(ctx context.Context, tx *sql.Tx, tenantRef string, once *tenant.IdempotencyRecord, audit *tenant.Entry, insert string, args ...any) error {
	if err := takeQuota(ctx, tx, tenantRef, tenant.KindTemplates, 1, audit.At); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, insert, args...); err != nil {
		return fmt.Errorf("insert row: %w", err)
	}
	if err := insertAudit(ctx, tx, audit); err != nil {
		return err
	}
	if once == nil {
		return nil
	}
	return putIdempotencyRecord(ctx, tx, *once)
}

// Placement returns one template, also a hidden one.
func (d *DB) Placement(ctx context.Context, tenantRef, id string) (t placement.Template, err error) {
	err = d.read(ctx, tenantRef, func(q queryer) (err error) {
		t, err = scanPlacement(q.QueryRowContext(ctx,
			`SELECT `+placementColumns+` FROM placement_templates WHERE tenant = $1 AND id = $2`, tenantRef, id))
		return noPlacement(err)
	})
	return t, err
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

// ChangePlacement stores a template as change changes it.
func (d *DB) ChangePlacement(ctx context.Context, tenantRef, id string, audit *tenant.Entry, change func(*placement.Template) error) error {
	err := d.write(ctx, tenantRef, func(tx *sql.Tx) error {
		t, err := scanPlacement(tx.QueryRowContext(ctx, `SELECT `+placementColumns+` FROM placement_templates
			WHERE tenant = $1 AND id = $2 AND hidden = 0`+d.forUpdate, tenantRef, id))
		if err != nil {
			return noPlacement(err)
		}
		if err := change(&t); err != nil {
			return err
		}
		spec, err := json.Marshal(t.Spec)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `UPDATE placement_templates
			SET version = $1, name = $2, description = $3, spec = $4, hidden = $5, updated_at = $6 WHERE tenant = $7 AND id = $8`,
			t.Version, t.Name, t.Description, string(spec), one(t.Hidden), ms(t.UpdatedAt), tenantRef, id)
		if err != nil {
			return err
		}
		return insertAudit(ctx, tx, audit)
	})
	return wrap(err, "change placement template %s", id)
}

// noPlacement converts the error of a missing row to its one fault.
func noPlacement(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return placement.NoTemplate()
	}
	return wrap(err, "read placement template")
}
