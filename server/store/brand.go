package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"tcode/server/brand"
	"tcode/server/tenant"
)

var _ brand.Store = (*DB)(nil)

// Brand returns how a tenant looks, without the data of its logo.
func (d *DB) Brand(ctx context.Context, tenantRef string) (brand.Brand, error) {
	b, err := readAs(ctx, d, tenantRef, func(ctx context.Context, q queryer) (brand.Brand, error) { return brandOf(ctx, q, tenantRef) })
	return b, wrap(err, "read brand of %s", tenantRef)
}

func brandOf(ctx context.Context, q queryer, tenantRef string) (b brand.Brand, err error) {
	l := &b.Logo
	err = q.QueryRowContext(ctx, `
		SELECT colour, web, email, phone, names, logo_sha256, logo_type, logo_width, logo_height FROM brands WHERE tenant = $1`, tenantRef).
		Scan(&b.Colour, &b.Web, &b.Email, &b.Phone, &b.Names, &l.SHA256, &l.Type, &l.Width, &l.Height)
	if errors.Is(err, sql.ErrNoRows) {
		return brand.Brand{}, nil
	}
	return b, err
}

// Logo returns a logo of a tenant.
func (d *DB) Logo(ctx context.Context, tenantRef, sha256 string) (brand.Logo, error) {
	l, err := readAs(ctx, d, tenantRef, func(ctx context.Context, q queryer) (l brand.Logo, err error) {
		err = q.QueryRowContext(ctx, `
			SELECT logo_sha256, logo_type, logo_width, logo_height, logo FROM brands WHERE tenant = $1 AND logo_sha256 = $2 AND logo_sha256 <> ''`, tenantRef, sha256).
			Scan(&l.SHA256, &l.Type, &l.Width, &l.Height, &l.Data)
		return l, err
	})
	return l, notFound(err, "read logo", "no such logo")
}

// ChangeBrand changes how a tenant looks. A logo without data is the one that is stored.
func (d *DB) ChangeBrand(ctx context.Context, tenantRef string, now time.Time, change func(*brand.Brand) error, audit *tenant.Entry) (b brand.Brand, err error) {
	err = d.write(ctx, tenantRef, func(tx *sql.Tx) error {
		if _, err := tenantOf(ctx, tx, tenantRef); err != nil {
			return err
		}
		if b, err = brandOf(ctx, tx, tenantRef); err != nil {
			return err
		}
		stored := b.Logo.SHA256
		if err := change(&b); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `
			INSERT INTO brands (tenant, colour, web, email, phone, names, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7)
			ON CONFLICT (tenant) DO UPDATE SET colour = $2, web = $3, email = $4, phone = $5, names = $6, updated_at = $7`,
			tenantRef, b.Colour, b.Web, b.Email, b.Phone, one(b.Names), ms(now))
		if err != nil {
			return err
		}
		if l := b.Logo; l.SHA256 != stored {
			_, err = tx.ExecContext(ctx, `
				UPDATE brands SET logo = $2, logo_sha256 = $3, logo_type = $4, logo_width = $5, logo_height = $6 WHERE tenant = $1`,
				tenantRef, append([]byte{}, l.Data...), l.SHA256, l.Type, l.Width, l.Height)
			if err != nil {
				return err
			}
		}
		return insertAudit(ctx, tx, audit)
	})
	return b, wrap(err, "change brand of %s", tenantRef)
}
