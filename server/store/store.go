// Package store stores the gateway's rows in SQLite or PostgreSQL, with one source file
// for each aggregate. Call [Open] first.
//
//	Open ─▶ litedb (one writer, several readers)    ─┐
//	     └▶ pgdb (a pool by scope, one for everyone) ┴▶ goose migrations ─▶ DB
//	                                                                   │ implements
//	        tenant.Store  refdata.Store  stamp.Store  verify.Store  publish.Store
//
// Assemble a gateway in this order, each part an explicit parameter of the next (package
// storetest does so for tests):
//
//	store.Open, keyring.Open, blob.Open
//	publish.New(ctx, publish.Config{Store: db, Ring: ring, ...})   trust root and online key at first use
//	tenant.New(db, ring, publisher.Notify, now)
//	refdata.New(db, publisher.Notify, now), then Seed             document types at first use
//	placement.New(db, now), tdoc.New(db, types, now)
//	stamp.New(stamp.Config{Store: db, Blobs: files, Stamper: ..., Keys: tenants, DocumentTypes: refdata, Placements: ..., Templates: ..., ...})
//	verify.New(verify.Config{Store: db, Receipts: publisher, ...})
//	go publisher.Run, go verify.Run                               publication and history
//
// SQL is written by hand and portable: $1 placeholders, times as milliseconds since
// 1970 in integers, hashes as blobs, booleans as 0 and 1. The tenant comes first in
// every index and query about a tenant's things. The CHECKs of the schema repeat the
// domain's words. Changes that belong together are one transaction, and uniqueness is a
// UNIQUE index, never only a check before the change. Every transaction has a scope, a
// tenant or everyone: on PostgreSQL row-level security enforces that scope even if a
// query does not name its tenant (see separate_tenants in
// migrations/postgres/00001_gateway.sql).
package store

import (
	"cmp"
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"time"

	"tcode/offline/host/litedb"
	"tcode/server/fault"
	"tcode/server/platform/jobs"
	"tcode/server/platform/pace"
)

// ErrNoSchema means that a PostgreSQL database has no tables of a gateway.
var ErrNoSchema = errors.New("the PostgreSQL database has no tables of a gateway")

// ErrNewerSchema means that a newer program has updated the schema.
var ErrNewerSchema = litedb.ErrNewerSchema

// FileName is the database's name in the data folder.
const FileName = "gateway.sqlite"

//go:embed migrations
var migrations embed.FS

// Config names the database to open.
type Config struct {
	Path    string // of the SQLite file; not used with DatabaseURL
	Readers int    // reading connections of SQLite; zero: litedb's default

	// DatabaseURL is a PostgreSQL database, postgres://... Its role makes and owns the schema;
	// all work runs as another role, see [pgdb.AppRole].
	DatabaseURL string

	// Connections is the number of connections to PostgreSQL, at most; zero: the default of
	// package pgdb. It is not used with Path.
	Connections int

	// Existing prevents the creation of a schema: in PostgreSQL a missing one is
	// [ErrNoSchema].
	Existing bool

	// Full, if set, is called when Open or a change finds the disk of the SQLite file full. If
	// it returns true, it has freed space, and the operation is tried again.
	Full func() bool

	// OpenShards is the number of status shards that new stamps get their entries in; zero:
	// 8. As many more are published ahead.
	OpenShards int

	rewrite func(string) string // of each statement, in tests
}

// defaultOpenShards makes the shard of an entry say little about the time of its stamp, and
// keeps the pages of the index that concurrent stamps write apart.
const defaultOpenShards = 8

// DB is the gateway's database. It is safe for concurrent use.
type DB struct {
	engine engine
	hot    queryer // for the busy public look-ups; scope everyone
	queue  *jobs.Queue
	schema int64 // its version when it was opened

	open   int // see [Config.OpenShards]
	counts counts
	keys   keyCache
	kinds  kindCache
	// rowsAtOnce is the number of rows of a long insert in one statement, a power of two.
	// PostgreSQL saves round trips, SQLite loses more by parsing: with batches of 500 scans,
	// PostgreSQL stores 1,300 scans/s with 1 row and 4,800 with 128 rows, and SQLite 7,100 and
	// 2,300 (BenchmarkSync, 2026-11, two busy cores).
	rowsAtOnce int

	// forUpdate and forShare end a SELECT in a write, of rows that the write changes, or
	// that must not change before the commit. They are empty on SQLite, which has one
	// writer.
	forUpdate, forShare string
}

// Open opens the database, and makes or updates its schema. A schema newer than the
// program is [ErrNewerSchema], and one to update while others use it [ErrOthers].
func Open(ctx context.Context, c Config) (*DB, error) {
	d, err := open(ctx, c)
	if err != nil {
		return nil, err
	}
	d.open = cmp.Or(c.OpenShards, defaultOpenShards)
	if d.queue, err = jobs.NewQueue(d.Background()); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	if err := d.hot.QueryRowContext(ctx, `SELECT max(version_id) FROM goose_db_version`).Scan(&d.schema); err != nil {
		return nil, errors.Join(fmt.Errorf("read schema version: %w", err), d.Close())
	}
	return d, nil
}

func open(ctx context.Context, c Config) (*DB, error) {
	if c.DatabaseURL != "" {
		return openPostgres(ctx, c)
	}
	return openSQLite(ctx, c)
}

// Close closes the database.
func (d *DB) Close() error {
	return d.engine.Close()
}

// queryer has the common methods of a pool and a transaction.
type queryer interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// ms returns a time as it is stored. The zero time is 0.
func ms(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

func fromMS(v int64) time.Time {
	if v == 0 {
		return time.Time{}
	}
	return time.UnixMilli(v).UTC()
}

// notFound converts sql.ErrNoRows to a NotFound fault and wraps all other errors.
func notFound(err error, doing, format string, args ...any) error {
	if errors.Is(err, sql.ErrNoRows) {
		return fault.New(fault.NotFound, fault.CodeNotFound, format, args...)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	return nil
}

// all scans every row of a query by scan.
func all[T any](ctx context.Context, q queryer, scan func(scanner) (T, error), query string, args ...any) ([]T, error) {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	work := pace.Of(ctx)
	var out []T
	for rows.Next() {
		work.Rest()
		v, err := scan(rows)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, rows.Err()
}

// scanner is one row, of Query or of QueryRow.
type scanner interface{ Scan(dest ...any) error }

// one returns 1 for true, for columns.
func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// wrap adds the operation to an error, and returns nil for nil.
func wrap(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf(format+": %w", append(args, err)...)
}

// orElse returns err, or otherwise if err is nil.
func orElse(err, otherwise error) error {
	if err != nil {
		return err
	}
	return otherwise
}

// errOtherTenant is a mistake in a service: it must pass rows of one tenant only.
var errOtherTenant = errors.New("belongs to another tenant")
