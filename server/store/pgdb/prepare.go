package pgdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

// prepare prepares the database for the app role, as the login role.
func prepare(ctx context.Context, cfg *pgx.ConnConfig, o Options) (err error) {
	admin := cfg.Copy()
	admin.RuntimeParams[scopeSetting] = Everyone // migrations change rows, too
	maps.Copy(admin.RuntimeParams, patienceOfLogin)
	admin.RuntimeParams["application_name"] += starting
	db := stdlib.OpenDB(*admin)
	db.SetMaxOpenConns(adminConns)
	defer func() { err = errors.Join(err, db.Close()) }()
	if err := checkServer(ctx, db); err != nil {
		return err
	}
	if err := ensureRole(ctx, db); err != nil {
		return err
	}
	if err := o.Migrate(ctx, db); err != nil {
		return err
	}
	return grant(ctx, db)
}

// adminConns bounds the connections while the database is prepared: one holds the lock of the
// migrations, another works.
const adminConns = 4

// starting ends the name of a session in which a gateway starts.
const starting = " starting"

// Others returns the number of sessions of gateways that have started on this database, and
// their hosts, as the session of [Options.Migrate] sees them: those of the same login role.
func Others(ctx context.Context, db *sql.DB) (n int, hosts string, err error) {
	err = db.QueryRowContext(ctx, `
		SELECT count(*), coalesce(string_agg(DISTINCT coalesce(host(client_addr), 'this host'), ', '), '')
		FROM pg_stat_activity WHERE datname = current_database() AND application_name || $1 = current_setting('application_name')`, starting).Scan(&n, &hosts)
	if err != nil {
		return 0, "", fmt.Errorf("look for other gateways: %w", err)
	}
	return n, hosts, nil
}

// checkServer refuses a server whose answers could differ from those of the
// tests.
func checkServer(ctx context.Context, db *sql.DB) error {
	var version int
	var encoding string
	err := db.QueryRowContext(ctx, `SELECT current_setting('server_version_num')::int, current_setting('server_encoding')`).Scan(&version, &encoding)
	switch {
	case err != nil:
		return fmt.Errorf("ask server version: %w", err)
	case version < minVersion:
		return fmt.Errorf("%w: PostgreSQL %d.%d, need %d", ErrServer, version/10000, version%10000, minVersion/10000)
	case encoding != "UTF8":
		return fmt.Errorf("%w: encoding %s, need UTF8", ErrServer, encoding)
	}
	return nil
}

// ensureRole makes the app role and makes the login role its member. Roles belong to the
// server, so gateways on other databases may do the same concurrently: the second one
// fails and finds it done.
func ensureRole(ctx context.Context, db *sql.DB) error {
	var first error
	for range 5 {
		var exists, member bool
		err := db.QueryRowContext(ctx, `
			SELECT count(*) > 0, coalesce(bool_or(pg_has_role(current_user, oid, 'MEMBER')), false)
			FROM pg_roles WHERE rolname = $1`, AppRole).Scan(&exists, &member)
		if err != nil {
			return fmt.Errorf("look for role %s: %w", AppRole, err)
		}
		if exists && member {
			return nil
		}
		step := `GRANT ` + AppRole + ` TO CURRENT_USER`
		if !exists {
			step = `CREATE ROLE ` + AppRole + ` NOLOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE`
		}
		if _, err := db.ExecContext(ctx, step); err != nil && first == nil {
			first = err
		}
	}
	return fmt.Errorf("%w: an administrator runs: CREATE ROLE %s NOLOGIN; GRANT %s TO the login role: %w", ErrRole, AppRole, AppRole, first)
}

