package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"tcode/server/account"
	"tcode/server/tenant"
)

var _ account.Store = (*DB)(nil)

// scopeOf returns the scope for work on users of a tenant. Operators have no tenant, so
// that only the scope of everyone has them.
func scopeOf(tenantRef string) string {
	if tenantRef == "" {
		return everyone
	}
	return tenantRef
}

const userColumns = `u.tenant, u.id, u.email, u.name, u.role, u.state, u.password, u.factor, u.step, u.created_at, u.updated_at, u.signed_in_at`

// userRow returns the targets for a scan of userColumns, and the function that completes u then.
func userRow(u *account.User) (into []any, done func()) {
	var created, updated, signedIn int64
	return []any{&u.Tenant, &u.ID, &u.Email, &u.Name, &u.Role, &u.State, &u.Password, &u.Factor, &u.Step, &created, &updated, &signedIn}, func() {
		u.CreatedAt, u.UpdatedAt, u.SignedInAt = fromMS(created), fromMS(updated), fromMS(signedIn)
	}
}

func scanUser(r scanner) (u account.User, err error) {
	into, done := userRow(&u)
	err = r.Scan(into...)
	done()
	return u, err
}

func noUser(err error) error { return notFound(err, "read user", "no such user") }

// InsertUser stores a new user with a link.
func (d *DB) InsertUser(ctx context.Context, u account.User, l account.Link, audit *tenant.Entry) (ok bool, err error) {
	err = d.write(ctx, scopeOf(u.Tenant), func(tx *sql.Tx) error {
		if u.Tenant != "" {
			if _, err := tenantOf(ctx, tx, u.Tenant); err != nil {
				return err
			}
		}
		if err := endInvitations(ctx, tx, u.Tenant, u.CreatedAt); err != nil {
			return err
		}
		n, err := count(tx.ExecContext(ctx, `
			INSERT INTO users (tenant, id, email, name, role, state, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
			ON CONFLICT DO NOTHING`,
			u.Tenant, u.ID, u.Email, u.Name, string(u.Role), string(u.State), ms(u.CreatedAt), ms(u.UpdatedAt)))
		if ok = n == 1; err != nil || !ok {
			return err
		}
		if err := putLink(ctx, tx, u, l); err != nil {
			return err
		}
		return insertAudit(ctx, tx, audit)
	})
	return ok, wrap(err, "insert user")
}

// endInvitations removes the users of a tenant who never came, and whose link has expired. A
// user who was reset is none of them.
func endInvitations(ctx context.Context, tx *sql.Tx, tenantRef string, now time.Time) error {
	const ended = `SELECT u.id FROM users u WHERE u.tenant = $1 AND u.state = 'invited' AND u.signed_in_at = 0
		AND NOT EXISTS (SELECT 1 FROM user_links l WHERE l.tenant = u.tenant AND l.user_id = u.id AND l.expires_at > $2)`
	ids, err := all(ctx, tx, func(r scanner) (id string, err error) { return id, r.Scan(&id) }, ended, tenantRef, ms(now))
	for _, id := range ids {
		if err == nil {
			err = dropUser(ctx, tx, tenantRef, id)
		}
	}
	return wrap(err, "end invitations")
}

// dropUser deletes a user with the ways in and the sessions.
func dropUser(ctx context.Context, tx *sql.Tx, tenantRef, id string) error {
	for _, table := range []string{"user_sessions", "user_links", "user_recovery", "user_passkeys", "user_identities"} {
		if _, err := tx.ExecContext(ctx, `DELETE FROM `+table+` WHERE tenant = $1 AND user_id = $2`, tenantRef, id); err != nil {
			return fmt.Errorf("empty %s: %w", table, err)
		}
	}
	_, err := tx.ExecContext(ctx, `DELETE FROM users WHERE tenant = $1 AND id = $2`, tenantRef, id)
	return err
}

// RemoveUser deletes a user.
func (d *DB) RemoveUser(ctx context.Context, tenantRef, id string, now time.Time, keepOwner bool, audit *tenant.Entry) error {
	err := d.write(ctx, scopeOf(tenantRef), func(tx *sql.Tx) error {
		if keepOwner {
			if err := d.lockOwners(ctx, tx, tenantRef); err != nil {
				return err
			}
		}
		_, err := scanUser(tx.QueryRowContext(ctx, `SELECT `+userColumns+` FROM users u WHERE u.tenant = $1 AND u.id = $2`+d.forUpdate, tenantRef, id))
		if err := noUser(err); err != nil {
			return err
		}
		e, err := d.endWork(ctx, tx, tenantRef, tenant.By{Actor: tenant.ActorUser, Name: id}, now)
		if err != nil {
			return err
		}
		if err := dropUser(ctx, tx, tenantRef, id); err != nil {
			return err
		}
		if keepOwner {
			if err := hasOwner(ctx, tx, tenantRef); err != nil {
				return err
			}
		}
		return insertAudit(ctx, tx, e.note(audit))
	})
	return wrap(err, "remove user")
}

