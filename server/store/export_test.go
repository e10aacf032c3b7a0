package store

import (
	"context"
	"database/sql"
	"errors"

	"github.com/pressly/goose/v3"

	"tcode/offline/host/litedb"
	"tcode/server/issue/stamp"
	"tcode/server/store/pgdb"
)

// OpenRewriting opens a PostgreSQL database; each statement passes through rewrite
// first.
func OpenRewriting(ctx context.Context, url string, rewrite func(string) string) (*DB, error) {
	return Open(ctx, Config{DatabaseURL: url, rewrite: rewrite})
}

// MigrateTo brings an empty database to the schema of that
// version.
func MigrateTo(ctx context.Context, c Config, version int64) error {
	upTo := func(db *sql.DB, folder string, dialect goose.Dialect) error {
		p, err := migrator(db, folder, dialect)
		if err == nil {
			_, err = p.UpTo(ctx, version)
		}
		return err
	}
	if c.DatabaseURL == "" {
		db, err := litedb.Open(ctx, c.Path, litedb.Options{ApplicationID: applicationID})
		if err != nil {
			return err
		}
		return errors.Join(upTo(db.Writer(), "sqlite", goose.DialectSQLite3), db.Close())
	}
	db, err := pgdb.Open(ctx, pgdb.Options{URL: c.DatabaseURL, Migrate: func(_ context.Context, db *sql.DB) error {
		return upTo(db, "postgres", goose.DialectPostgres)
	}})
	if err != nil {
		return err
	}
	return db.Close()
}

// A Statement is a query with its arguments.
type Statement struct {
	SQL  string
	Args []any
}

// ListStatements returns the statements that list a tenant's stamps: the query that counts
// and the one for the page.
func (d *DB) ListStatements(ctx context.Context, tenantRef string, f stamp.Filter) (counts, page Statement, err error) {
	err = d.read(ctx, tenantRef, func(q queryer) error {
		l, err := planList(ctx, q, stampsListed, tenantRef, stampFilter(f))
		if err != nil {
			return err
		}
		counts.SQL, counts.Args = l.counting(stamp.MaxCount + 1)
		page.SQL, page.Args = l.page(summaryColumns)
		return nil
	})
	return counts, page, err
}
