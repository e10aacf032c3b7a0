package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"testing/fstest"

	"github.com/pressly/goose/v3"

	"tcode/offline/host/litedb"
	"tcode/server/issue/stamp"
	"tcode/server/store/pgdb"
)

func init() { waitsForOthers = 2 }

// OpenRewriting opens a PostgreSQL database; each statement passes through rewrite
// first.
func OpenRewriting(ctx context.Context, url string, rewrite func(string) string) (*DB, error) {
	return Open(ctx, Config{DatabaseURL: url, rewrite: rewrite})
}

// MigrateTo brings an empty database to the schema of that
// version.
func MigrateTo(ctx context.Context, c Config, version int64) error {
	return Evolve(ctx, c, nil, func(_ *sql.DB, run func(version int64) error) error {
		for _, v := range Migrations() {
			if v > version {
				break
			}
			if err := run(v); err != nil && !errors.Is(err, goose.ErrAlreadyApplied) {
				return err
			}
		}
		return nil
	})
}

// Migrations returns the numbers of all migrations in order.
func Migrations() (versions []int64) {
	p, err := migrator(new(sql.DB), migrations, "sqlite", goose.DialectSQLite3)
	if err != nil {
		panic(err)
	}
	for _, s := range p.ListSources() {
		versions = append(versions, s.Version)
	}
	return versions
}

// MigrationText returns the text of a migration; "" for one that is written in Go.
func MigrationText(engine string, version int64) string {
	names, err := fs.Glob(migrations, fmt.Sprintf("migrations/%s/%05d_*.sql", engine, version))
	if err != nil || len(names) == 0 {
		return ""
	}
	text, err := migrations.ReadFile(names[0])
	if err != nil {
		panic(err)
	}
	return string(text)
}

// Evolve lets do run single migrations on a database, in any order, and see it between them.
// An edit, if not nil, returns other texts of migrations.
func Evolve(ctx context.Context, c Config, edit func(engine, name, text string) string, do func(db *sql.DB, run func(version int64) error) error) error {
	evolve := func(db *sql.DB, engine string, dialect goose.Dialect) error {
		p, err := migrator(db, edited(engine, edit), engine, dialect)
		if err != nil {
			return err
		}
		return do(db, func(version int64) error {
			_, err := p.ApplyVersion(ctx, version, true)
			return err
		})
	}
	if c.DatabaseURL == "" {
		db, err := litedb.Open(ctx, c.Path, litedb.Options{ApplicationID: applicationID})
		if err != nil {
			return err
		}
		return errors.Join(evolve(db.Writer(), "sqlite", goose.DialectSQLite3), db.Close())
	}
	db, err := pgdb.Open(ctx, pgdb.Options{URL: c.DatabaseURL, Migrate: func(_ context.Context, db *sql.DB) error {
		return evolve(db, "postgres", goose.DialectPostgres)
	}})
	if err != nil {
		return err
	}
	return db.Close()
}

// edited returns the migrations of an engine with changed texts.
func edited(engine string, edit func(engine, name, text string) string) fs.FS {
	if edit == nil {
		return migrations
	}
	files := fstest.MapFS{}
	err := fs.WalkDir(migrations, "migrations/"+engine, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := migrations.ReadFile(path)
		files[path] = &fstest.MapFile{Data: []byte(edit(engine, d.Name(), string(text)))}
		return err
	})
	if err != nil {
		panic(err)
	}
	return files
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
