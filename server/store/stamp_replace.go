package store

import (
	"context"
	"database/sql"

	"tcode/server/issue/stamp"
	"tcode/server/tenant"
)

// ReplaceStamp stores a stamp as the successor of old. The row of old stays locked to the
// end, so that the second of two replacements finds it revoked. All transactions lock shards
// before the one row that counts changes to publish.
func (d *DB) ReplaceStamp(ctx context.Context, old string, st stamp.Stamp, first, ev stamp.Event, once *tenant.IdempotencyRecord, audit *tenant.Entry) (rolled bool, err error) {
	err = d.write(ctx, st.Tenant, func(tx *sql.Tx) error {
		if err := d.takeQuota(ctx, tx, st.Tenant, tenant.KindStamps.Of(st.Test), 1, st.CreatedAt); err != nil {
			return err
		}
		if err := d.lockTwins(ctx, tx, st); err != nil { // before the row of old, as everywhere
			return err
		}
		var shard, entry uint16
		var document string
		err := tx.QueryRowContext(ctx, `SELECT status, shard, entry, document FROM stamps WHERE tenant = $1 AND id = $2`+d.forUpdate,
			st.Tenant, old).Scan(&ev.From, &shard, &entry, &document)
		if err != nil {
			return noStamp(err)
		}
		if document != "" {
			return stamp.Owned(document)
		}
		if ev.To, err = ev.From.Next(ev.Action); err != nil {
			return err
		}
		// This comes first, because the successor may take the external id.
		_, err = tx.ExecContext(ctx, `UPDATE stamps SET status = $1, replaced_by = $2, reason = $3, updated_at = $4 WHERE tenant = $5 AND id = $6`,
			ev.To, st.Reference.String(), ev.Reason, ms(ev.At), st.Tenant, old)
		if err != nil {
			return err
		}
		if err := d.insertStamp(ctx, tx, st, first); err != nil {
			return err
		}
		if err := stampHistory.add(ctx, tx, st.Tenant, old, ev); err != nil {
			return err
		}
		if err := setEntry(ctx, tx, shard, entry, ev.To.Entry(true)); err != nil {
			return err
		}
		return putRecords(ctx, tx, audit, once)
	})
	return err == nil && d.closeFull(ctx, st), wrap(err, "replace stamp %s", old)
}
