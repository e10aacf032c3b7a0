package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync/atomic"
	"time"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"tcode/offline/host/litedb"
	"tcode/server/platform/jobs"
	"tcode/server/store/pgdb"
)

// engine is a kind of database: SQLite in a file, or PostgreSQL.
type engine interface {
	// Write runs do in one transaction under a scope and commits it.
	Write(ctx context.Context, scope string, do func(*sql.Tx) error) error
	// Read runs do on one consistent view under a scope.
	Read(ctx context.Context, scope string, do func(*sql.Tx) error) error
	Pools() map[string]sql.DBStats
	// ReadClock reads the clock that all gateways share, and Ahead returns how far it is
	// ahead of this machine's.
	ReadClock(ctx context.Context) error
	Ahead() time.Duration
	// CheckFiles returns [ErrReplaced] if the database is no longer where it was opened.
	CheckFiles() error
	// Background returns the database for wake-ups of background work.
	Background() (*sql.DB, jobs.Engine)
	// Compact clears the free space of the database's files. It rewrites what is at most so
	// many bytes long: SQLite's one file, or of PostgreSQL the tables.
	Compact(ctx context.Context, atMost int64, tables ...string) error
	Close() error
}

// applicationID marks the file as a TCode gateway's ("TCgw").
const applicationID = 0x54436777

// lite is SQLite, which ignores the scope: each query names its tenant.
type lite struct {
	*litedb.DB
	files  map[string]os.FileInfo // files that were opened, by path
	closed *atomic.Bool
	full   func() bool // see [Config.Full]; or nil
}

// beside are the suffixes of SQLite's files: the database, its log with the newest
// changes, and the index of the log. The last two exist while any process has the database
// open.
var beside = []string{"", "-wal", "-shm"}

// opened records the files of an open database.
func opened(db *litedb.DB) (lite, error) {
	l := lite{DB: db, files: map[string]os.FileInfo{}, closed: new(atomic.Bool)}
	for _, end := range beside {
		file, err := os.Stat(db.Path() + end)
		if err != nil {
			return l, fmt.Errorf("open database: %w", err)
		}
		l.files[db.Path()+end] = file
	}
	return l, nil
}

// ErrReplaced means that a file of the open database was deleted or replaced. Changes
// would go to a file that no process can open again.
var ErrReplaced = errors.New("the database file was deleted or replaced while it was open; end the gateway before you put back a copy, see \"tcode-gateway restore\"")

// Compact rewrites the whole file.
func (l lite) Compact(ctx context.Context, atMost int64, _ ...string) error {
	return l.DB.Compact(ctx, atMost)
}

// CheckFiles checks the paths. An error of the disk does not mean that a file is a
// different one. SQLite itself removes files when it closes them.
func (l lite) CheckFiles() error {
	if l.closed.Load() {
		return nil
	}
	for path, file := range l.files {
		now, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(now, file) {
			return fmt.Errorf("%s: %w", path, ErrReplaced)
		}
	}
	return nil
}

// Close closes the database.
func (l lite) Close() error {
	l.closed.Store(true)
	return l.DB.Close()
}

// Write returns an error if the file is gone: checking the paths twice costs a hundredth
// of a commit.
func (l lite) Write(ctx context.Context, _ string, do func(*sql.Tx) error) error {
	if err := l.CheckFiles(); err != nil {
		return err
	}
	err := l.DB.Write(ctx, do)
	if err != nil && l.full != nil && litedb.IsFull(err) && l.full() {
		err = l.DB.Write(ctx, do) // nothing of the change was stored
	}
	return orElse(err, l.CheckFiles())
}

func (l lite) Read(ctx context.Context, _ string, do func(*sql.Tx) error) error {
	tx, err := l.Reader().BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	defer tx.Rollback() //nolint:errcheck // it wrote nothing
	return do(tx)
}

// ReadClock does nothing: the file is on this machine.
func (lite) ReadClock(context.Context) error { return nil }

// Ahead returns 0.
func (lite) Ahead() time.Duration { return 0 }

