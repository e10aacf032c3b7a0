package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"tcode/offline/litedb"
	"tcode/offline/payload"
	"tcode/server/fault"
	"tcode/server/tenant"
)

var (
	_ tenant.Store     = (*DB)(nil)
	_ tenant.OnceStore = (*DB)(nil)
)

const tenantColumns = `reference, name, state, created_at, updated_at`

func scanTenant(r scanner) (t tenant.Tenant, err error) {
	var created, updated int64
	err = r.Scan(&t.Reference, &t.Name, &t.State, &created, &updated)
	t.CreatedAt, t.UpdatedAt = fromMS(created), fromMS(updated)
	return t, err
}

// InsertTenant stores a tenant with its first signing key.
func (d *DB) InsertTenant(ctx context.Context, t tenant.Tenant, first tenant.SigningKey) (bool, error) {
	taken := false
	err := d.db.Write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO tenants (`+tenantColumns+`) VALUES ($1, $2, $3, $4, $5)`,
			t.Reference, t.Name, t.State, ms(t.CreatedAt), ms(t.UpdatedAt))
		if litedb.IsUnique(err) {
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
	return tenants(ctx, d.db.Reader())
}

func tenants(ctx context.Context, q queryer) ([]tenant.Tenant, error) {
	ts, err := all(ctx, q, scanTenant, `SELECT `+tenantColumns+` FROM tenants ORDER BY reference`)
	if err != nil {
		return nil, fmt.Errorf("read tenants: %w", err)
	}
	return ts, nil
}

// SetTenantState suspends or activates a tenant.
func (d *DB) SetTenantState(ctx context.Context, reference string, s tenant.State, now time.Time) error {
	err := d.db.Write(ctx, func(tx *sql.Tx) error {
		res, err := tx.ExecContext(ctx, `UPDATE tenants SET state = $1, updated_at = $2 WHERE reference = $3`, s, ms(now), reference)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return notFound(orElse(err, sql.ErrNoRows), "set tenant state", "no tenant %s", reference)
		}
		if err := noteTenantState(ctx, tx, reference, s, now); err != nil {
			return err
		}
		return wantBundle(ctx, tx)
	})
	return wrap(err, "set state of tenant %s", reference)
}

func noteTenantState(ctx context.Context, tx *sql.Tx, reference string, s tenant.State, now time.Time) error {
	_, err := tx.ExecContext(ctx, `
		INSERT INTO tenant_states (tenant, seq, state, at)
		SELECT $1, (SELECT count(*) FROM tenant_states WHERE tenant = $1), $2, $3`, reference, s, ms(now))
	return wrap(err, "note tenant state")
}

const apiKeyColumns = `k.tenant, k.prefix, k.name, k.test, k.secret_hash, k.created_at, k.expires_at, k.last_used_at, k.revoked_at`

// apiKeyRow scans apiKeyColumns, and what follows them into more.
func apiKeyRow(r scanner, more ...any) (k tenant.APIKey, err error) {
	var created, expires, used, revoked int64
	var hash []byte
	err = r.Scan(append([]any{&k.Tenant, &k.Prefix, &k.Name, &k.Test, &hash, &created, &expires, &used, &revoked}, more...)...)
	copy(k.SecretHash[:], hash)
	k.CreatedAt, k.ExpiresAt, k.LastUsedAt, k.RevokedAt = fromMS(created), fromMS(expires), fromMS(used), fromMS(revoked)
	return k, err
}

// InsertAPIKey stores a new key.
func (d *DB) InsertAPIKey(ctx context.Context, k tenant.APIKey) error {
	err := d.db.Write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `
			INSERT INTO api_keys (tenant, prefix, name, test, secret_hash, created_at, expires_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7)`,
			k.Tenant, k.Prefix, k.Name, one(k.Test), k.SecretHash[:], ms(k.CreatedAt), ms(k.ExpiresAt))
		return err
	})
	return wrap(err, "insert api key %s", k.Prefix)
}

// APIKey returns a key and its tenant by the key's visible prefix.
func (d *DB) APIKey(ctx context.Context, prefix string) (tenant.APIKey, tenant.Tenant, error) {
	var t tenant.Tenant
	var created, updated int64
	k, err := apiKeyRow(d.hot.QueryRowContext(ctx, `
		SELECT `+apiKeyColumns+`, t.reference, t.name, t.state, t.created_at, t.updated_at
		FROM api_keys k JOIN tenants t ON t.reference = k.tenant
		WHERE k.prefix = $1`, prefix),
		&t.Reference, &t.Name, &t.State, &created, &updated)
	t.CreatedAt, t.UpdatedAt = fromMS(created), fromMS(updated)
	return k, t, notFound(err, "read api key", "no API key %s", prefix)
}

// APIKeys returns a tenant's keys, newest first.
func (d *DB) APIKeys(ctx context.Context, tenantRef string) ([]tenant.APIKey, error) {
	ks, err := all(ctx, d.db.Reader(), func(r scanner) (tenant.APIKey, error) { return apiKeyRow(r) },
		`SELECT `+apiKeyColumns+` FROM api_keys k WHERE k.tenant = $1 ORDER BY k.created_at DESC, k.prefix`, tenantRef)
	return ks, wrap(err, "read api keys of %s", tenantRef)
}

// RevokeAPIKey ends a key.
func (d *DB) RevokeAPIKey(ctx context.Context, tenantRef, prefix string, now time.Time) error {
	err := d.db.Write(ctx, func(tx *sql.Tx) error {
		res, err := tx.ExecContext(ctx, `
			UPDATE api_keys SET revoked_at = CASE WHEN revoked_at = 0 THEN $1 ELSE revoked_at END
			WHERE tenant = $2 AND prefix = $3`, ms(now), tenantRef, prefix)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return notFound(orElse(err, sql.ErrNoRows), "revoke api key", "tenant %s has no API key %s", tenantRef, prefix)
		}
		return nil
	})
	return wrap(err, "revoke api key %s", prefix)
}

// TouchAPIKey notes a key's last use.
func (d *DB) TouchAPIKey(ctx context.Context, prefix string, now time.Time) error {
	err := d.db.Write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE api_keys SET last_used_at = $1 WHERE prefix = $2`, ms(now), prefix)
		return err
	})
	return wrap(err, "touch api key %s", prefix)
}

