package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"tcode/server/tenant"
)

// A templateTable keeps the templates of one kind. T is their type in the domain.
type templateTable[T any] struct {
	name, columns string
	what          string // in errors
	set           string // the columns that change, from $3 on; $1 is the tenant, $2 the id
	scan          func(scanner) (T, error)
	values        func(T) ([]any, error) // of set
	none          func() error           // the fault for no row
}

// get returns one template, a hidden one too.
func (t templateTable[T]) get(ctx context.Context, d *DB, tenantRef, id string) (v T, err error) {
	err = d.read(ctx, tenantRef, func(q queryer) (err error) {
		v, err = t.scan(q.QueryRowContext(ctx, `SELECT `+t.columns+` FROM `+t.name+` WHERE tenant = $1 AND id = $2`, tenantRef, id))
		return t.noRow(err)
	})
	return v, err
}

// change stores what change makes of a template that is not hidden, if it reports a
// change.
func (t templateTable[T]) change(ctx context.Context, d *DB, tenantRef, id string, audit *tenant.Entry, change func(*T) (bool, error)) error {
	err := d.write(ctx, tenantRef, func(tx *sql.Tx) error {
		v, err := t.scan(tx.QueryRowContext(ctx, `SELECT `+t.columns+` FROM `+t.name+`
			WHERE tenant = $1 AND id = $2 AND hidden = 0`+d.forUpdate, tenantRef, id))
		if err != nil {
			return t.noRow(err)
		}
		if changed, err := change(&v); err != nil || !changed {
			return err
		}
		values, err := t.values(v)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `UPDATE `+t.name+` SET `+t.set+` WHERE tenant = $1 AND id = $2`, append([]any{tenantRef, id}, values...)...)
		if err != nil {
			return err
		}
		return insertAudit(ctx, tx, audit)
	})
	return wrap(err, "change %s %s", t.what, id)
}

// noRow turns no row into the one fault for it.
func (t templateTable[T]) noRow(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return t.none()
	}
	return wrap(err, "read %s", t.what)
}

// makeTemplate inserts the row of a template with all that goes with it.
func (d *DB) makeTemplate(ctx context.Context, tx *sql.Tx, tenantRef string, once *tenant.IdempotencyRecord, audit *tenant.Entry, insert string, args ...any) error {
	if err := d.takeQuota(ctx, tx, tenantRef, tenant.KindTemplates, 1, audit.At); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, insert, args...); err != nil {
		return fmt.Errorf("insert row: %w", err)
	}
	return putRecords(ctx, tx, audit, once)
}

// putRecords stores what goes with every row that a request makes: the line of the
// audit log, and the answer under the Idempotency-Key, if the request has one.
func putRecords(ctx context.Context, tx *sql.Tx, audit *tenant.Entry, once *tenant.IdempotencyRecord) error {
	if err := insertAudit(ctx, tx, audit); err != nil || once == nil {
		return err
	}
	return putIdempotencyRecord(ctx, tx, *once)
}

// specText returns the JSON of a template's specification.
func specText(what, id string, spec any) (string, error) {
	raw, err := json.Marshal(spec)
	return string(raw), wrap(err, "%s %s", what, id)
}
