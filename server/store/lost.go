package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"tcode/offline/payload"
	"tcode/offline/statuslist"
	"tcode/server/fault"
	"tcode/server/tenant"
)

// RevokeLost revokes, permanently, the status entry of a stamp whose row was lost in a
// restore. It reports false if the entry is revoked already. The entry must be in a shard
// that was closed by the restore, and no other stamp may have it: the error is a Conflict
// fault.
func (d *DB) RevokeLost(
	ctx context.Context, i payload.StatusIndex, audit *tenant.Entry,
) (changed bool, err error) {
	err = d.write(ctx, everyone, func(tx *sql.Tx) error {
		changed = false
		var state string
		row := tx.QueryRowContext(ctx, `SELECT state FROM shards WHERE number = $1`, i.Shard())
		err := row.Scan(&state)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		if state != shardClosed {
			return fault.New(fault.Conflict, fault.CodeConflict,
				"status shard %d was not closed by a restore: a stamp in it has its record here", i.Shard())
		}
		var taken, dead int
		err = tx.QueryRowContext(ctx, `
			SELECT (SELECT count(*) FROM status_entries WHERE shard = $1 AND entry = $2),
				(SELECT count(*) FROM lost_entries WHERE shard = $1 AND entry = $2 AND value IN ($3, $4))`,
			i.Shard(), i.Entry(), statuslist.Revoked, statuslist.Replaced).Scan(&taken, &dead)
		switch {
		case err != nil:
			return err
		case taken > 0:
			return fault.New(fault.Conflict, fault.CodeConflict,
				"another stamp has status entry %d/%d, so this payload is not this gateway's",
				i.Shard(), i.Entry())
		case dead > 0:
			return nil
		}
		changed = true
		if err := putLostEntry(ctx, tx, i.Shard(), i.Entry(), statuslist.Revoked); err != nil {
			return err
		}
		return insertAudit(ctx, tx, audit)
	})
	return changed, wrap(err, "revoke lost stamp")
}

// LostPayloads calls each with the payload, as text, of each scan of a stamp that has no
// row, until it returns false.
func (d *DB) LostPayloads(ctx context.Context, each func(text string) bool) error {
	err := d.read(ctx, everyone, func(q queryer) error {
		rows, err := q.QueryContext(ctx, `
			SELECT DISTINCT payload FROM scans WHERE tenant = '' AND payload <> ''`)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var text string
			if err := rows.Scan(&text); err != nil {
				return fmt.Errorf("read scan: %w", err)
			}
			if !each(text) {
				return nil
			}
		}
		return rows.Err()
	})
	return wrap(err, "read scans")
}