// lockOwners makes two owners who lower each other wait for one another.
func (d *DB) lockOwners(ctx context.Context, tx *sql.Tx, tenantRef string) error {
	_, err := all(ctx, tx, scanUser, `SELECT `+userColumns+` FROM users u WHERE u.tenant = $1 AND u.role = 'owner' ORDER BY u.id`+d.forUpdate, tenantRef)
	return err
}

// putLink stores a link in place of the one before.
func putLink(ctx context.Context, tx *sql.Tx, u account.User, l account.Link) error {
	_, err := tx.ExecContext(ctx, `
		INSERT INTO user_links (tenant, user_id, hash, created_at, expires_at) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (tenant, user_id) DO UPDATE SET hash = excluded.hash, created_at = excluded.created_at, expires_at = excluded.expires_at`,
		u.Tenant, u.ID, l.Hash[:], ms(l.CreatedAt), ms(l.ExpiresAt))
	return wrap(err, "put link")
}

// User returns one user.
func (d *DB) User(ctx context.Context, tenantRef, id string) (account.User, error) {
	return readAs(ctx, d, scopeOf(tenantRef), func(ctx context.Context, q queryer) (account.User, error) {
		u, err := scanUser(q.QueryRowContext(ctx, `SELECT `+userColumns+` FROM users u WHERE u.tenant = $1 AND u.id = $2`, tenantRef, id))
		return u, noUser(err)
	})
}

// Comers returns the users of all tenants with an address who may come in, or who are invited.
func (d *DB) Comers(ctx context.Context, email string, now time.Time) ([]account.Member, error) {
	ms, err := all(ctx, d.hot, scanMember, `SELECT `+memberColumns+` FROM users u WHERE u.email = $1 AND (u.state = 'active' OR u.state = 'invited'
		AND EXISTS (SELECT 1 FROM user_links l WHERE l.tenant = u.tenant AND l.user_id = u.id AND l.expires_at > $2)) ORDER BY u.tenant`, email, ms(now))
	return ms, wrap(err, "read users of an address")
}

// TenantUsers returns the users of a tenant, or the operators.
func (d *DB) TenantUsers(ctx context.Context, tenantRef string) ([]account.User, error) {
	us, err := readAs(ctx, d, scopeOf(tenantRef), func(ctx context.Context, q queryer) ([]account.User, error) {
		return all(ctx, q, scanUser, `SELECT `+userColumns+` FROM users u WHERE u.tenant = $1 ORDER BY u.email`, tenantRef)
	})
	return us, wrap(err, "list users")
}

// AllUsers returns the users of all tenants, and the operators.
func (d *DB) AllUsers(ctx context.Context) ([]account.User, error) {
	us, err := readAs(ctx, d, everyone, func(ctx context.Context, q queryer) ([]account.User, error) {
		return all(ctx, q, scanUser, `SELECT `+userColumns+` FROM users u ORDER BY u.tenant, u.email`)
	})
	return us, wrap(err, "list users")
}

// ChangeUser stores a user as change changes it.
func (d *DB) ChangeUser(ctx context.Context, tenantRef, id string, now time.Time, change func(*account.User) (account.Change, error)) error {
	return d.changeUser(ctx, tenantRef, id, now, false, change)
}

// ChangeMember is ChangeUser for a change that must leave the tenant an owner.
func (d *DB) ChangeMember(ctx context.Context, tenantRef, id string, now time.Time, change func(*account.User) (account.Change, error)) error {
	return d.changeUser(ctx, tenantRef, id, now, true, change)
}

func (d *DB) changeUser(ctx context.Context, tenantRef, id string, now time.Time, keepOwner bool, change func(*account.User) (account.Change, error)) error {
	err := d.write(ctx, scopeOf(tenantRef), func(tx *sql.Tx) error {
		if keepOwner {
			if err := d.lockOwners(ctx, tx, tenantRef); err != nil {
				return err
			}
		}
		u, err := scanUser(tx.QueryRowContext(ctx, `SELECT `+userColumns+` FROM users u WHERE u.tenant = $1 AND u.id = $2`+d.forUpdate, tenantRef, id))
		if err := noUser(err); err != nil {
			return err
		}
		issued := u.MayIssue()
		c, err := change(&u)
		if err != nil {
			return err
		}
		u.Tenant, u.ID = tenantRef, id
		_, err = tx.ExecContext(ctx, `
			UPDATE users SET name = $3, role = $4, state = $5, password = $6, factor = $7, step = $8, signed_in_at = $9, updated_at = $10
			WHERE tenant = $1 AND id = $2`,
			u.Tenant, u.ID, u.Name, string(u.Role), string(u.State), u.Password, notNil(u.Factor), u.Step, ms(u.SignedInAt), ms(now))
		if err != nil {
			return err
		}
		if err := changeSecrets(ctx, tx, u, now, c); err != nil {
			return err
		}
		if err := changeWays(ctx, tx, u, now, c); err != nil {
			return err
		}
		if err := changeSessions(ctx, tx, u, now, c); err != nil {
			return err
		}
		if keepOwner {
			if err := hasOwner(ctx, tx, tenantRef); err != nil {
				return err
			}
		}
		var e ended
		if issued && !u.MayIssue() {
			if e, err = d.endWork(ctx, tx, tenantRef, tenant.By{Actor: tenant.ActorUser, Name: id}, now); err != nil {
				return err
			}
		}
		return insertAudit(ctx, tx, e.note(c.Audit))
	})
	return wrap(err, "change user")
}