// grant gives the app role access to the tables of the migrations, and no more: it cannot
// alter the schema, and can never change the audit log. grant runs each time, because a
// gateway may have ended between its migrations and its grants.
func grant(ctx context.Context, db *sql.DB) error {
	_, err := db.ExecContext(ctx, `
		DO $$
		DECLARE s text := current_schema();
		BEGIN
			PERFORM pg_advisory_xact_lock(`+grantLock+`);
			IF NOT EXISTS (SELECT FROM pg_class WHERE relnamespace = s::regnamespace AND relkind IN ('r', 'p')
					AND NOT has_table_privilege('`+AppRole+`', oid, 'SELECT')) THEN
				RETURN;
			END IF;
			EXECUTE format('GRANT USAGE ON SCHEMA %I TO `+AppRole+`', s);
			EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA %I TO `+AppRole+`', s);
			EXECUTE format('GRANT USAGE ON ALL SEQUENCES IN SCHEMA %I TO `+AppRole+`', s);
			EXECUTE format('REVOKE INSERT, UPDATE, DELETE ON %I.goose_db_version FROM `+AppRole+`', s);
			IF to_regclass(format('%I.audit', s)) IS NOT NULL THEN
				EXECUTE format('REVOKE UPDATE, DELETE ON %I.audit FROM `+AppRole+`', s);
			END IF;
		END $$`)
	if err != nil {
		return fmt.Errorf("grant to %s: %w", AppRole, err)
	}
	return nil
}

// grantLock is the advisory lock for grants: PostgreSQL fails concurrent ones ("tuple
// concurrently updated"). The number has no meaning.
const grantLock = "7461636465"

// prove reads back, over a connection of each pool, the settings for durability and the
// separation of tenants.
func (db *DB) prove(ctx context.Context) error {
	for _, p := range []struct {
		pool  *sql.DB
		scope string
	}{{db.scoped, ""}, {db.public, Everyone}} {
		var role, commit, scope string
		var passes bool
		err := p.pool.QueryRowContext(ctx, `
			SELECT current_user, current_setting('synchronous_commit'), coalesce(current_setting('`+scopeSetting+`', true), ''),
				(SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user)`).Scan(&role, &commit, &scope, &passes)
		switch {
		case err != nil:
			return fmt.Errorf("connect as %s: %w", AppRole, err)
		case role != AppRole || passes:
			return fmt.Errorf("%w: working as role %s, which bypasses row-level security: %t", ErrSetting, role, passes)
		case commit != "on":
			return fmt.Errorf("%w: synchronous_commit is %s", ErrSetting, commit)
		case scope != p.scope:
			return fmt.Errorf("%w: %s is %q, want %q", ErrSetting, scopeSetting, scope, p.scope)
		}
		if err := provePatience(ctx, p.pool); err != nil {
			return err
		}
	}
	return db.proveSeparation(ctx)
}

// provePatience reads back the limits with which no gateway holds up another. A pooler may
// have dropped them.
func provePatience(ctx context.Context, pool *sql.DB) error {
	for _, name := range slices.Sorted(maps.Keys(patience)) {
		if strings.HasPrefix(name, "tcp_") {
			continue // 0 on a socket of this machine
		}
		var have string
		if err := pool.QueryRowContext(ctx, `SELECT setting FROM pg_settings WHERE name = $1`, name).Scan(&have); err != nil {
			return fmt.Errorf("read %s: %w", name, err)
		}
		if have != patience[name] {
			return fmt.Errorf("%w: %s is %s ms, want %s", ErrSetting, name, have, patience[name])
		}
	}
	return nil
}

// proveSeparation checks every table with tenants' rows: row-level security is on and
// forced, the app role does not own it, and only one policy, the scope's, gives access to
// rows.
func (db *DB) proveSeparation(ctx context.Context) error {
	var open string
	err := db.public.QueryRowContext(ctx, `
		SELECT coalesce(string_agg(c.relname, ', ' ORDER BY c.relname), '')
		FROM pg_class c
		WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')
			AND (c.relname = 'tenants' OR EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'tenant'))
			AND (NOT c.relrowsecurity OR NOT c.relforcerowsecurity OR pg_has_role(current_user, c.relowner, 'MEMBER')
				OR NOT (SELECT count(*) = 1 AND bool_and(
						coalesce(pg_get_expr(p.polqual, p.polrelid) LIKE '%`+scopeSetting+`%', false)
						AND coalesce(pg_get_expr(p.polwithcheck, p.polrelid) LIKE '%`+scopeSetting+`%', false))
					FROM pg_policy p WHERE p.polrelid = c.oid))`).Scan(&open)
	if err != nil {
		return fmt.Errorf("look for row-level security: %w", err)
	}
	if open != "" {
		return fmt.Errorf("%w: no row-level security on %s", ErrSetting, open)
	}
	return nil
}