func (l lite) Background() (*sql.DB, jobs.Engine) { return l.Writer(), jobs.SQLite }

// server is PostgreSQL.
type server struct{ *pgdb.DB }

func (server) CheckFiles() error { return nil } // the server checks its files itself

func (s server) Background() (*sql.DB, jobs.Engine) { return s.Scoped(), jobs.Postgres }

// Background returns the pool for [jobs.NewRunner].
func (d *DB) Background() (*sql.DB, jobs.Engine) { return d.engine.Background() }

// isLite reports whether the engine is SQLite, where one statement cannot serve both engines.
func (d *DB) isLite() bool { return d.forUpdate == "" }

// openSQLite opens the file of c. Opening it needs space on the disk, as a change does.
func openSQLite(ctx context.Context, c Config) (*DB, error) {
	db, err := tryOpenSQLite(ctx, c)
	if err != nil && c.Full != nil && litedb.IsFull(err) && c.Full() {
		db, err = tryOpenSQLite(ctx, c)
	}
	return db, err
}

func tryOpenSQLite(ctx context.Context, c Config) (*DB, error) {
	db, err := litedb.Open(ctx, c.Path, litedb.Options{ApplicationID: applicationID, Readers: c.Readers, SecureDelete: true})
	if err != nil {
		return nil, err
	}
	if err := migrate(ctx, db.Writer(), "sqlite", goose.DialectSQLite3, func(context.Context, *sql.DB) error { return nil }); err != nil {
		return nil, errors.Join(fmt.Errorf("open database %s: %w", c.Path, err), db.Close())
	}
	if err := jobs.Migrate(ctx, db.Writer(), jobs.SQLite); err != nil {
		return nil, errors.Join(fmt.Errorf("open database %s: %w", c.Path, err), db.Close())
	}
	if err := forgetStatistics(ctx, db.Writer()); err != nil {
		return nil, errors.Join(fmt.Errorf("open database %s: %w", c.Path, err), db.Close())
	}
	l, err := opened(db)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	l.full = c.Full
	return &DB{engine: l, hot: brief{db.Reader()}, rowsAtOnce: 1}, nil
}

// forgetStatistics removes the statistics of an ANALYZE. Every query has an index that it
// was written for, whatever is in the tables. With samples of columns, SQLite plans a
// prepared statement again each time its values change, which doubles the cost of a
// look-up.
func forgetStatistics(ctx context.Context, db *sql.DB) error {
	tables, err := all(ctx, db, func(r scanner) (name string, err error) {
		err = r.Scan(&name)
		return name, err
	}, `SELECT name FROM sqlite_schema WHERE name IN ('sqlite_stat1', 'sqlite_stat4') ORDER BY name`)
	if err != nil {
		return fmt.Errorf("look for statistics: %w", err)
	}
	for _, name := range tables { // which makes every connection read the schema again
		if _, err := db.ExecContext(ctx, `DROP TABLE IF EXISTS `+name); err != nil {
			return fmt.Errorf("drop statistics: %w", err)
		}
	}
	return nil
}

func openPostgres(ctx context.Context, c Config) (*DB, error) {
	update := migratePostgres
	if c.Existing {
		update = updatePostgres
	}
	db, err := pgdb.Open(ctx, pgdb.Options{URL: c.DatabaseURL, Rewrite: c.rewrite, Migrate: update, Conns: c.Connections})
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	return &DB{engine: server{db}, hot: db.Public(), rowsAtOnce: 128, forUpdate: " FOR UPDATE", forShare: " FOR SHARE"}, nil
}

// updatePostgres calls migratePostgres if there is a schema.
func updatePostgres(ctx context.Context, db *sql.DB) error {
	var table sql.NullString
	if err := db.QueryRowContext(ctx, `SELECT to_regclass('goose_db_version')::text`).Scan(&table); err != nil {
		return fmt.Errorf("look for the schema: %w", err)
	}
	if !table.Valid {
		return ErrNoSchema
	}
	return migratePostgres(ctx, db)
}

