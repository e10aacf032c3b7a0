package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// eventTable is the table of the history of stamps, or of documents: rows numbered from 0
// for each owner.
type eventTable struct{ name, owner string }

var (
	stampEventTable    = eventTable{"stamp_events", "stamp_id"}
	documentEventTable = eventTable{"document_events", "document_id"}
)

// change is one row of a history, without its number. The words are those of the
// domain.
type change struct {
	action, from, to any
	reason, by       string
	at               time.Time
}

// insert adds a row with an unused number.
func (t eventTable) insert(ctx context.Context, tx *sql.Tx, tenantRef, id string, seq int, c change) error {
	_, err := tx.ExecContext(ctx, `
		INSERT INTO `+t.name+` (tenant, `+t.owner+`, seq, action, from_status, to_status, reason, by_key, at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		tenantRef, id, seq, c.action, c.from, c.to, c.reason, c.by, ms(c.at))
	return wrap(err, "insert event")
}

// next returns the number after the last one. The owner's row is locked, and this must be
// a separate statement: a statement that waited for the row's lock would see the history
// from before the wait.
func (t eventTable) next(ctx context.Context, tx *sql.Tx, tenantRef, id string) (seq int, err error) {
	err = tx.QueryRowContext(ctx, `SELECT max(seq) FROM `+t.name+` WHERE tenant = $1 AND `+t.owner+` = $2`, tenantRef, id).Scan(&seq)
	if err != nil {
		return 0, fmt.Errorf("read last event: %w", err)
	}
	return seq + 1, nil
}
