package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"tcode/server/account"
	"tcode/server/tenant"
)

// changeWays changes passkeys and the account at a provider of a user, and uses up what
// proved them.
func changeWays(ctx context.Context, tx *sql.Tx, u account.User, now time.Time, c account.Change) error {
	if c.Use != nil {
		if err := useOnce(ctx, tx, *c.Use, now); err != nil {
			return err
		}
	}
	if c.DropFactor {
		for _, table := range []string{"user_passkeys", "user_identities"} {
			if _, err := tx.ExecContext(ctx, `DELETE FROM `+table+` WHERE tenant = $1 AND user_id = $2`, u.Tenant, u.ID); err != nil {
				return fmt.Errorf("empty %s: %w", table, err)
			}
		}
	}
	if c.Identity != nil {
		n, err := count(tx.ExecContext(ctx, `
			INSERT INTO user_identities (tenant, user_id, issuer, subject, linked_at) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`,
			u.Tenant, u.ID, c.Identity.Issuer, c.Identity.Subject, ms(now)))
		if err == nil && n == 0 {
			err = account.ErrIdentity
		}
		if err != nil {
			return fmt.Errorf("link identity: %w", err)
		}
	}
	return changePasskeys(ctx, tx, u, now, c)
}

// changePasskeys adds, uses, marks and removes passkeys of a user.
func changePasskeys(ctx context.Context, tx *sql.Tx, u account.User, now time.Time, c account.Change) error {
	if p := c.Passkey; p != nil {
		n, err := count(tx.ExecContext(ctx, `
			INSERT INTO user_passkeys (tenant, user_id, id, name, credential, public_key, counter, eligible, created_at)
			SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9
			WHERE (SELECT count(*) FROM user_passkeys p WHERE p.tenant = $1 AND p.user_id = $2) < $10
			ON CONFLICT DO NOTHING`,
			u.Tenant, u.ID, p.ID, p.Name, p.Credential, p.PublicKey, int64(p.Counter), one(p.Eligible), ms(p.CreatedAt), account.MaxPasskeys))
		if err == nil && n == 0 {
			err = account.ErrPasskeys
		}
		if err != nil {
			return fmt.Errorf("insert passkey: %w", err)
		}
	}
	if p := c.UsePasskey; p != nil {
		n, err := count(tx.ExecContext(ctx, `
			UPDATE user_passkeys SET counter = $4, used_at = $5
			WHERE tenant = $1 AND user_id = $2 AND id = $3 AND cloned = 0 AND (counter < $4 OR counter = 0 AND $4 = 0)`,
			u.Tenant, u.ID, p.ID, int64(p.Counter), ms(now)))
		if err == nil && n == 0 {
			err = account.ErrPasskey
		}
		if err != nil {
			return fmt.Errorf("use passkey: %w", err)
		}
	}
	if c.ClonedPasskey != "" {
		if _, err := tx.ExecContext(ctx, `UPDATE user_passkeys SET cloned = 1 WHERE tenant = $1 AND user_id = $2 AND id = $3`, u.Tenant, u.ID, c.ClonedPasskey); err != nil {
			return fmt.Errorf("mark passkey: %w", err)
		}
	}
	if c.DropPasskey != "" {
		n, err := count(tx.ExecContext(ctx, `DELETE FROM user_passkeys WHERE tenant = $1 AND user_id = $2 AND id = $3`, u.Tenant, u.ID, c.DropPasskey))
		if err == nil && n == 0 {
			err = account.ErrPasskey
		}
		if err != nil {
			return fmt.Errorf("remove passkey: %w", err)
		}
		return hasWay(ctx, tx, u)
	}
	return nil
}

// hasWay returns [account.ErrLastWay] if a user without a password has no other way in.
func hasWay(ctx context.Context, tx *sql.Tx, u account.User) error {
	if !u.Passwordless() {
		return nil
	}
	var n int
	err := tx.QueryRowContext(ctx, `
		SELECT (SELECT count(*) FROM user_passkeys p WHERE p.tenant = $1 AND p.user_id = $2 AND p.cloned = 0)
			+ (SELECT count(*) FROM user_identities i WHERE i.tenant = $1 AND i.user_id = $2)`, u.Tenant, u.ID).Scan(&n)
	if err == nil && n == 0 {
		err = account.ErrLastWay
	}
	return wrap(err, "look for another way in")
}

// useOnce uses something up, or returns [account.ErrUsed].
func useOnce(ctx context.Context, tx *sql.Tx, o account.Once, now time.Time) error {
	if _, err := tx.ExecContext(ctx, `DELETE FROM signin_used WHERE expires_at < $1`, ms(now)); err != nil {
		return fmt.Errorf("drop old challenges: %w", err)
	}
	n, err := count(tx.ExecContext(ctx, `INSERT INTO signin_used (hash, expires_at) VALUES ($1, $2) ON CONFLICT DO NOTHING`, o.Hash[:], ms(o.ExpiresAt)))
	if err == nil && n == 0 {
		err = account.ErrUsed
	}
	return err
}

const passkeyColumns = `p.id, p.name, p.credential, p.public_key, p.counter, p.eligible, p.cloned, p.created_at, p.used_at`

// passkeyRow returns the targets for a scan of passkeyColumns, and the function that completes p then.
func passkeyRow(p *account.Passkey) (into []any, done func()) {
	var counter, eligible, cloned, created, used int64
	return []any{&p.ID, &p.Name, &p.Credential, &p.PublicKey, &counter, &eligible, &cloned, &created, &used}, func() {
		p.Counter, p.Eligible, p.Cloned = uint32(counter), eligible == 1, cloned == 1
		p.CreatedAt, p.UsedAt = fromMS(created), fromMS(used)
	}
}

