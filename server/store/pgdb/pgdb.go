// Package pgdb opens PostgreSQL databases in the one way that the gateway uses them: durable
// at each commit, every transaction under a scope, settings verified. Call [Open] first.
//
//	Open ─▶ login role ─▶ version, encoding ─▶ app role ─▶ migrations ─▶ grants
//	                                                                       │
//	        app role ─▶ scoped pool (no scope but a transaction's own) ────┤─▶ settings read back
//	                 └▶ public pool (scope everyone, no transactions) ─────┘
//
// No gateway can hold up another for long, see patience.go: the server ends the session of a
// gateway that stands still in a transaction.
//
// Row-level security is the second protection, after the tenant that every query names.
// The schema's policies allow access to a row if its tenant is the setting tcode.scope, or
// if that is '*'. Connections start without it and see nothing; [DB.Write] and [DB.Read]
// set it for one transaction, in the same message that begins it. The policies are forced
// on owners too, and all work runs as [AppRole], which owns nothing and cannot bypass
// them.
//
// A round trip to the server costs as much as a small statement. [Later] sends statements
// whose results their callers do not need together with the next one.
//
// Callers see database/sql only; no other package imports the driver.
package pgdb

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

// AppRole is the role for all work. The login role of the URL migrates the schema, owns
// it, and must be a member of AppRole. If it may not make roles itself, an administrator
// does so, once for a server:
//
//	CREATE ROLE tcode_app NOLOGIN;
//	GRANT tcode_app TO <login role>;
const AppRole = "tcode_app"

// Everyone is the scope that sees the rows of all tenants.
const Everyone = "*"

// The number of connections of both pools. PostgreSQL starts a process for each; more than
// the default would only wait for each other.
const (
	DefaultConns = 24
	// MinConns lets a publication, a sweep, background work and a request go on beside each
	// other.
	MinConns = 6
)

// split divides connections: a third is for the public pool, whose look-ups are short.
func split(conns int) (scoped, public int) {
	conns = max(cmp.Or(conns, DefaultConns), MinConns)
	return conns - conns/3, conns / 3
}

// minVersion is the oldest server that the schema is tested with.
const minVersion = 150000

var (
	// ErrServer means that the server or the database is not suitable: too old, or not
	// UTF-8.
	ErrServer = errors.New("database server does not fit")
	// ErrSetting means that a setting for durability or for the separation of tenants is not
	// in effect.
	ErrSetting = errors.New("database setting not in effect")
	// ErrRole means that the app role is missing and could not be made.
	ErrRole = errors.New("database role " + AppRole + " is missing")
)

// Options names the database to open.
type Options struct {
	URL string // postgres://..., or a keyword/value string
	// Migrate brings the schema up to date. It runs as the login role.
	Migrate func(ctx context.Context, db *sql.DB) error
	// Rewrite, if set, gets each statement and returns the one to run. It is for tests that
	// remove predicates.
	Rewrite func(query string) string
	// Conns is the number of connections that the pools have together, at most; zero:
	// [DefaultConns], and never less than [MinConns].
	Conns int
}

// DB is an open database. It is safe for concurrent use.
type DB struct {
	scoped, public *sql.DB
	login          *pgx.ConnConfig
	ahead          ahead
}

