package store

import (
	"context"

	"tcode/server/issue/stamp"
)

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
