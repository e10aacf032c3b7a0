package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"tcode/server/account"
	"tcode/server/tenant"
)

// isNone reports whether a query found no row.
func isNone(err error) bool { return errors.Is(err, sql.ErrNoRows) }

const sessionColumns = `s.tenant, s.user_id, s.id, s.hash, s.stage, s.factor, s.agent, s.agent_hash, s.address, s.created_at, s.seen_at, s.expires_at`

// scanSession scans sessionColumns, and further columns into more.
func scanSession(r scanner, more ...any) (s account.Session, err error) {
	var created, seen, expires int64
	var hash, agent []byte
	err = r.Scan(append([]any{
		&s.Tenant, &s.UserID, &s.ID, &hash, &s.Stage, &s.Factor, &s.Agent, &agent, &s.Address, &created, &seen, &expires,
	}, more...)...)
	copy(s.Hash[:], hash)
	copy(s.AgentHash[:], agent)
	s.CreatedAt, s.SeenAt, s.ExpiresAt = fromMS(created), fromMS(seen), fromMS(expires)
	return s, err
}

// changeSessions ends sessions of a user and begins another.
func changeSessions(ctx context.Context, tx *sql.Tx, u account.User, now time.Time, c account.Change) error {
	if c.EndSession != nil {
		n, err := count(tx.ExecContext(ctx, `DELETE FROM user_sessions WHERE tenant = $1 AND user_id = $2 AND hash = $3`, u.Tenant, u.ID, c.EndSession[:]))
		if err == nil && n == 0 {
			err = account.ErrNoSession
		}
		if err != nil {
			return err
		}
	}
	if c.EndSessions {
		if _, err := tx.ExecContext(ctx, `DELETE FROM user_sessions WHERE tenant = $1 AND user_id = $2`, u.Tenant, u.ID); err != nil {
			return fmt.Errorf("end sessions: %w", err)
		}
	}
	if c.EndOthers != nil {
		if _, err := tx.ExecContext(ctx, `DELETE FROM user_sessions WHERE tenant = $1 AND user_id = $2 AND hash <> $3`, u.Tenant, u.ID, c.EndOthers[:]); err != nil {
			return fmt.Errorf("end other sessions: %w", err)
		}
	}
	s := c.Session
	if s == nil {
		return nil
	}
	_, err := tx.ExecContext(ctx, `
		INSERT INTO user_sessions (tenant, user_id, id, hash, stage, factor, agent, agent_hash, address, created_at, seen_at, expires_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
		u.Tenant, u.ID, s.ID, s.Hash[:], string(s.Stage), notNil(s.Factor), s.Agent, s.AgentHash[:], s.Address, ms(s.CreatedAt), ms(s.SeenAt), ms(s.ExpiresAt))
	if err != nil {
		return fmt.Errorf("insert session: %w", err)
	}
	_, err = tx.ExecContext(ctx, `
		DELETE FROM user_sessions WHERE tenant = $1 AND user_id = $2 AND (expires_at <= $3 OR stage = $4 AND id NOT IN (
			SELECT s.id FROM user_sessions s WHERE s.tenant = $1 AND s.user_id = $2 AND s.stage = $4 ORDER BY s.created_at DESC, s.id DESC LIMIT $5))`,
		u.Tenant, u.ID, ms(now), string(s.Stage), account.MaxSessions)
	return wrap(err, "end old sessions")
}

// SessionUser returns a session with its user and tenant. The token says whose it is.
func (d *DB) SessionUser(ctx context.Context, h account.Hash) (s account.Session, u account.User, t tenant.Tenant, err error) {
	into, done := userRow(&u)
	s, err = scanSession(d.hot.QueryRowContext(ctx, `
		SELECT `+sessionColumns+`, `+userColumns+` FROM user_sessions s JOIN users u ON u.tenant = s.tenant AND u.id = s.user_id WHERE s.hash = $1`, h[:]), into...)
	done()
	if isNone(err) {
		return s, u, t, account.ErrNoSession
	}
	if err == nil && u.Tenant != "" {
		t, err = d.Tenant(ctx, u.Tenant)
	}
	return s, u, t, wrap(err, "read session")
}

// Sessions returns the sessions of a user.
func (d *DB) Sessions(ctx context.Context, tenantRef, userID string, now time.Time) ([]account.Session, error) {
	ss, err := readAs(ctx, d, scopeOf(tenantRef), func(ctx context.Context, q queryer) ([]account.Session, error) {
		return all(ctx, q, func(r scanner) (account.Session, error) { return scanSession(r) }, `
			SELECT `+sessionColumns+` FROM user_sessions s WHERE s.tenant = $1 AND s.user_id = $2 AND s.expires_at > $3
			ORDER BY s.created_at DESC, s.id DESC`, tenantRef, userID, ms(now))
	})
	return ss, wrap(err, "list sessions")
}

// TouchSession notes the last use of a session. It may have ended meanwhile.
func (d *DB) TouchSession(ctx context.Context, tenantRef, userID, id string, now time.Time) error {
	err := d.write(ctx, scopeOf(tenantRef), func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE user_sessions SET seen_at = $4 WHERE tenant = $1 AND user_id = $2 AND id = $3 AND seen_at < $4`,
			tenantRef, userID, id, ms(now))
		return err
	})
	return wrap(err, "note use of session")
}

