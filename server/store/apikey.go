package store

import (
	"context"
	"database/sql"
	"strings"
	"time"

	"tcode/server/fault"
	"tcode/server/tenant"
)

const apiKeyColumns = `k.tenant, k.prefix, k.name, k.test, k.secret_hash, k.created_at, k.expires_at, k.last_used_at, k.revoked_at,
	k.scopes, k.last_from, k.uses_day, k.uses, k.successor`

// apiKeyRow scans apiKeyColumns, and further columns into more.
func apiKeyRow(r scanner, more ...any) (k tenant.APIKey, err error) {
	var created, expires, used, revoked int64
	var hash []byte
	var scopes string
	err = r.Scan(append([]any{
		&k.Tenant, &k.Prefix, &k.Name, &k.Test, &hash, &created, &expires, &used, &revoked,
		&scopes, &k.LastFrom, &k.UsedDay, &k.Used, &k.Successor,
	}, more...)...)
	copy(k.SecretHash[:], hash)
	k.CreatedAt, k.ExpiresAt, k.LastUsedAt, k.RevokedAt = fromMS(created), fromMS(expires), fromMS(used), fromMS(revoked)
	k.Scopes = scopesOf(scopes)
	return k, err
}

// scopesOf reads the column of scopes.
func scopesOf(words string) []tenant.Scope {
	if words == "stamp verify-history" { // most keys: without an allocation for each word
		return tenant.DefaultScopes()
	}
	var out []tenant.Scope
	for word := range strings.FieldsSeq(words) {
		out = append(out, tenant.Scope(word))
	}
	return out
}

// scopeWords returns scopes in the form of their column.
func scopeWords(scopes []tenant.Scope) string {
	words := make([]string, len(scopes))
	for i, s := range scopes {
		words[i] = string(s)
	}
	return strings.Join(words, " ")
}

// InsertAPIKey stores a new key.
func (d *DB) InsertAPIKey(ctx context.Context, k tenant.APIKey, once *tenant.IdempotencyRecord, audit *tenant.Entry) error {
	err := d.write(ctx, k.Tenant, func(tx *sql.Tx) error {
		return insertAPIKey(ctx, tx, k, once, audit)
	})
	return wrap(err, "insert api key %s", k.Prefix)
}

