package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"github.com/pressly/goose/v3"
)

// repairChanged is migration 00050. Before the first release some migrations were changed after
// they had run: a database from then lacks the change. This step adds it there, and changes
// nothing in any other database. Since then no migration changes, see landed.txt.
func repairChanged(dialect goose.Dialect) *goose.Migration {
	repairs := liteRepairs
	if dialect == goose.DialectPostgres {
		repairs = postgresRepairs
	}
	return goose.NewGoMigration(50, &goose.GoFunc{RunTx: func(ctx context.Context, tx *sql.Tx) error {
		for _, m := range repairs {
			var broken bool
			if err := tx.QueryRowContext(ctx, `SELECT `+m.when).Scan(&broken); err != nil {
				return fmt.Errorf("check %s: %w", m.what, err)
			}
			if !broken {
				continue
			}
			for _, statement := range m.do {
				if _, err := tx.ExecContext(ctx, statement); err != nil {
					return fmt.Errorf("repair %s: %w", m.what, err)
				}
			}
		}
		return nil
	}}, nil)
}

// A repair is a change that a database from before it lacks.
type repair struct {
	what string
	when string // whether the database lacks it, as an expression
	do   []string
}

// liteRepairs are for SQLite. The oldest changes were made before there was PostgreSQL.
var liteRepairs = []repair{
	{
		"00001: what the bundle must show is counted", `count(*) = 1 FROM pragma_table_info('trust_head') WHERE name = 'bundle_digest'`, []string{
			`ALTER TABLE trust_head ADD COLUMN bundle_wanted INTEGER NOT NULL DEFAULT 1`,
			`ALTER TABLE trust_head ADD COLUMN bundle_published INTEGER NOT NULL DEFAULT 0`,
			`ALTER TABLE trust_head DROP COLUMN bundle_digest`,
		},
	},
	{
		"00003: restores", `count(*) = 0 FROM sqlite_schema WHERE name = 'restores'`, []string{
			`CREATE TABLE restores (id INTEGER NOT NULL PRIMARY KEY, backup_at INTEGER NOT NULL, restored_at INTEGER NOT NULL, agreed_at INTEGER NOT NULL DEFAULT 0) STRICT`,
		},
	},
	{
		"00003: lost entries", `count(*) = 0 FROM sqlite_schema WHERE name = 'lost_entries'`, []string{`CREATE TABLE lost_entries (
			shard INTEGER NOT NULL REFERENCES shards (number),
			entry INTEGER NOT NULL CHECK (entry BETWEEN 0 AND 65535),
			value INTEGER NOT NULL CHECK (value BETWEEN 1 AND 3),
			PRIMARY KEY (shard, entry)
		) STRICT`},
	},
	{
		"00003: quotas of requests", `sql NOT LIKE '%''requests''%' FROM sqlite_schema WHERE name = 'plan_quotas'`, []string{
			`CREATE TABLE plan_quotas_new (
				tenant    TEXT    NOT NULL REFERENCES tenants (reference),
				kind      TEXT    NOT NULL CHECK (kind IN ('stamps', 'templates', 'bulk_jobs', 'documents', 'requests')),
				per_month INTEGER NOT NULL CHECK (per_month >= 0),
				PRIMARY KEY (tenant, kind)
			) STRICT`,
			`INSERT INTO plan_quotas_new (tenant, kind, per_month) SELECT tenant, kind, per_month FROM plan_quotas`,
			`DROP TABLE plan_quotas`,
			`ALTER TABLE plan_quotas_new RENAME TO plan_quotas`,
		},
	},
	{"00010: files of bulk jobs", `count(*) = 0 FROM pragma_table_info('bulk_jobs') WHERE name = 'csv_bytes'`, namedFilesOfJobs("TEXT", "INTEGER", "lower(hex(%s))")},
	{"00030: the audit log by kind of author", `count(*) = 0 FROM sqlite_schema WHERE name = 'audit_of_actor'`, []string{
		`CREATE INDEX audit_of_actor ON audit (tenant, actor, at, id)`,
	}},
}

// postgresRepairs are for PostgreSQL.
var postgresRepairs = []repair{
	{
		"00003: quotas of requests", `count(*) = 1 FROM pg_constraint WHERE conrelid = to_regclass('plan_quotas') AND conname = 'plan_quotas_kind_check' AND pg_get_constraintdef(oid) NOT LIKE '%requests%'`, []string{
			`ALTER TABLE plan_quotas DROP CONSTRAINT plan_quotas_kind_check`,
			`ALTER TABLE plan_quotas ADD CONSTRAINT plan_quotas_kind_check CHECK (kind IN ('stamps', 'templates', 'bulk_jobs', 'documents', 'requests'))`,
		},
	},
	{"00010: files of bulk jobs", `count(*) = 0 FROM pg_attribute WHERE attrelid = to_regclass('bulk_jobs') AND attname = 'csv_bytes'`, namedFilesOfJobs(`TEXT COLLATE "C"`, "BIGINT", "encode(%s, 'hex')")},
	{"00025: names of devices sort by bytes", `count(*) > 0 FROM pg_attribute a JOIN pg_collation c ON c.oid = a.attcollation
		WHERE a.attrelid = to_regclass('devices') AND a.attname IN ('name', 'refused') AND c.collname <> 'C'`, []string{
		`ALTER TABLE devices ALTER COLUMN name TYPE TEXT COLLATE "C", ALTER COLUMN refused TYPE TEXT COLLATE "C"`,
	}},
	{"00030: the audit log by kind of author", `to_regclass('audit_of_actor') IS NULL`, []string{
		`CREATE INDEX audit_of_actor ON audit (tenant, actor, at, id)`,
	}},
}

// namedFilesOfJobs returns statements that store the hashes of a job's files as text. The
// sizes are not known: -1 says that the job names them no more.
func namedFilesOfJobs(text, integer, hex string) (do []string) {
	for _, file := range []string{"csv", "zip"} {
		was, now := file+"_sha256", file+"_hex"
		do = append(
			do, `DROP INDEX IF EXISTS bulk_jobs_`+file,
			`ALTER TABLE bulk_jobs ADD COLUMN `+now+` `+text+` NOT NULL DEFAULT '`+strings.Repeat("0", 64)+`' CHECK (length(`+now+`) = 64)`,
			`UPDATE bulk_jobs SET `+now+` = `+fmt.Sprintf(hex, was),
			`ALTER TABLE bulk_jobs DROP COLUMN `+was,
			`ALTER TABLE bulk_jobs RENAME COLUMN `+now+` TO `+was,
			`ALTER TABLE bulk_jobs ADD COLUMN `+file+`_bytes `+integer+` NOT NULL DEFAULT -1`,
			`CREATE INDEX bulk_jobs_`+file+` ON bulk_jobs (`+was+`)`,
		)
	}
	return do
}
