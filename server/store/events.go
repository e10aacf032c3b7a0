package store

import (
	"context"
	"database/sql"
	"fmt"

	"tcode/server/issue/stamp"
	"tcode/server/issue/trustdoc"
	"tcode/server/store/pgdb"
)

// An eventTable has the history of stamps, or of documents: rows numbered from 0 for each owner.
// E is the domain's event.
type eventTable[E any] struct {
	name, owner string
	row         func(E) []any // the columns below, in this order
	scan        func(scanner) (E, error)
	emit        func(ctx context.Context, q queryer, tenantRef, id string, ev E) error // to the tenant's webhooks
}

const eventColumns = `action, from_status, to_status, reason, by_key, at`

var stampHistory = eventTable[stamp.Event]{
	"stamp_events", "stamp_id",
	func(e stamp.Event) []any { return []any{e.Action, e.From, e.To, e.Reason, e.By, ms(e.At)} },
	func(r scanner) (e stamp.Event, err error) {
		var at int64
		err = r.Scan(&e.Action, &e.From, &e.To, &e.Reason, &e.By, &at)
		e.At = fromMS(at)
		return e, err
	}, emitStamp,
}

var documentHistory = eventTable[trustdoc.Event]{
	"document_events", "document_id",
	func(e trustdoc.Event) []any { return []any{e.Action, e.From, e.To, e.Reason, e.By, ms(e.At)} },
	func(r scanner) (e trustdoc.Event, err error) {
		var at int64
		err = r.Scan(&e.Action, &e.From, &e.To, &e.Reason, &e.By, &at)
		e.At = fromMS(at)
		return e, err
	}, emitDocument,
}

// insert adds an event with a number that is free. The owner's row is as it is after
// ev.
func (h eventTable[E]) insert(ctx context.Context, tx *sql.Tx, tenantRef, id string, seq int, ev E) error {
	if err := h.emit(ctx, tx, tenantRef, id, ev); err != nil {
		return err
	}
	_, err := tx.ExecContext(pgdb.Later(ctx), `
		INSERT INTO `+h.name+` (tenant, `+h.owner+`, seq, `+eventColumns+`)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`, append([]any{tenantRef, id, seq}, h.row(ev)...)...)
	return wrap(err, "insert event")
}

// add inserts an event with the number after the last one. The owner's row is locked,
// and the number is read by a statement of its own: one that waited for the row's lock
// would look into the history as it was before the wait.
func (h eventTable[E]) add(ctx context.Context, tx *sql.Tx, tenantRef, id string, ev E) error {
	var last int
	err := tx.QueryRowContext(ctx, `SELECT max(seq) FROM `+h.name+` WHERE tenant = $1 AND `+h.owner+` = $2`, tenantRef, id).Scan(&last)
	if err != nil {
		return fmt.Errorf("read last event: %w", err)
	}
	return h.insert(ctx, tx, tenantRef, id, last+1, ev)
}

// read returns the history of one owner, oldest first.
func (h eventTable[E]) read(ctx context.Context, d *DB, tenantRef, id string) (es []E, err error) {
	err = d.read(ctx, tenantRef, func(q queryer) error {
		es, err = all(ctx, q, h.scan, `SELECT `+eventColumns+` FROM `+h.name+` WHERE tenant = $1 AND `+h.owner+` = $2 ORDER BY seq`, tenantRef, id)
		return err
	})
	return es, wrap(err, "read %s of %s", h.name, id)
}