const signingKeyColumns = `tenant, seq, algorithm, public, state, valid_from, valid_until,
	compromised_since, survivor_list, created_at, sealed`

func scanSigningKey(r scanner) (k tenant.SigningKey, err error) {
	var alg string
	var public []byte
	var from, until, since, created int64
	err = r.Scan(&k.Tenant, &k.Seq, &alg, &public, &k.State, &from, &until, &since, &k.SurvivorList, &created, &k.Sealed)
	if err != nil {
		return k, err
	}
	k.ValidFrom, k.ValidUntil, k.CompromisedSince, k.CreatedAt = fromMS(from), fromMS(until), fromMS(since), fromMS(created)
	algorithm, err := payload.ParseAlgorithm(alg)
	if err == nil {
		k.Public, err = payload.ParsePublicKey(algorithm, public)
	}
	if err != nil {
		return k, fmt.Errorf("key %s: %w", k.ID(), err)
	}
	return k, nil
}

// SigningKeys returns the keys of one tenant, or of all if tenantRef is "".
func (d *DB) SigningKeys(ctx context.Context, tenantRef string) ([]tenant.SigningKey, error) {
	return signingKeys(ctx, d.db.Reader(), tenantRef)
}

func signingKeys(ctx context.Context, q queryer, tenantRef string) ([]tenant.SigningKey, error) {
	query, args := `SELECT `+signingKeyColumns+` FROM signing_keys ORDER BY tenant, seq`, []any(nil)
	if tenantRef != "" {
		query, args = `SELECT `+signingKeyColumns+` FROM signing_keys WHERE tenant = $1 ORDER BY seq`, []any{tenantRef}
	}
	ks, err := all(ctx, q, scanSigningKey, query, args...)
	return ks, wrap(err, "read signing keys")
}

