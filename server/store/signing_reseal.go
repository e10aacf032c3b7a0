package store

import (
	"context"
	"database/sql"
	"fmt"

	"tcode/server/outbound/webhook"
	"tcode/server/tenant"
)

// Reseal replaces every sealed secret, of tenants' signing keys, of the gateway, of webhooks and of
// users, by the result of reseal, in one transaction, and returns the number of replaced ones. If a secret does
// not open, nothing is changed.
func (d *DB) Reseal(ctx context.Context, reseal func(sealed []byte, tenant, keyID string) ([]byte, bool, error), audit *tenant.Entry) (n int, err error) {
	err = d.write(ctx, everyone, func(tx *sql.Tx) error {
		n = 0
		keys, err := signingKeys(ctx, tx, "")
		if err != nil {
			return err
		}
		for _, k := range keys {
			if len(k.Sealed) == 0 {
				continue // its private half is lost since a restore
			}
			anew, changed, err := reseal(k.Sealed, k.Tenant, k.ID())
			if err != nil {
				return err
			}
			if !changed {
				continue
			}
			n++
			_, err = tx.ExecContext(ctx, `UPDATE signing_keys SET sealed = $1 WHERE tenant = $2 AND seq = $3`, anew, k.Tenant, k.Seq)
			if err != nil {
				return fmt.Errorf("put key %s: %w", k.ID(), err)
			}
		}
		more, err := resealSecrets(ctx, tx, reseal)
		if err != nil {
			return err
		}
		hooks, err := resealWebhooks(ctx, tx, reseal)
		if err != nil {
			return err
		}
		factors, err := resealUsers(ctx, tx, reseal)
		if err != nil {
			return err
		}
		providers, err := resealProviders(ctx, tx, reseal)
		if err != nil {
			return err
		}
		if n += more + hooks + factors + providers; n == 0 {
			return nil
		}
		return insertAudit(ctx, tx, audit)
	})
	return n, wrap(err, "reseal all keys")
}

func resealSecrets(ctx context.Context, tx *sql.Tx, reseal func([]byte, string, string) ([]byte, bool, error)) (n int, err error) {
	type row struct {
		name   string
		sealed []byte
	}
	rows, err := all(ctx, tx, func(r scanner) (s row, err error) { return s, r.Scan(&s.name, &s.sealed) },
		`SELECT name, sealed FROM secrets ORDER BY name`)
	if err != nil {
		return 0, fmt.Errorf("read secrets: %w", err)
	}
	for _, s := range rows {
		anew, changed, err := reseal(s.sealed, "", s.name)
		if err != nil {
			return 0, err
		}
		if !changed {
			continue
		}
		n++
		if _, err := tx.ExecContext(ctx, `UPDATE secrets SET sealed = $1 WHERE name = $2`, anew, s.name); err != nil {
			return 0, fmt.Errorf("put secret %s: %w", s.name, err)
		}
	}
	return n, nil
}

// resealWebhooks seals the secrets of all endpoints, including the replaced
// ones.
func resealWebhooks(ctx context.Context, tx *sql.Tx, reseal func([]byte, string, string) ([]byte, bool, error)) (n int, err error) {
	endpoints, err := all(ctx, tx, scanWebhook, `SELECT `+webhookColumns+` FROM webhooks ORDER BY tenant, id`)
	if err != nil {
		return 0, fmt.Errorf("read webhooks: %w", err)
	}
	for _, e := range endpoints {
		secrets := [][]byte{e.Secret, e.OldSecret}
		before := n
		for i, sealed := range secrets {
			if len(sealed) == 0 {
				continue
			}
			anew, changed, err := reseal(sealed, e.Tenant, webhook.SecretName(e.ID))
			if err != nil {
				return 0, err
			}
			if changed {
				secrets[i] = anew
				n++
			}
		}
		if n == before {
			continue
		}
		_, err = tx.ExecContext(ctx, `UPDATE webhooks SET secret = $1, old_secret = $2 WHERE tenant = $3 AND id = $4`, secrets[0], secrets[1], e.Tenant, e.ID)
		if err != nil {
			return 0, fmt.Errorf("put secrets of webhook %s: %w", e.ID, err)
		}
	}
	return n, nil
}
