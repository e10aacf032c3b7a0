package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"tcode/server/tenant"
)

// errNoAudit is a mistake in a service: a change without an author.
var errNoAudit = errors.New("a change without an audit entry")

// insertAudit writes the audit row of a change, in the change's transaction. Every store
// method that changes something takes an entry. It calls insertAudit once when it is
// certain that the change takes place, and not at all if nothing changes (a repeat of the
// present state).
func insertAudit(ctx context.Context, tx *sql.Tx, e *tenant.Entry) error {
	if e == nil {
		return errNoAudit
	}
	detail := ""
	if len(e.Detail) > 0 {
		raw, err := json.Marshal(e.Detail) // keys in order
		if err != nil {
			return fmt.Errorf("audit detail: %w", err)
		}
		detail = string(raw)
	}
	_, err := tx.ExecContext(ctx, `
		INSERT INTO audit (tenant, at, actor, by_name, action, subject, detail, trace_id)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		e.Tenant, ms(e.At), string(e.By.Actor), e.By.Name, e.Action, e.Subject, detail, e.By.TraceID)
	return wrap(err, "write audit row")
}

// Audit returns rows of the audit log, newest first.
func (d *DB) Audit(ctx context.Context, f tenant.AuditFilter) ([]tenant.Entry, error) {
	w := new(where)
	w.and("id > ?", 0) // so that there is always a condition
	if f.Tenant != "" {
		w.and("tenant = ?", f.Tenant)
	}
	switch {
	case strings.HasSuffix(f.Action, "."):
		w.and("action >= ?", f.Action)
		w.and("action < ?", strings.TrimSuffix(f.Action, ".")+"/") // the character after the dot
	case f.Action != "":
		w.and("action = ?", f.Action)
	}
	if !f.From.IsZero() {
		w.and("at >= ?", ms(f.From))
	}
	if !f.To.IsZero() {
		w.and("at < ?", ms(f.To))
	}
	if f.Before > 0 {
		w.and("id < ?", f.Before)
	}
	w.args = append(w.args, f.Limit)
	scope := f.Tenant
	if scope == "" {
		scope = everyone
	}
	es, err := readAs(ctx, d, scope, func(ctx context.Context, q queryer) ([]tenant.Entry, error) {
		return all(ctx, q, scanAudit, fmt.Sprintf(`
			SELECT id, tenant, at, actor, by_name, action, subject, detail, trace_id FROM audit
			WHERE %s ORDER BY id DESC LIMIT $%d`, w, len(w.args)), w.args...)
	})
	return es, wrap(err, "read audit log")
}

func scanAudit(r scanner) (e tenant.Entry, err error) {
	var at int64
	var detail string
	err = r.Scan(&e.ID, &e.Tenant, &at, &e.By.Actor, &e.By.Name, &e.Action, &e.Subject, &detail, &e.By.TraceID)
	e.At = fromMS(at)
	if err == nil && detail != "" {
		err = json.Unmarshal([]byte(detail), &e.Detail)
	}
	return e, err
}
