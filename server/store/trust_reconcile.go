package store

import (
	"context"
	"database/sql"
	"fmt"

	"tcode/server/issue/stamp"
	"tcode/server/issue/trustdoc"
	"tcode/server/tenant"
)

// ofDocument maps a stamp's lost action to the action on the document that owns it. An
// expiry comes back as a revocation: the status list does not distinguish them.
var ofDocument = map[stamp.Action]trustdoc.Action{stamp.ActionRevoke: trustdoc.ActionRevoke, stamp.ActionSuspend: trustdoc.ActionSuspend}

// actOnOwner applies a stamp's action to the document that owns it.
func (r *reconciler) actOnOwner(ctx context.Context, tx *sql.Tx, tenantRef, reference string, a stamp.Action) error {
	ref, err := trustdoc.ParseReference(reference)
	if err != nil {
		return fmt.Errorf("owner of a stamp: %w", err)
	}
	ev := trustdoc.Event{Action: ofDocument[a], Reason: reasonRestored, At: r.now}
	var id string
	err = tx.QueryRowContext(ctx, `SELECT id, status FROM documents WHERE tenant = $1 AND reference = $2`, tenantRef, ref[:]).Scan(&id, &ev.From)
	if err != nil {
		return noDocument(err)
	}
	if ev.To, err = ev.From.Next(ev.Action); err != nil || ev.To == ev.From {
		return err
	}
	_, err = tx.ExecContext(ctx, `UPDATE documents SET status = $1, reason = $2, updated_at = $3 WHERE tenant = $4 AND id = $5`,
		ev.To, ev.Reason, ms(r.now), tenantRef, id)
	if err != nil {
		return err
	}
	if err := documentHistory.add(ctx, tx, tenantRef, id, ev); err != nil {
		return err
	}
	audit := &tenant.Entry{Tenant: tenantRef, By: r.by, Action: "document." + string(ev.Action), Subject: id, At: r.now}
	return insertAudit(ctx, tx, audit.With("because", "restore"))
}
