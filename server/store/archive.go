package store

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"tcode/server/platform/jobs"
	"tcode/server/store/pgdb"
	"tcode/server/tenant"
)

// A Copy is a consistent copy of the database in a file, made by [DB.Dump].
type Copy struct {
	Postgres     bool   // the file is an archive of rows
	TrustVersion uint64 // last published
	FileBytes    int64  // of the files that rows name
	EachFile     func(ctx context.Context, each func(NamedFile) error) error
}

// schemaTables have the version of the schema. Its migrations make them.
var schemaTables = []string{"goose_db_version", "river_migration"}

// archiveSchema is the first line of an archive of rows.
type archiveSchema struct {
	Applied []int64 `json:"applied"` // migrations, in order of their numbers
}

// IsPostgres reports whether the database is on PostgreSQL.
func (d *DB) IsPostgres() bool { return !d.isLite() }

// Dump writes the rows of a PostgreSQL database to the new file path, and the files that they
// name to the new file path.files, all as of one moment.
func (d *DB) Dump(ctx context.Context, path string) (c Copy, err error) {
	s, ok := d.engine.(server)
	if !ok {
		return c, errors.New("not a PostgreSQL database")
	}
	c.Postgres = true
	rows, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return c, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	list, err := os.OpenFile(path+".files", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return c, err
	}
	defer func() { err = errors.Join(err, list.Close()) }()
	var head archiveSchema
	head.Applied, err = all(ctx, d.hot, func(r scanner) (v int64, err error) { return v, r.Scan(&v) },
		`SELECT version_id FROM goose_db_version WHERE is_applied AND version_id > 0 ORDER BY version_id`)
	if err != nil {
		return c, fmt.Errorf("read schema version: %w", err)
	}
	raw, err := json.Marshal(head)
	if err != nil {
		return c, err
	}
	if _, err := rows.Write(append(raw, '\n')); err != nil {
		return c, err
	}
	names := bufio.NewWriter(list)
	err = s.Dump(ctx, rows, schemaTables, func(query pgdb.Query) error {
		err := query(ctx, `SELECT version FROM trust_head`, func(r pgdb.Scanner) error {
			var v int64
			err := r.Scan(&v)
			c.TrustVersion = uint64(v)
			return err
		})
		if err != nil {
			return err
		}
		return query(ctx, `SELECT sha256, max(size_bytes) FROM `+namedFiles+` GROUP BY sha256 ORDER BY sha256`, func(r pgdb.Scanner) error {
			var f NamedFile
			if err := r.Scan(&f.SHA256, &f.Size); err != nil {
				return err
			}
			c.FileBytes += f.Size
			_, err := fmt.Fprintf(names, "%s %d\n", f.SHA256, f.Size)
			return err
		})
	})
	if err = errors.Join(err, names.Flush()); err != nil {
		return c, fmt.Errorf("copy database: %w", err)
	}
	c.EachFile = func(ctx context.Context, each func(NamedFile) error) error {
		f, err := os.Open(path + ".files")
		if err != nil {
			return err
		}
		defer f.Close()
		lines := bufio.NewScanner(f)
		for lines.Scan() {
			var named NamedFile
			if _, err := fmt.Sscanf(lines.Text(), "%s %d", &named.SHA256, &named.Size); err != nil {
				return err
			}
			if err := each(named); err != nil {
				return err
			}
		}
		return lines.Err()
	}
	return c, nil
}

// maxSchemaLine bounds the first line of an archive.
const maxSchemaLine = 64 << 10

// ErrSchemaLine means that an archive does not begin with the version of its schema.
var ErrSchemaLine = errors.New("the archive does not say of which schema it is")

// Load reads an archive of [DB.Dump] into the empty PostgreSQL database of c, and marks it as
// restored, both in one transaction. It then updates the schema.
func Load(ctx context.Context, c Config, path string, backupAt, now time.Time, audit *tenant.Entry) (err error) {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	in := bufio.NewReaderSize(f, 64<<10)
	line, err := in.ReadString('\n')
	var head archiveSchema
	if err != nil || len(line) > maxSchemaLine || json.Unmarshal([]byte(strings.TrimSpace(line)), &head) != nil || len(head.Applied) == 0 {
		return ErrSchemaLine
	}
	o := pgdb.Options{URL: c.DatabaseURL, Migrate: func(ctx context.Context, db *sql.DB) error { return migratePostgresTo(ctx, db, head.Applied) }}
	err = pgdb.Load(ctx, o, io.Reader(in), `SELECT 1 FROM trust_roots UNION ALL SELECT 1 FROM tenants`, func(ctx context.Context, tx *sql.Tx) error {
		return markRestored(ctx, tx, backupAt, now, audit)
	})
	return wrap(err, "load rows")
}

// migratePostgresTo makes a schema of some migrations. An empty database that has others as well
// is an error: its columns may differ.
func migratePostgresTo(ctx context.Context, db *sql.DB, versions []int64) error {
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 300))
	if err != nil {
		return err
	}
	p, err := migrator(db, migrations, "postgres", goose.DialectPostgres, goose.WithSessionLocker(locker))
	if err != nil {
		return err
	}
	for _, v := range versions {
		_, err := p.ApplyVersion(ctx, v, true)
		switch {
		case errors.Is(err, goose.ErrVersionNotFound):
			return fmt.Errorf("%w: it has schema %d, which this program does not know", pgdb.ErrArchive, v)
		case err != nil && !errors.Is(err, goose.ErrAlreadyApplied):
			return fmt.Errorf("migrate: %w", err)
		}
	}
	var have int
	if err := db.QueryRowContext(ctx, `SELECT count(*) FROM goose_db_version WHERE version_id > 0`).Scan(&have); err != nil {
		return fmt.Errorf("read schema version: %w", err)
	}
	if have != len(versions) {
		return fmt.Errorf("the database has a newer schema than the backup already (%d migrations, want %d): %w", have, len(versions), pgdb.ErrRows)
	}
	return jobs.Migrate(ctx, db, jobs.Postgres)
}