// hasOwner returns [account.ErrLastOwner] if no owner of a tenant can sign in.
func hasOwner(ctx context.Context, tx *sql.Tx, tenantRef string) error {
	var has bool
	err := tx.QueryRowContext(ctx, `SELECT count(*) > 0 FROM users u WHERE u.tenant = $1 AND u.role = 'owner' AND u.state = 'active'`, tenantRef).Scan(&has)
	if err == nil && !has {
		err = account.ErrLastOwner
	}
	return err
}

// notNil returns bytes for a column that is never null.
func notNil(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

// changeSecrets changes the link and the recovery codes of a user.
func changeSecrets(ctx context.Context, tx *sql.Tx, u account.User, now time.Time, c account.Change) error {
	if c.UseLink != nil {
		n, err := count(tx.ExecContext(ctx, `DELETE FROM user_links WHERE tenant = $1 AND user_id = $2 AND hash = $3 AND expires_at > $4`,
			u.Tenant, u.ID, c.UseLink[:], ms(now)))
		if err == nil && n == 0 {
			err = account.ErrLink
		}
		if err != nil {
			return err
		}
	}
	if c.TakeLink {
		n, err := count(tx.ExecContext(ctx, `DELETE FROM user_links WHERE tenant = $1 AND user_id = $2 AND expires_at > $3`, u.Tenant, u.ID, ms(now)))
		if err == nil && n == 0 {
			err = account.ErrLink
		}
		if err != nil {
			return err
		}
	}
	if u.State == account.Disabled {
		if _, err := tx.ExecContext(ctx, `DELETE FROM user_links WHERE tenant = $1 AND user_id = $2`, u.Tenant, u.ID); err != nil {
			return fmt.Errorf("drop links: %w", err)
		}
	}
	if c.Link != nil {
		if err := putLink(ctx, tx, u, *c.Link); err != nil {
			return err
		}
	}
	if c.UseRecovery != nil {
		n, err := count(tx.ExecContext(ctx, `DELETE FROM user_recovery WHERE tenant = $1 AND user_id = $2 AND hash = $3`, u.Tenant, u.ID, c.UseRecovery[:]))
		if err == nil && n == 0 {
			err = account.ErrRecovery
		}
		if err != nil {
			return err
		}
	}
	if c.DropFactor || c.Recovery != nil {
		if _, err := tx.ExecContext(ctx, `DELETE FROM user_recovery WHERE tenant = $1 AND user_id = $2`, u.Tenant, u.ID); err != nil {
			return fmt.Errorf("drop recovery codes: %w", err)
		}
	}
	for _, h := range c.Recovery {
		if _, err := tx.ExecContext(ctx, `INSERT INTO user_recovery (tenant, user_id, hash) VALUES ($1, $2, $3)`, u.Tenant, u.ID, h[:]); err != nil {
			return fmt.Errorf("put recovery code: %w", err)
		}
	}
	return nil
}

// LinkUser returns a link with its user. The link says whose it is.
func (d *DB) LinkUser(ctx context.Context, h account.Hash, now time.Time) (l account.Link, u account.User, err error) {
	into, done := userRow(&u)
	var created, expires int64
	err = d.hot.QueryRowContext(ctx, `
		SELECT `+userColumns+`, l.created_at, l.expires_at FROM user_links l JOIN users u ON u.tenant = l.tenant AND u.id = l.user_id
		WHERE l.hash = $1`, h[:]).Scan(append(into, &created, &expires)...)
	done()
	l = account.Link{Hash: h, CreatedAt: fromMS(created), ExpiresAt: fromMS(expires)}
	if isNone(err) || err == nil && !now.Before(l.ExpiresAt) {
		return account.Link{}, account.User{}, account.ErrLink
	}
	return l, u, wrap(err, "read link")
}

// resealUsers seals the second factors of all users. Those that are being set up are sealed
// again when they are ready.
func resealUsers(ctx context.Context, tx *sql.Tx, reseal func([]byte, string, string) ([]byte, bool, error)) (n int, err error) {
	us, err := all(ctx, tx, scanUser, `SELECT `+userColumns+` FROM users u ORDER BY u.tenant, u.email`)
	if err != nil {
		return 0, fmt.Errorf("read users: %w", err)
	}
	for _, u := range us {
		if len(u.Factor) == 0 {
			continue
		}
		anew, changed, err := reseal(u.Factor, u.Tenant, account.SealedName(u.ID))
		if err != nil {
			return 0, err
		}
		if !changed {
			continue
		}
		n++
		if _, err := tx.ExecContext(ctx, `UPDATE users SET factor = $3 WHERE tenant = $1 AND id = $2`, u.Tenant, u.ID, anew); err != nil {
			return 0, fmt.Errorf("put second factor of user %s: %w", u.ID, err)
		}
	}
	return n, nil
}