// Open opens the database and updates its schema. Errors that a caller can act on:
// [ErrServer], [ErrSetting], [ErrRole], and those of Migrate.
func Open(ctx context.Context, o Options) (_ *DB, err error) {
	cfg, err := pgx.ParseConfig(o.URL)
	if err != nil {
		// The driver's message does not include the password.
		return nil, fmt.Errorf("database URL: %w", err)
	}
	if cfg.RuntimeParams["application_name"] == "" {
		cfg.RuntimeParams["application_name"] = "tcode-gateway"
	}
	bound(cfg)
	if err := prepare(ctx, cfg, o); err != nil {
		return nil, err
	}
	scoped, public := split(o.Conns)
	db := &DB{
		login:  cfg,
		scoped: pool(cfg, o, scoped, nil),
		public: pool(cfg, o, public, map[string]string{scopeSetting: Everyone}),
	}
	if err := errors.Join(db.prove(ctx), db.ReadClock(ctx)); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// planner limits plans to walks along indexes, planned once for each connection. Every
// query has an index that it was written for, and ends after a page; with these settings
// the plan is the same on an empty table, a large one, and one whose statistics are old or
// missing.
var planner = map[string]string{
	"enable_seqscan":    "off",
	"enable_bitmapscan": "off", // loses the index's order
	"enable_hashjoin":   "off",
	"enable_mergejoin":  "off",
	"jit":               "off",
	"plan_cache_mode":   "force_generic_plan",
}

// pool opens a pool that works as the app role. RESET returns to a setting given when the
// connection begins.
func pool(cfg *pgx.ConnConfig, o Options, conns int, settings map[string]string) *sql.DB {
	c := cfg.Copy()
	c.RuntimeParams["role"] = AppRole
	c.RuntimeParams["synchronous_commit"] = "on"
	maps.Copy(c.RuntimeParams, patience)
	maps.Copy(c.RuntimeParams, planner)
	maps.Copy(c.RuntimeParams, settings)
	db := sql.OpenDB(connector{stdlib.GetConnector(*c), o.Rewrite, new(atomic.Int64)})
	db.SetMaxOpenConns(conns)
	db.SetMaxIdleConns(conns)
	db.SetConnMaxIdleTime(5 * time.Minute)
	return db
}

// Public returns a pool whose statements see the rows of all tenants. It is
// for single statements that look up public references, or rows without a
// tenant.
func (db *DB) Public() *sql.DB { return db.public }

// Scoped returns the pool whose statements, outside of [DB.Write] and [DB.Read], see the
// rows of no tenant. It is for tables without tenants.
func (db *DB) Scoped() *sql.DB { return db.scoped }

// Write runs fn in one READ COMMITTED transaction under a scope and commits it. An error
// or a panic of fn rolls it back. When Write returns nil, the change survives a crash of
// the server. Write runs fn again after a serialization failure or a deadlock. If the
// commit itself fails, the outcome is unknown, so make changes that are harmless if done
// twice.
func (db *DB) Write(ctx context.Context, scope string, fn func(*sql.Tx) error) error {
	var err error
	for try := range maxTries {
		if err = db.writeOnce(ctx, scope, fn); !isRetryable(err) {
			return err
		}
		if err := pause(ctx, try); err != nil {
			return err
		}
	}
	return fmt.Errorf("%d attempts: %w", maxTries, err)
}

// maxTries bounds the runs of a transaction: a deadlock that returns so often is a mistake
// in the order of locks.
const maxTries = 10

// pause waits a little longer each time, to separate conflicting transactions.
func pause(ctx context.Context, try int) error {
	t := time.NewTimer(time.Millisecond << min(try, 7))
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

func (db *DB) writeOnce(ctx context.Context, scope string, fn func(*sql.Tx) error) error {
	tx, err := db.scoped.BeginTx(withScope(ctx, scope), &sql.TxOptions{Isolation: sql.LevelReadCommitted})
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	// After a commit this does nothing; after an error or a panic it releases locks and
	// connection.
	defer tx.Rollback() //nolint:errcheck // the first error is the one that matters
	if err := fn(tx); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	return nil
}

// Read runs fn on one consistent view of the database, under a scope.
func (db *DB) Read(ctx context.Context, scope string, fn func(*sql.Tx) error) error {
	tx, err := db.scoped.BeginTx(withScope(ctx, scope), &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true})
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	defer tx.Rollback() //nolint:errcheck // it wrote nothing
	return fn(tx)
}

// Close closes all connections.
func (db *DB) Close() error { return errors.Join(db.scoped.Close(), db.public.Close()) }
