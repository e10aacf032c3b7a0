package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"tcode/server/tenant"
)

// errNoAudit would be a mistake in a service: a change that nobody made.
var errNoAudit = errors.New("a change without an audit entry")

// insertAudit writes the audit row of a change, in the change's transaction.
// Every store method that changes something takes an entry, calls insertAudit
// once where it is certain that the change takes place, and not at all where
// nothing changes (a repeat of the present state).
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
