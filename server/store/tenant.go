package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"tcode/server/fault"
	"tcode/server/tenant"
)

var (
	_ tenant.Store            = (*DB)(nil)
	_ tenant.IdempotencyStore = (*DB)(nil)
)

const tenantColumns = `reference, name, state, created_at, updated_at, entitlements, requests_per_minute, language`

func scanTenant(r scanner) (t tenant.Tenant, err error) {
	scan, done := tenantRow(&t)
	err = r.Scan(scan...)
	done()
	return t, err
}

// tenantRow returns the targets for a scan of tenantColumns, and the function that completes t then.
func tenantRow(t *tenant.Tenant) (into []any, done func()) {
	var created, updated int64
	var words string
	var perMinute int
	return []any{&t.Reference, &t.Name, &t.State, &created, &updated, &words, &perMinute, &t.Language}, func() {
		t.CreatedAt, t.UpdatedAt = fromMS(created), fromMS(updated)
		t.Plan = planOf(words, perMinute)
	}
}

// InsertTenant stores a tenant with its first signing key.
func (d *DB) InsertTenant(ctx context.Context, t tenant.Tenant, first tenant.SigningKey, audit *tenant.Entry) (bool, error) {
	taken := false
	err := d.write(ctx, t.Reference, func(tx *sql.Tx) error {
		if err := notRestored(ctx, tx); err != nil {
			return err
		}
		err := insertTenantRow(ctx, tx, t)
		if isUnique(err, "tenants") {
			taken = true
		}
		if err != nil {
			return err
		}
		if err := noteTenantState(ctx, tx, t.Reference, t.State, t.CreatedAt); err != nil {
			return err
		}
		if err := putSigningKey(ctx, tx, first); err != nil {
			return err
		}
		if err := insertAudit(ctx, tx, audit); err != nil {
			return err
		}
		return wantBundle(ctx, tx)
	})
	if taken {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("insert tenant %s: %w", t.Reference, err)
	}
	return true, nil
}

func insertTenantRow(ctx context.Context, tx *sql.Tx, t tenant.Tenant) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO tenants (`+tenantColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		t.Reference, t.Name, t.State, ms(t.CreatedAt), ms(t.UpdatedAt), entitlementWords(t.Plan), t.Plan.RequestsPerMinute, t.Language)
	return err
}

// Tenant returns one tenant.
func (d *DB) Tenant(ctx context.Context, reference string) (tenant.Tenant, error) {
	return tenantOf(ctx, d.hot, reference)
}

func tenantOf(ctx context.Context, q queryer, reference string) (tenant.Tenant, error) {
	t, err := scanTenant(q.QueryRowContext(ctx, `SELECT `+tenantColumns+` FROM tenants WHERE reference = $1`, reference))
	return t, notFound(err, "read tenant", "no tenant %s", reference)
}

// Tenants returns all tenants by reference.
func (d *DB) Tenants(ctx context.Context) ([]tenant.Tenant, error) {
	return readAs(ctx, d, everyone, tenants)
}

func tenants(ctx context.Context, q queryer) ([]tenant.Tenant, error) {
	ts, err := all(ctx, q, scanTenant, `SELECT `+tenantColumns+` FROM tenants ORDER BY reference`)
	if err != nil {
		return nil, fmt.Errorf("read tenants: %w", err)
	}
	return ts, nil
}

// SetTenantState suspends or activates a tenant.
func (d *DB) SetTenantState(ctx context.Context, reference string, s tenant.State, now time.Time, audit *tenant.Entry) error {
	err := d.write(ctx, reference, func(tx *sql.Tx) error {
		res, err := tx.ExecContext(ctx, `UPDATE tenants SET state = $1, updated_at = $2 WHERE reference = $3 AND state <> $1`, s, ms(now), reference)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			if err == nil {
				_, err = tenantOf(ctx, tx, reference) // already in that state, or unknown
			}
			return err
		}
		if err := noteTenantState(ctx, tx, reference, s, now); err != nil {
			return err
		}
		if err := insertAudit(ctx, tx, audit); err != nil {
			return err
		}
		return wantBundle(ctx, tx)
	})
	return wrap(err, "set state of tenant %s", reference)
}

// SetTenantLanguage sets the language of messages to a tenant's recipients.
func (d *DB) SetTenantLanguage(ctx context.Context, reference, language string, now time.Time, audit *tenant.Entry) error {
	err := d.write(ctx, reference, func(tx *sql.Tx) error {
		res, err := tx.ExecContext(ctx, `UPDATE tenants SET language = $1, updated_at = $2 WHERE reference = $3 AND language <> $1`, language, ms(now), reference)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			if err == nil {
				_, err = tenantOf(ctx, tx, reference) // already that language, or unknown
			}
			return err
		}
		return insertAudit(ctx, tx, audit)
	})
	return wrap(err, "set language of tenant %s", reference)
}

func noteTenantState(ctx context.Context, tx *sql.Tx, reference string, s tenant.State, now time.Time) error {
	_, err := tx.ExecContext(ctx, `
		INSERT INTO tenant_states (tenant, seq, state, at)
		SELECT $1, (SELECT count(*) FROM tenant_states WHERE tenant = $1), $2, $3`, reference, s, ms(now))
	return wrap(err, "note tenant state")
}

// IdempotencyRecord returns the answer kept for a request.
func (d *DB) IdempotencyRecord(ctx context.Context, tenantRef, route, key string, since time.Time) (tenant.IdempotencyRecord, bool, error) {
	o := tenant.IdempotencyRecord{Tenant: tenantRef, Route: route, Key: key}
	var digest []byte
	var created int64
	err := d.read(ctx, tenantRef, func(q queryer) error {
		return q.QueryRowContext(ctx, `
			SELECT digest, status, body, created_at FROM once
			WHERE tenant = $1 AND route = $2 AND key = $3 AND created_at > $4`,
			tenantRef, route, key, ms(since)).Scan(&digest, &o.Status, &o.Body, &created)
	})
	if errors.Is(err, sql.ErrNoRows) {
		return tenant.IdempotencyRecord{}, false, nil
	}
	copy(o.Digest[:], digest)
	o.CreatedAt = fromMS(created)
	return o, err == nil, wrap(err, "read kept answer")
}

// putIdempotencyRecord stores an answer. A used key is a Conflict fault: the effect of the
// other request counts.
func putIdempotencyRecord(ctx context.Context, tx *sql.Tx, o tenant.IdempotencyRecord) error {
	if o.Row != nil {
		return succeedRow(ctx, tx, o.Tenant, *o.Row, o.CreatedAt)
	}
	_, err := tx.ExecContext(ctx, `DELETE FROM once WHERE tenant = $1 AND created_at <= $2`,
		o.Tenant, ms(o.CreatedAt.Add(-tenant.IdempotencyLifetime)))
	if err != nil {
		return fmt.Errorf("keep answer: %w", err)
	}
	res, err := tx.ExecContext(ctx, `
		INSERT INTO once (tenant, route, key, digest, status, body, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7)
		ON CONFLICT (tenant, route, key) DO NOTHING`,
		o.Tenant, o.Route, o.Key, o.Digest[:], o.Status, o.Body, ms(o.CreatedAt))
	if err != nil {
		return fmt.Errorf("keep answer: %w", err)
	}
	n, err := res.RowsAffected()
	if err == nil && n == 0 {
		return fault.New(fault.Conflict, fault.CodeConflict, "another request with this Idempotency-Key was answered meanwhile").WithErr(tenant.ErrAnswered)
	}
	return wrap(err, "keep answer")
}