// migratePostgres lets one gateway at a time migrate; the others wait for it.
func migratePostgres(ctx context.Context, db *sql.DB) error {
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 300)) // checks every second, for 5 minutes
	if err != nil {
		return err
	}
	if err := migrate(ctx, db, "postgres", goose.DialectPostgres, othersEnded, goose.WithSessionLocker(locker)); err != nil {
		return err
	}
	return jobs.Migrate(ctx, db, jobs.Postgres)
}

// migrator returns the migrations of a folder. A database may lack a migration with a lower
// number than it has already, because work on two of them is finished in any order: it runs
// then.
func migrator(db *sql.DB, files fs.FS, folder string, dialect goose.Dialect, options ...goose.ProviderOption) (*goose.Provider, error) {
	dir, err := fs.Sub(files, "migrations/"+folder)
	if err != nil {
		return nil, err
	}
	p, err := goose.NewProvider(dialect, db, dir, append(options, goose.WithDisableGlobalRegistry(true), goose.WithAllowOutofOrder(true),
		goose.WithGoMigrations(fillWords(), repairChanged(dialect), foldNames(dialect)))...)
	return p, wrap(err, "read migrations")
}

// migrate updates the schema. Before it changes one that is in use, it calls alone, which
// returns [ErrOthers] if other gateways run.
func migrate(ctx context.Context, db *sql.DB, folder string, dialect goose.Dialect, alone func(context.Context, *sql.DB) error, options ...goose.ProviderOption) error {
	p, err := migrator(db, migrations, folder, dialect, options...)
	if err != nil {
		return err
	}
	// Several gateways may start on a new database together, and goose has no lock for
	// SQLite: the second one fails on existing tables, and finds that another migration is
	// the next one.
	for last, waits := int64(-1), 0; ; {
		have, want, err := p.GetVersions(ctx)
		if err != nil {
			return fmt.Errorf("read schema version: %w", err)
		}
		if have > want {
			return fmt.Errorf("%w: schema %d, newest known %d", ErrNewerSchema, have, want)
		}
		pending, err := p.HasPending(ctx)
		if err != nil {
			return fmt.Errorf("read migrations of the schema: %w", err)
		}
		if !pending {
			return nil
		}
		if have > 0 {
			if err := alone(ctx, db); err != nil && waits == waitsForOthers {
				return fmt.Errorf("update schema %d to %d: %w", have, want, err)
			} else if err != nil {
				waits++
				if err := pause(ctx, time.Second); err != nil {
					return err
				}
				continue
			}
		}
		_, err = p.Up(ctx)
		var partial *goose.PartialError
		var failed int64
		if errors.As(err, &partial) {
			failed = partial.Failed.Source.Version
		}
		if err != nil && failed == last {
			return fmt.Errorf("migrate: %w", err)
		}
		last = failed
	}
}

// waitsForOthers is how many seconds a gateway waits for others that are ending.
var waitsForOthers = 15

// ErrOthers means that the schema must be updated and other gateways run, which do not know
// the new one.
var ErrOthers = errors.New("other gateways run on this database, and would not know its new tables: end all of them, then start this one")

// othersEnded returns ErrOthers if other gateways run on the database.
func othersEnded(ctx context.Context, db *sql.DB) error {
	n, hosts, err := pgdb.Others(ctx, db)
	if err == nil && n > 0 {
		err = fmt.Errorf("%w (%d connections, from %s)", ErrOthers, n, hosts)
	}
	return err
}

func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// CheckSchema returns [ErrNewerSchema] if a newer program has updated the schema since
// the database was opened: changes by this one could contradict its rules.
func (d *DB) CheckSchema(ctx context.Context) error {
	var have int64
	if err := d.hot.QueryRowContext(ctx, `SELECT max(version_id) FROM goose_db_version`).Scan(&have); err != nil {
		return fmt.Errorf("read schema version: %w", err)
	}
	if have > d.schema {
		return fmt.Errorf("%w: schema %d, newest known %d; a newer program has updated it", ErrNewerSchema, have, d.schema)
	}
	return nil
}
