package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"tcode/server/issue/stamp"

	"tcode/offline/payload"
	"tcode/offline/statuslist"
	"tcode/server/publish"
	"tcode/server/tenant"
)

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
	scope := tenantRef
	if scope == "" {
		scope = everyone
	}
	return readAs(ctx, d, scope, func(ctx context.Context, q queryer) ([]tenant.SigningKey, error) {
		return signingKeys(ctx, q, tenantRef)
	})
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

// ChangeSigningKeys stores a tenant's keys as plan changes them.
func (d *DB) ChangeSigningKeys(ctx context.Context, tenantRef string,
	plan func([]tenant.SigningKey, func(uint8) ([]statuslist.Mark, error)) (tenant.KeyChange, error),
) error {
	err := d.write(ctx, tenantRef, func(tx *sql.Tx) error {
		if err := notRestored(ctx, tx); err != nil {
			return err
		}
		// A stamp that is being stored locks its key's row: it is among the marks, or it finds the
		// key changed.
		_, err := all(ctx, tx, func(r scanner) (seq int, err error) { return seq, r.Scan(&seq) },
			`SELECT seq FROM signing_keys WHERE tenant = $1 ORDER BY seq`+d.forUpdate, tenantRef)
		if err != nil {
			return fmt.Errorf("lock signing keys: %w", err)
		}
		have, err := signingKeys(ctx, tx, tenantRef)
		if err != nil {
			return err
		}
		change, err := plan(have, func(seq uint8) ([]statuslist.Mark, error) { return stampMarks(ctx, tx, tenantRef, seq) })
		if err != nil || len(change.Put) == 0 {
			return err
		}
		for _, k := range change.Put {
			if k.Tenant != tenantRef {
				return fmt.Errorf("put key %s: %w", k.ID(), errOtherTenant)
			}
			if err := putSigningKey(ctx, tx, k); err != nil {
				return err
			}
		}
		if change.Survivors != nil {
			if err := putSurvivors(ctx, tx, change.Survivors, change.Audit.At); err != nil {
				return err
			}
		}
		if err := insertAudit(ctx, tx, change.Audit); err != nil {
			return err
		}
		if err := emitRotated(ctx, tx, tenantRef, have, change.Put, change.Audit.At); err != nil {
			return err
		}
		return wantBundle(ctx, tx)
	})
	return wrap(err, "change signing keys of %s", tenantRef)
}

// stampMarks returns the marks of all stamps that a key signed, oldest first, for its
// survivor list.
func stampMarks(ctx context.Context, q queryer, tenantRef string, seq uint8) ([]statuslist.Mark, error) {
	marks, err := all(ctx, q, func(r scanner) (m statuslist.Mark, err error) {
		var raw []byte
		if err := r.Scan(&raw); err != nil {
			return m, err
		}
		if stamp.IsHusk(raw) {
			h, err := stamp.ParseHusk(raw)
			return statuslist.Mark(h.Core[:statuslist.MarkSize]), err
		}
		if len(raw) <= payload.SignatureLen {
			return m, fmt.Errorf("a stamp of key %s has a payload of %d bytes", tenant.KeyID(tenantRef, seq), len(raw))
		}
		return statuslist.MarkOf(payload.Core(raw)), nil
	}, `SELECT payload FROM stamps WHERE tenant = $1 AND key_seq = $2 ORDER BY created_at, id`, tenantRef, seq)
	return marks, wrap(err, "read stamps of key %s", tenant.KeyID(tenantRef, seq))
}

// putSurvivors stores a survivor list, which devices fetch by its hash. It stays as long
// as a key names it.
func putSurvivors(ctx context.Context, tx *sql.Tx, s statuslist.Survivors, now time.Time) error {
	return publication{tx: tx}.PutObject(ctx, publish.Object{SHA256: s.Hash(), Data: append([]byte{}, s.Bytes()...), ContentType: publish.TypeSurvivors}, now)
}