func insertAPIKey(ctx context.Context, tx *sql.Tx, k tenant.APIKey, once *tenant.IdempotencyRecord, audit *tenant.Entry) error {
	if once != nil {
		if err := putIdempotencyRecord(ctx, tx, *once); err != nil {
			return err
		}
	}
	var n int
	err := tx.QueryRowContext(ctx, `SELECT count(*) FROM api_keys WHERE tenant = $1 AND revoked_at = 0 AND (expires_at = 0 OR expires_at > $2)`,
		k.Tenant, ms(k.CreatedAt)).Scan(&n)
	if err != nil {
		return err
	}
	if n >= tenant.MaxKeys {
		return fault.New(fault.Conflict, fault.CodeConflict, "there are %d active API keys, the maximum: revoke some first", n)
	}
	_, err = tx.ExecContext(ctx, `
		INSERT INTO api_keys (tenant, prefix, name, test, secret_hash, created_at, expires_at, scopes)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		k.Tenant, k.Prefix, k.Name, one(k.Test), k.SecretHash[:], ms(k.CreatedAt), ms(k.ExpiresAt), scopeWords(k.Scopes))
	if err != nil {
		return err
	}
	return insertAudit(ctx, tx, audit)
}

// APIKey returns a key and its tenant by the key's visible prefix.
func (d *DB) APIKey(ctx context.Context, prefix string) (tenant.APIKey, tenant.Tenant, error) {
	var t tenant.Tenant
	into, done := tenantRow(&t)
	var requests sql.NullInt64
	k, err := apiKeyRow(d.hot.QueryRowContext(ctx, `
		SELECT `+apiKeyColumns+`, t.reference, t.name, t.state, t.created_at, t.updated_at, t.entitlements, t.requests_per_minute, t.language,
			(SELECT per_month FROM plan_quotas q WHERE q.tenant = t.reference AND q.kind = 'requests')
		FROM api_keys k JOIN tenants t ON t.reference = k.tenant
		WHERE k.prefix = $1`, prefix), append(into, &requests)...)
	done()
	if requests.Valid {
		t.Plan.Quotas = map[tenant.Kind]int64{tenant.KindRequests: requests.Int64}
	}
	return k, t, notFound(err, "read api key", "no API key %s", prefix)
}

// APIKeys returns a tenant's keys, newest first.
func (d *DB) APIKeys(ctx context.Context, tenantRef string) ([]tenant.APIKey, error) {
	ks, err := readAs(ctx, d, tenantRef, func(ctx context.Context, q queryer) ([]tenant.APIKey, error) {
		return all(ctx, q, func(r scanner) (tenant.APIKey, error) { return apiKeyRow(r) },
			`SELECT `+apiKeyColumns+` FROM api_keys k WHERE k.tenant = $1 ORDER BY k.created_at DESC, k.prefix`, tenantRef)
	})
	return ks, wrap(err, "read api keys of %s", tenantRef)
}

// RotateAPIKey stores the successor of a key.
func (d *DB) RotateAPIKey(ctx context.Context, tenantRef, prefix string, rotate func(tenant.APIKey) (tenant.KeyRotation, error)) error {
	err := d.write(ctx, tenantRef, func(tx *sql.Tx) error {
		old, err := apiKeyRow(tx.QueryRowContext(ctx, `SELECT `+apiKeyColumns+` FROM api_keys k WHERE k.tenant = $1 AND k.prefix = $2`+d.forUpdate, tenantRef, prefix))
		if err != nil {
			return notFound(err, "read api key", "no such API key")
		}
		r, err := rotate(old)
		if err != nil {
			return err
		}
		if r.Made.Tenant != tenantRef {
			return errOtherTenant
		}
		if _, err := tx.ExecContext(ctx, `UPDATE api_keys SET expires_at = $1, successor = $2 WHERE tenant = $3 AND prefix = $4`,
			ms(r.OldEnds), r.Made.Prefix, tenantRef, prefix); err != nil {
			return err
		}
		return insertAPIKey(ctx, tx, r.Made, r.Once, r.Audit)
	})
	return wrap(err, "rotate api key %s", prefix)
}

// RevokeAPIKey ends a key.
func (d *DB) RevokeAPIKey(ctx context.Context, tenantRef, prefix string, now time.Time, audit *tenant.Entry) error {
	err := d.write(ctx, tenantRef, func(tx *sql.Tx) error {
		res, err := tx.ExecContext(ctx, `UPDATE api_keys SET revoked_at = $1 WHERE tenant = $2 AND prefix = $3 AND revoked_at = 0`,
			ms(now), tenantRef, prefix)
		if err != nil {
			return err
		}
		n, err := res.RowsAffected()
		if err != nil {
			return err
		}
		if n > 0 {
			ended, err := d.endWork(ctx, tx, tenantRef, tenant.By{Actor: tenant.ActorKey, Name: prefix}, now)
			if err != nil {
				return err
			}
			return insertAudit(ctx, tx, ended.note(audit))
		}
		var revoked int64
		err = tx.QueryRowContext(ctx, `SELECT revoked_at FROM api_keys WHERE tenant = $1 AND prefix = $2`, tenantRef, prefix).Scan(&revoked)
		return notFound(err, "revoke api key", "no such API key")
	})
	return wrap(err, "revoke api key %s", prefix)
}

// TouchAPIKeys notes uses, all in one transaction.
func (d *DB) TouchAPIKeys(ctx context.Context, used []tenant.KeyUse, step time.Duration) error {
	err := d.write(ctx, everyone, func(tx *sql.Tx) error {
		for _, u := range used {
			_, err := tx.ExecContext(ctx, `
				UPDATE api_keys SET last_used_at = CASE WHEN last_used_at <= $2 THEN $1 ELSE last_used_at END,
					last_from = CASE WHEN $3 = '' THEN last_from ELSE $3 END,
					uses = CASE WHEN uses_day = $4 THEN uses + $5 WHEN uses_day < $4 THEN $5 ELSE uses END,
					uses_day = CASE WHEN uses_day < $4 THEN $4 ELSE uses_day END
				WHERE prefix = $6`, ms(u.At), ms(u.At.Add(-step)), u.From, int(tenant.DayOf(u.At)), u.Count, u.Prefix)
			if err != nil {
				return err
			}
		}
		return nil
	})
	return wrap(err, "note uses of api keys")
}