func putSigningKey(ctx context.Context, tx *sql.Tx, k tenant.SigningKey) error {
	_, err := tx.ExecContext(ctx, `
		INSERT INTO signing_keys (`+signingKeyColumns+`)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
		ON CONFLICT (tenant, seq) DO UPDATE SET state = excluded.state, valid_from = excluded.valid_from,
			valid_until = excluded.valid_until, compromised_since = excluded.compromised_since,
			survivor_list = excluded.survivor_list`,
		k.Tenant, k.Seq, k.Public.Algorithm().String(), k.Public.Bytes(), k.State, ms(k.ValidFrom), ms(k.ValidUntil),
		ms(k.CompromisedSince), k.SurvivorList, ms(k.CreatedAt), k.Sealed)
	return wrap(err, "put signing key %s", k.ID())
}

// ChangeSigningKeys stores what plan makes of a tenant's keys.
func (d *DB) ChangeSigningKeys(ctx context.Context, tenantRef string, plan func([]tenant.SigningKey) ([]tenant.SigningKey, error)) error {
	err := d.db.Write(ctx, func(tx *sql.Tx) error {
		have, err := signingKeys(ctx, tx, tenantRef)
		if err != nil {
			return err
		}
		put, err := plan(have)
		if err != nil || len(put) == 0 {
			return err
		}
		for _, k := range put {
			if k.Tenant != tenantRef {
				return fmt.Errorf("put key %s: %w", k.ID(), errOtherTenant)
			}
			if err := putSigningKey(ctx, tx, k); err != nil {
				return err
			}
		}
		return wantBundle(ctx, tx)
	})
	return wrap(err, "change signing keys of %s", tenantRef)
}

// Once returns the answer kept for a request.
func (d *DB) Once(ctx context.Context, tenantRef, route, key string, since time.Time) (tenant.Once, bool, error) {
	o := tenant.Once{Tenant: tenantRef, Route: route, Key: key}
	var digest []byte
	var created int64
	err := d.db.Reader().QueryRowContext(ctx, `
		SELECT digest, status, body, created_at FROM once
		WHERE tenant = $1 AND route = $2 AND key = $3 AND created_at > $4`,
		tenantRef, route, key, ms(since)).Scan(&digest, &o.Status, &o.Body, &created)
	if errors.Is(err, sql.ErrNoRows) {
		return tenant.Once{}, false, nil
	}
	copy(o.Digest[:], digest)
	o.CreatedAt = fromMS(created)
	return o, err == nil, wrap(err, "read kept answer")
}

// putOnce keeps an answer. A key that is taken is a Conflict fault: the other
// request is the one whose effect counts.
func putOnce(ctx context.Context, tx *sql.Tx, o tenant.Once) error {
	_, err := tx.ExecContext(ctx, `DELETE FROM once WHERE created_at <= $1`, ms(o.CreatedAt.Add(-tenant.OnceLifetime)))
	if err != nil {
		return fmt.Errorf("keep answer: %w", err)
	}
	_, err = tx.ExecContext(ctx, `
		INSERT INTO once (tenant, route, key, digest, status, body, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		o.Tenant, o.Route, o.Key, o.Digest[:], o.Status, o.Body, ms(o.CreatedAt))
	if litedb.IsUnique(err) {
		return fault.New(fault.Conflict, fault.CodeConflict, "another request with this Idempotency-Key was answered meanwhile").WithErr(tenant.ErrAnswered)
	}
	return wrap(err, "keep answer")
}
