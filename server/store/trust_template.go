package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"tcode/server/issue/field"
	"tcode/server/issue/trustdoc"
	"tcode/server/tenant"
)

var _ trustdoc.Store = (*DB)(nil)

const trustTemplateColumns = `tenant, id, version, status, name, description, document_type, fields, placement_template_id,
	archive_reason, hidden, created_at, updated_at, archived_at`

var trustTemplates = templateTable[trustdoc.Template]{
	name: "trust_templates", columns: trustTemplateColumns, what: "Trust template", scan: scanTrustTemplate, none: trustdoc.NoTemplate,
	set: `version = $3, status = $4, name = $5, description = $6, fields = $7, placement_template_id = $8, archive_reason = $9,
		hidden = $10, updated_at = $11, archived_at = $12`,
	values: func(t trustdoc.Template) ([]any, error) {
		fields, err := fieldRows(t.Fields)
		return []any{
			t.Version, t.Status, t.Name, t.Description, fields, t.PlacementTemplateID, t.ArchiveReason,
			one(t.Hidden), ms(t.UpdatedAt), ms(t.ArchivedAt),
		}, err
	},
}

// fieldRow is a field as a template's row keeps it.
type fieldRow struct {
	Key       string     `json:"key"`
	Label     string     `json:"label"`
	Type      field.Type `json:"type"`
	Required  bool       `json:"required,omitempty"`
	MaxLength int        `json:"maxLength,omitempty"`
}

func scanTrustTemplate(r scanner) (t trustdoc.Template, err error) {
	var fields string
	var created, updated, archived int64
	err = r.Scan(&t.Tenant, &t.ID, &t.Version, &t.Status, &t.Name, &t.Description, &t.DocumentTypeCode, &fields, &t.PlacementTemplateID,
		&t.ArchiveReason, &t.Hidden, &created, &updated, &archived)
	if err != nil {
		return t, err
	}
	var rows []fieldRow
	if err := json.Unmarshal([]byte(fields), &rows); err != nil {
		return t, fmt.Errorf("template %s of Trust documents: %w", t.ID, err)
	}
	for _, f := range rows {
		t.Fields = append(t.Fields, field.Definition(f))
	}
	t.CreatedAt, t.UpdatedAt, t.ArchivedAt = fromMS(created), fromMS(updated), fromMS(archived)
	return t, nil
}

func fieldRows(fields []field.Definition) (string, error) {
	rows := make([]fieldRow, len(fields))
	for i, f := range fields {
		rows[i] = fieldRow(f)
	}
	raw, err := json.Marshal(rows)
	return string(raw), err
}

// InsertTrustTemplate stores a new template. It counts as a template and needs the
// entitlement to Trust documents.
func (d *DB) InsertTrustTemplate(ctx context.Context, t trustdoc.Template, once *tenant.IdempotencyRecord, audit *tenant.Entry) error {
	fields, err := fieldRows(t.Fields)
	if err != nil {
		return fmt.Errorf("template %s of Trust documents: %w", t.ID, err)
	}
	err = d.write(ctx, t.Tenant, func(tx *sql.Tx) error {
		if err := d.takeQuotaFor(ctx, tx, t.Tenant, tenant.KindTemplates, tenant.EntitledTrust, 1, t.CreatedAt); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `
			INSERT INTO trust_templates (`+trustTemplateColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
			t.Tenant, t.ID, t.Version, t.Status, t.Name, t.Description, t.DocumentTypeCode, fields, t.PlacementTemplateID,
			t.ArchiveReason, one(t.Hidden), ms(t.CreatedAt), ms(t.UpdatedAt), ms(t.ArchivedAt))
		if err != nil {
			return fmt.Errorf("insert row: %w", err)
		}
		return putRecords(ctx, tx, audit, once)
	})
	return wrap(err, "insert Trust template %s", t.ID)
}

// TrustTemplate returns one template, a hidden one too.
func (d *DB) TrustTemplate(ctx context.Context, tenantRef, id string) (trustdoc.Template, error) {
	return trustTemplates.get(ctx, d, tenantRef, id)
}

// HasTrustTemplate reports whether the tenant has a template that is not hidden.
func (d *DB) HasTrustTemplate(ctx context.Context, tenantRef, id string) (has bool, err error) {
	err = d.read(ctx, tenantRef, func(q queryer) error {
		var n int
		err := q.QueryRowContext(ctx, `SELECT count(*) FROM trust_templates WHERE tenant = $1 AND id = $2 AND hidden = 0`, tenantRef, id).Scan(&n)
		has = n > 0
		return err
	})
	return has, wrap(err, "look for Trust template")
}

// TrustTemplates returns one page of the templates that are not hidden.
func (d *DB) TrustTemplates(ctx context.Context, tenantRef string, f trustdoc.TemplateFilter) (trustdoc.TemplatePage, error) {
	p := trustdoc.TemplatePage{Page: f.Page, PageSize: f.PageSize}
	w := new(where)
	w.and("m.tenant = ?", tenantRef)
	w.and("m.hidden = 0")
	if !f.Archived {
		w.and("m.status = 'Active'")
	}
	err := d.read(ctx, tenantRef, func(q queryer) (err error) {
		// Templates come and go, so the count is not kept.
		rows := fmt.Sprintf(`SELECT 1 FROM trust_templates m WHERE %s LIMIT %d`, w, mostTemplates+1)
		if err := q.QueryRowContext(ctx, `SELECT count(*) FROM (`+rows+`) AS t`, w.args...).Scan(&p.TotalCount); err != nil {
			return fmt.Errorf("count: %w", err)
		}
		if p.TotalCount > mostTemplates {
			p.TotalCount, p.TotalIsLowerBound = mostTemplates, true
		}
		p.Items, err = all(ctx, q, scanTrustTemplate, fmt.Sprintf(`SELECT `+trustTemplateColumns+` FROM trust_templates m
			WHERE %s ORDER BY m.created_at DESC, m.id DESC LIMIT $%d OFFSET $%d`, w, len(w.args)+1, len(w.args)+2),
			append(w.args, f.PageSize, (f.Page-1)*f.PageSize)...)
		return err
	})
	return p, wrap(err, "list Trust templates")
}

// mostTemplates is the limit of an exact count of templates.
const mostTemplates = 10_000

// ChangeTrustTemplate stores a template as change changes it.
func (d *DB) ChangeTrustTemplate(ctx context.Context, tenantRef, id string, audit *tenant.Entry, change func(*trustdoc.Template) (bool, error)) error {
	return trustTemplates.change(ctx, d, tenantRef, id, audit, change)
}