// Passkeys returns the passkeys of a user.
func (d *DB) Passkeys(ctx context.Context, tenantRef, userID string) ([]account.Passkey, error) {
	ps, err := readAs(ctx, d, scopeOf(tenantRef), func(ctx context.Context, q queryer) ([]account.Passkey, error) {
		return all(ctx, q, func(r scanner) (p account.Passkey, err error) {
			into, done := passkeyRow(&p)
			err = r.Scan(into...)
			done()
			return p, err
		}, `SELECT `+passkeyColumns+` FROM user_passkeys p WHERE p.tenant = $1 AND p.user_id = $2 ORDER BY p.created_at, p.id`, tenantRef, userID)
	})
	return ps, wrap(err, "list passkeys")
}

// PasskeyUser returns a passkey with its user. The credential says whose it is.
func (d *DB) PasskeyUser(ctx context.Context, credential []byte) (p account.Passkey, u account.User, err error) {
	user, doneUser := userRow(&u)
	into, done := passkeyRow(&p)
	err = d.hot.QueryRowContext(ctx, `
		SELECT `+userColumns+`, `+passkeyColumns+` FROM user_passkeys p JOIN users u ON u.tenant = p.tenant AND u.id = p.user_id
		WHERE p.credential = $1`, credential).Scan(append(user, into...)...)
	doneUser()
	done()
	if isNone(err) {
		return account.Passkey{}, account.User{}, account.ErrPasskey
	}
	return p, u, wrap(err, "read passkey")
}

// IdentityUsers returns the users of an account at a provider, one of a tenant at most.
func (d *DB) IdentityUsers(ctx context.Context, issuer, subject string) ([]account.User, error) {
	us, err := all(ctx, d.hot, scanUser, `
		SELECT `+userColumns+` FROM user_identities i JOIN users u ON u.tenant = i.tenant AND u.id = i.user_id
		WHERE i.issuer = $1 AND i.subject = $2 ORDER BY u.tenant`, issuer, subject)
	return us, wrap(err, "read users of an identity")
}

const memberColumns = userColumns + `, (SELECT count(*) FROM user_passkeys p WHERE p.tenant = u.tenant AND p.user_id = u.id),
	(SELECT count(*) > 0 FROM user_identities i WHERE i.tenant = u.tenant AND i.user_id = u.id)`

func scanMember(r scanner) (m account.Member, err error) {
	into, done := userRow(&m.User)
	err = r.Scan(append(into, &m.Passkeys, &m.Linked)...)
	done()
	return m, err
}

// Members returns the users of a tenant with their ways in.
func (d *DB) Members(ctx context.Context, tenantRef string) ([]account.Member, error) {
	members, err := readAs(ctx, d, scopeOf(tenantRef), func(ctx context.Context, q queryer) ([]account.Member, error) {
		return all(ctx, q, scanMember, `SELECT `+memberColumns+` FROM users u WHERE u.tenant = $1 ORDER BY u.email`, tenantRef)
	})
	return members, wrap(err, "list members")
}

// SignInProvider returns the OpenID provider of a tenant.
func (d *DB) SignInProvider(ctx context.Context, tenantRef string) (p account.Provider, ok bool, err error) {
	p, err = readAs(ctx, d, tenantRef, func(ctx context.Context, q queryer) (p account.Provider, err error) {
		err = q.QueryRowContext(ctx, `SELECT s.tenant, s.issuer, s.client_id, s.secret FROM signin_providers s WHERE s.tenant = $1`, tenantRef).
			Scan(&p.Tenant, &p.Issuer, &p.ClientID, &p.Sealed)
		return p, err
	})
	if isNone(err) {
		return account.Provider{}, false, nil
	}
	return p, err == nil, wrap(err, "read provider")
}

// PutSignInProvider stores the OpenID provider of a tenant, or removes it if its issuer is "".
func (d *DB) PutSignInProvider(ctx context.Context, p account.Provider, now time.Time, audit *tenant.Entry) error {
	err := d.write(ctx, p.Tenant, func(tx *sql.Tx) error {
		if _, err := tenantOf(ctx, tx, p.Tenant); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM signin_providers WHERE tenant = $1`, p.Tenant); err != nil {
			return err
		}
		if p.Issuer != "" {
			_, err := tx.ExecContext(ctx, `INSERT INTO signin_providers (tenant, issuer, client_id, secret, updated_at) VALUES ($1, $2, $3, $4, $5)`,
				p.Tenant, p.Issuer, p.ClientID, p.Sealed, ms(now))
			if err != nil {
				return err
			}
		}
		return insertAudit(ctx, tx, audit)
	})
	return wrap(err, "put provider")
}

// resealProviders seals the secrets of all tenants' providers.
func resealProviders(ctx context.Context, tx *sql.Tx, reseal func([]byte, string, string) ([]byte, bool, error)) (n int, err error) {
	ps, err := all(ctx, tx, func(r scanner) (p account.Provider, err error) {
		err = r.Scan(&p.Tenant, &p.Issuer, &p.ClientID, &p.Sealed)
		return p, err
	}, `SELECT s.tenant, s.issuer, s.client_id, s.secret FROM signin_providers s ORDER BY s.tenant`)
	if err != nil {
		return 0, fmt.Errorf("read providers: %w", err)
	}
	for _, p := range ps {
		anew, changed, err := reseal(p.Sealed, p.Tenant, account.SealedProvider)
		if err != nil {
			return 0, err
		}
		if !changed {
			continue
		}
		n++
		if _, err := tx.ExecContext(ctx, `UPDATE signin_providers SET secret = $2 WHERE tenant = $1`, p.Tenant, anew); err != nil {
			return 0, fmt.Errorf("put secret of a provider: %w", err)
		}
	}
	return n, nil
}
