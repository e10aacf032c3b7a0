package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"tcode/server/issue/stamp"
	"tcode/server/store/pgdb"
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
	_, err := tx.ExecContext(pgdb.Later(ctx), `
		INSERT INTO audit (tenant, at, actor, by_name, action, subject, detail, trace_id)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		e.Tenant, ms(e.At), string(e.By.Actor), e.By.Name, e.Action, e.Subject, detail, e.By.TraceID)
	return wrap(err, "write audit row")
}

const auditColumns = `id, tenant, at, actor, by_name, action, subject, detail, trace_id`

// Audit returns rows of the audit log, newest first.
func (d *DB) Audit(ctx context.Context, f tenant.AuditFilter) ([]tenant.Entry, error) {
	es, err := readAs(ctx, d, auditScope(f), func(ctx context.Context, q queryer) ([]tenant.Entry, error) {
		return auditRows(ctx, q, f, f.Limit, 0)
	})
	return es, wrap(err, "read audit log")
}

// AuditPage returns one page of the audit log.
func (d *DB) AuditPage(ctx context.Context, f tenant.AuditFilter, page, size int) (tenant.AuditPage, error) {
	p, err := readAs(ctx, d, auditScope(f), func(ctx context.Context, q queryer) (p tenant.AuditPage, err error) {
		parts, err := auditParts(ctx, q, f)
		if err != nil || len(parts) == 0 {
			return p, err
		}
		var rows []string
		var args []any
		for _, part := range parts {
			w := auditWhere(args, part)
			args = w.args
			rows = append(rows, fmt.Sprintf(`SELECT 1 FROM (SELECT 1 FROM audit WHERE %s LIMIT %d) AS n%d`, w, stamp.MaxCount+1, len(rows)))
		}
		if p.TotalCount, p.TotalIsLowerBound, err = d.countRows(ctx, q, fmt.Sprintf(`SELECT 1 FROM (%s) AS u LIMIT %d`, strings.Join(rows, " UNION ALL "), stamp.MaxCount+1), args, 0, nil); err != nil {
			return p, err
		}
		p.Items, err = auditRows(ctx, q, f, size, (page-1)*size)
		return p, err
	})
	return p, wrap(err, "read audit log")
}

func auditScope(f tenant.AuditFilter) string {
	if f.Tenant == "" {
		return everyone
	}
	return f.Tenant
}

// auditOrder is the order of rows. Those of one tenant have an index by time.
func auditOrder(f tenant.AuditFilter) string {
	if f.Tenant == "" {
		return "id DESC"
	}
	return "at DESC, id DESC"
}

// auditWhere returns the conditions of a filter, whose arguments follow args.
func auditWhere(args []any, f tenant.AuditFilter) *where {
	w := &where{args: args}
	if f.Tenant != "" {
		w.and("tenant = ?", f.Tenant)
	} else {
		w.and("id > ?", 0) // so that there is always a condition
	}
	switch {
	case strings.HasSuffix(f.Action, "."):
		w.and("action >= ?", f.Action)
		w.and("action < ?", strings.TrimSuffix(f.Action, ".")+"/") // the character after the dot
	case f.Action != "":
		w.and("action = ?", f.Action)
	}
	for _, equal := range []struct{ condition, value string }{
		{"subject = ?", f.Subject}, {"actor = ?", string(f.Actor)}, {"by_name = ?", f.By},
	} {
		if equal.value != "" {
			w.and(equal.condition, equal.value)
		}
	}
	if !f.From.IsZero() {
		w.and("at >= ?", ms(f.From))
	}
	if !f.To.IsZero() {
		w.and("at < ?", ms(f.To))
	}
	switch {
	case f.Before > 0 && f.Tenant == "":
		w.and("id < ?", f.Before)
	case f.Before > 0:
		w.and("(at, id) < (SELECT b.at, b.id FROM audit b WHERE b.id = ?)", f.Before)
	}
	return w
}

// auditParts divides a filter of one tenant into some that select rows in the order of an
// index: all actions of a noun, or all kinds of authors, have no order by time.
func auditParts(ctx context.Context, q queryer, f tenant.AuditFilter) ([]tenant.AuditFilter, error) {
	if f.Tenant == "" {
		return []tenant.AuditFilter{f}, nil
	}
	actions, actors := []string{f.Action}, []tenant.Actor{f.Actor}
	if strings.HasSuffix(f.Action, ".") {
		var err error
		if actions, err = auditActions(ctx, q, f.Tenant, f.Action, strings.TrimSuffix(f.Action, ".")+"/"); err != nil {
			return nil, err
		}
	}
	if f.By != "" && f.Actor == "" {
		actors = []tenant.Actor{tenant.ActorKey, tenant.ActorOperator, tenant.ActorUser, tenant.ActorSystem}
	}
	var out []tenant.AuditFilter
	for _, f.Action = range actions {
		for _, f.Actor = range actors {
			out = append(out, f)
		}
	}
	return out, nil
}

// auditRows returns rows by time, newest first.
func auditRows(ctx context.Context, q queryer, f tenant.AuditFilter, limit, offset int) ([]tenant.Entry, error) {
	filters, err := auditParts(ctx, q, f)
	if err != nil || len(filters) == 0 {
		return nil, err
	}
	var args []any
	var parts []string
	for _, part := range filters {
		w := auditWhere(args, part)
		args = append(w.args, limit+offset)
		parts = append(parts, fmt.Sprintf(`SELECT * FROM (SELECT %s FROM audit WHERE %s ORDER BY %s LIMIT $%d) AS p%d`, auditColumns, w, auditOrder(f), len(args), len(parts)))
	}
	args = append(args, limit, offset)
	return all(ctx, q, scanAudit, fmt.Sprintf(`SELECT %s FROM (%s) AS u ORDER BY %s LIMIT $%d OFFSET $%d`,
		auditColumns, strings.Join(parts, " UNION ALL "), auditOrder(f), len(args)-1, len(args)), args...)
}

// auditActions returns the different actions of a tenant from from to before to, each by one
// step in the index.
func auditActions(ctx context.Context, q queryer, tenantRef, from, to string) (out []string, err error) {
	for {
		var next sql.NullString
		err := q.QueryRowContext(ctx, `SELECT min(action) FROM audit WHERE tenant = $1 AND action > $2 AND action < $3`, tenantRef, from, to).Scan(&next)
		if err != nil || !next.Valid {
			return out, err
		}
		from = next.String
		out = append(out, from)
	}
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

// Record writes an audit row of work that changes no other row, such as a backup.
func (d *DB) Record(ctx context.Context, audit *tenant.Entry) error {
	err := d.write(ctx, everyone, func(tx *sql.Tx) error { return insertAudit(ctx, tx, audit) })
	return wrap(err, "record %s", audit.Action)
}
