package store

import (
	"context"

	"tcode/server/issue/stamp"
)

// OpenShard returns the shard in which new stamps get their entries.
func (d *DB) OpenShard(ctx context.Context) (number uint16, err error) {
	err = d.hot.QueryRowContext(ctx, `SELECT number FROM shards WHERE state = 'open'`).Scan(&number)
	return number, wrap(err, "read open shard")
}

// EntryFree reports whether no stamp has the entry yet.
func (d *DB) EntryFree(ctx context.Context, shard, entry uint16) (bool, error) {
	var n int
	err := d.hot.QueryRowContext(ctx, `SELECT count(*) FROM status_entries WHERE shard = $1 AND entry = $2`, shard, entry).Scan(&n)
	return n == 0, wrap(err, "read status entry")
}

// Stamp returns one stamp with its field values and files.
func (d *DB) Stamp(ctx context.Context, tenantRef, id string) (st stamp.Stamp, err error) {
	err = d.read(ctx, tenantRef, func(q queryer) error {
		st, err = scanStamp(q.QueryRowContext(ctx,
			`SELECT `+stampRead+` FROM stamps WHERE tenant = $1 AND id = $2`, tenantRef, id))
		if err != nil {
			return noStamp(err)
		}
		if st.Values, err = stampParts.values(ctx, q, tenantRef, id); err != nil {
			return err
		}
		if st.Delivery, err = stampMail(ctx, q, tenantRef, id); err != nil {
			return err
		}
		st.Files, err = stampParts.files(ctx, q, tenantRef, id)
		return err
	})
	if err != nil {
		return stamp.Stamp{}, err
	}
	return st, nil
}

// Events returns a stamp's history, oldest first.
func (d *DB) Events(ctx context.Context, tenantRef, id string) ([]stamp.Event, error) {
	return stampHistory.read(ctx, d, tenantRef, id)
}