// EndSession ends a session.
func (d *DB) EndSession(ctx context.Context, tenantRef, userID, id string, audit *tenant.Entry) error {
	err := d.write(ctx, scopeOf(tenantRef), func(tx *sql.Tx) error {
		n, err := count(tx.ExecContext(ctx, `DELETE FROM user_sessions WHERE tenant = $1 AND user_id = $2 AND id = $3`, tenantRef, userID, id))
		if err == nil && n == 0 {
			err = account.ErrNoSession
		}
		if err != nil {
			return err
		}
		return insertAudit(ctx, tx, audit)
	})
	return wrap(err, "end session")
}

// Try counts tries. Concurrent tries of one key wait for each other, in the order of keys.
func (d *DB) Try(ctx context.Context, keys []account.TryKey, now time.Time, next func(account.TryKey, account.Tries) (account.Tries, bool)) (until time.Time, err error) {
	refused := errors.New("too many tries") // rolls back
	err = d.write(ctx, everyone, func(tx *sql.Tx) error {
		until = time.Time{}
		for _, k := range keys {
			var t account.Tries
			var before, last int64
			// This locks the row, also a new one.
			err := tx.QueryRowContext(ctx, `
				INSERT INTO signin_tries (kind, key, tries, until, last_at) VALUES ($1, $2, 0, 0, $3)
				ON CONFLICT (kind, key) DO UPDATE SET tries = signin_tries.tries RETURNING tries, until, last_at`,
				string(k.Kind), k.Key[:], ms(now)).Scan(&t.Count, &before, &last)
			if err != nil {
				return err
			}
			t.Until, t.Last = fromMS(before), fromMS(last)
			n, ok := next(k, t)
			if !ok {
				if n.Until.After(until) {
					until = n.Until
				}
				continue
			}
			_, err = tx.ExecContext(ctx, `UPDATE signin_tries SET tries = $3, until = $4, last_at = $5 WHERE kind = $1 AND key = $2`,
				string(k.Kind), k.Key[:], n.Count, ms(n.Until), ms(n.Last))
			if err != nil {
				return err
			}
			if t.Count == 0 { // new
				if err := boundTries(ctx, tx, k, now); err != nil {
					return err
				}
			}
		}
		if !until.IsZero() {
			return refused
		}
		return nil
	})
	if errors.Is(err, refused) {
		return until, nil
	}
	return time.Time{}, wrap(err, "count tries")
}

// boundTries drops counts that are too old or too many, other than k.
func boundTries(ctx context.Context, tx *sql.Tx, k account.TryKey, now time.Time) error {
	if _, err := tx.ExecContext(ctx, `DELETE FROM signin_tries WHERE kind = $1 AND last_at < $2`, string(k.Kind), ms(now.Add(-account.Forget))); err != nil {
		return fmt.Errorf("drop old tries: %w", err)
	}
	_, err := tx.ExecContext(ctx, `
		DELETE FROM signin_tries WHERE kind = $1 AND key <> $2 AND key IN (
			SELECT t.key FROM signin_tries t WHERE t.kind = $1 AND (SELECT count(*) FROM signin_tries c WHERE c.kind = $1) > $3
			ORDER BY t.tries, t.last_at LIMIT 2)`, string(k.Kind), k.Key[:], account.MaxTries)
	return wrap(err, "bound tries")
}

// Forgive removes counts, or one try of a client.
func (d *DB) Forgive(ctx context.Context, keys []account.TryKey) error {
	err := d.write(ctx, everyone, func(tx *sql.Tx) error {
		for _, k := range keys {
			query := `DELETE FROM signin_tries WHERE kind = $1 AND key = $2`
			if k.Kind == account.TryClient { // so that one right try does not forgive others
				query = `UPDATE signin_tries SET tries = tries - 1, until = 0 WHERE kind = $1 AND key = $2 AND tries > 0`
			}
			if _, err := tx.ExecContext(ctx, query, string(k.Kind), k.Key[:]); err != nil {
				return err
			}
		}
		return nil
	})
	return wrap(err, "forgive tries")
}

// endAllSessions ends the sessions of all users, and their links, in a restored database:
// some had ended or were used since the backup.
func endAllSessions(ctx context.Context, tx *sql.Tx) error {
	for _, table := range []string{"user_sessions", "user_links"} {
		if _, err := tx.ExecContext(ctx, `DELETE FROM `+table); err != nil {
			return fmt.Errorf("empty %s: %w", table, err)
		}
	}
	return nil
}
