package store_test

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"tcode/server/store/pgdb"
	"tcode/server/store/storetest"
)

// column reads one column of text.
func column(t *testing.T, q interface {
	Query(query string, args ...any) (*sql.Rows, error)
}, query string, args ...any,
) (out []string) {
	t.Helper()
	rows, err := q.Query(query, args...)
	if err != nil {
		t.Fatalf("%v: %s", err, query)
	}
	defer rows.Close()
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			t.Fatal(err)
		}
		out = append(out, s)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestScopes: without a scope, the app role sees no row of any table with a tenant column;
// in a tenant's scope, that tenant's rows; in everyone's scope, all rows. It writes no
// other tenant's rows.
func TestScopes(t *testing.T) {
	t.Parallel()
	b := storetest.NewOn(t, storetest.Postgres)
	furnish(t, b, "ACME01", "acme")
	furnish(t, b, "OTHER1", "other")
	raw := storetest.Raw(t, b.Dir)
	tables := column(t, raw, `SELECT table_name FROM information_schema.columns
		WHERE table_schema = current_schema() AND column_name = 'tenant' ORDER BY 1`)
	if len(tables) < 16 {
		t.Errorf("only %d tables with a tenant: %s", len(tables), tables)
	}
	for _, tt := range []struct{ scope, want string }{{"", ""}, {"ACME01", "ACME01"}, {"*", "ACME01 OTHER1"}, {"NOBODY", ""}} {
		tx, err := raw.Begin()
		if err != nil {
			t.Fatal(err)
		}
		for _, set := range []string{`SET LOCAL ROLE ` + pgdb.AppRole, `SET LOCAL tcode.scope = '` + tt.scope + `'`} {
			if _, err := tx.Exec(set); err != nil {
				t.Fatal(err)
			}
		}
		for _, table := range tables {
			got := strings.Join(column(t, tx, `SELECT DISTINCT tenant FROM `+table+` WHERE tenant <> '' ORDER BY 1`), " ")
			if got != tt.want && !(got == "" && empty(t, raw, table)) {
				t.Errorf("in scope %q %s shows tenants %q, want %q", tt.scope, table, got, tt.want)
			}
		}
		if got := strings.Join(column(t, tx, `SELECT reference FROM tenants ORDER BY 1`), " "); got != tt.want {
			t.Errorf("in scope %q there are tenants %q, want %q", tt.scope, got, tt.want)
		}
		_, err = tx.Exec(`INSERT INTO once (tenant, route, key, digest, status, body, created_at) VALUES ('OTHER1', '', $1, $2, 201, '', 1)`,
			tt.scope, make([]byte, 32))
		if (err == nil) != (tt.scope == "*") {
			t.Errorf("in scope %q a row of OTHER1 is inserted with error %v", tt.scope, err)
		}
		tx.Rollback()
	}
}

func empty(t *testing.T, db *sql.DB, table string) bool {
	t.Helper()
	var n int
	if err := db.QueryRow(`SELECT count(*) FROM ` + table).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n == 0
}

// TestPostgresSchema: the app role can change neither the schema nor the audit log, and
// all text is ordered by bytes.
func TestPostgresSchema(t *testing.T) {
	t.Parallel()
	b := storetest.NewOn(t, storetest.Postgres)
	raw := storetest.Raw(t, b.Dir)
	raw.SetMaxOpenConns(1)
	if got := column(t, raw, `SELECT table_name || '.' || column_name FROM information_schema.columns
		WHERE table_schema = current_schema() AND data_type IN ('text', 'character varying') AND collation_name IS DISTINCT FROM 'C'
			AND table_name <> 'goose_db_version' AND table_name NOT LIKE 'river\_%'`); len(got) > 0 {
		t.Errorf("text without COLLATE \"C\": %s", got)
	}
	if got := column(t, raw, `SELECT i.indexrelid::regclass || ' of ' || i.indrelid::regclass FROM pg_index i
		JOIN pg_class c ON c.oid = i.indrelid JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
		WHERE c.relnamespace = current_schema()::regnamespace AND a.attname <> 'tenant'
			AND EXISTS (SELECT FROM pg_attribute t WHERE t.attrelid = i.indrelid AND t.attname = 'tenant')
		ORDER BY 1`); fmt.Sprint(got) != fmt.Sprint(publicIndexes) {
		t.Errorf("indexes that do not begin with the tenant:\n got %q\nwant %q", got, publicIndexes)
	}
	if _, err := raw.Exec(`SET ROLE ` + pgdb.AppRole); err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{
		`DROP TABLE stamps`, `ALTER TABLE stamps DISABLE ROW LEVEL SECURITY`, `CREATE TABLE mine (x int)`, `TRUNCATE stamps`,
		`DROP POLICY of_tenant ON stamps`, `DELETE FROM audit`, `UPDATE audit SET at = 0`, `DELETE FROM goose_db_version`,
	} {
		if _, err := raw.Exec(statement); err == nil {
			t.Errorf("the app role may run %s", statement)
		}
	}
}

// publicIndexes are the indexes for finding a row before its tenant is known, and keys
// that only number rows.
var publicIndexes = []string{
	"api_keys_pkey of api_keys", "audit_pkey of audit", "batches_id of batches", "batches_wake of batches", "bulk_jobs_csv of bulk_jobs", "bulk_jobs_id of bulk_jobs", "bulk_jobs_wake of bulk_jobs", "bulk_jobs_zip of bulk_jobs", "documents_content of documents", "documents_due of documents", "documents_first of documents", "documents_original of documents", "documents_reference of documents", "documents_stamped of documents", "erasures_due of erasures", "leaving_files_due of leaving_files",
	"mails_id of mails", "mails_wake of mails",
	"scan_conflicts_once of scan_conflicts", "scan_conflicts_pkey of scan_conflicts",
	"scans_of_device of scans", "scans_once of scans", "scans_pkey of scans", "stamps_first of stamps", "stamps_original of stamps",
	"stamps_reference of stamps", "stamps_stamped of stamps", "status_entries_pkey of status_entries", "status_entries_set of status_entries",
	"user_identities_subject of user_identities", "user_links_hash of user_links", "user_passkeys_credential of user_passkeys", "user_sessions_hash of user_sessions", "users_email of users", "verifications_pkey of verifications",
}
