package store_test

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"regexp"
	"sync"
	"testing"

	"tcode/offline/host/litedb"
	"tcode/server/store"
	"tcode/server/store/storetest"
)

func TestOpen(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), store.FileName)
	for range 2 {
		db, err := store.Open(t.Context(), store.Config{Path: path})
		if err != nil {
			t.Fatal(err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	lite, err := litedb.Open(t.Context(), path, litedb.Options{MustExist: true})
	if err != nil {
		t.Fatal(err)
	}
	err = lite.Write(t.Context(), func(tx *sql.Tx) error {
		_, err := tx.Exec(`INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, 1)`)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	lite.Close()
	if _, err := store.Open(t.Context(), store.Config{Path: path}); !errors.Is(err, litedb.ErrNewerSchema) {
		t.Errorf("newer schema: %v, want ErrNewerSchema", err)
	}
}

// TestOpenConcurrently: several gateways may update one database together.
func TestOpenConcurrently(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), store.FileName)
	lite, err := litedb.Open(t.Context(), path, litedb.Options{ApplicationID: 0x54436777})
	if err != nil {
		t.Fatal(err)
	}
	if err := lite.Close(); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			db, err := store.Open(context.Background(), store.Config{Path: path})
			if err != nil {
				t.Error(err)
				return
			}
			db.Close()
		})
	}
	wg.Wait()
}

// TestTenantComesFirst: every index and primary key of a tenant's tables begins with the
// tenant, except those for public look-ups.
func TestTenantComesFirst(t *testing.T) {
	t.Parallel()
	b := storetest.NewOn(t, storetest.SQLite)
	db, err := litedb.Open(t.Context(), filepath.Join(b.Dir, store.FileName), litedb.Options{MustExist: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	public := map[string]bool{
		"stamps_reference": true, "stamps_original": true, "stamps_first": true, "stamps_stamped": true, // verification
		"documents_reference": true, "documents_original": true, "documents_first": true, "documents_stamped": true, "documents_content": true,
		"documents_due":                     true,                             // expiry, of all tenants
		"sqlite_autoindex_status_entries_1": true, "status_entries_set": true, // the status list
		"sqlite_autoindex_api_keys_1": true,                         // a key names its tenant
		"scans_of_device":             true,                         // a device's numbers, for scans of any tenant
		"scans_once":                  true,                         // a device's, before a tenant is known
		"scan_conflicts_once":         true,                         // as those are
		"bulk_jobs_id":                true, "bulk_jobs_wake": true, // a runner works for all
		"batches_id": true, "batches_wake": true, "erasures_due": true, "leaving_files_due": true,
		"bulk_jobs_csv": true, "bulk_jobs_zip": true, // a file is deleted when no tenant names it
		"mails_id": true, "mails_wake": true, // a gateway works for all
		"webhooks_id": true, "webhooks_wake": true, "webhook_deliveries_old": true,
		"users_email": true, "user_links_hash": true, "user_sessions_hash": true, // an address and a token name their tenant
		"user_passkeys_credential": true, "user_identities_subject": true, // as do passkeys and accounts at a provider
	}
	rows, err := db.Reader().Query(`
		SELECT m.name, i.name, (SELECT name FROM pragma_index_info(i.name) WHERE seqno = 0)
		FROM sqlite_schema m, pragma_index_list(m.name) i
		WHERE m.type = 'table' AND EXISTS (SELECT 1 FROM pragma_table_info(m.name) WHERE name = 'tenant')`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	n := 0
	for rows.Next() {
		var table, index, first string
		if err := rows.Scan(&table, &index, &first); err != nil {
			t.Fatal(err)
		}
		n++
		if first != "tenant" && !public[index] {
			t.Errorf("index %s of %s begins with %s", index, table, first)
		}
	}
	if n < 12 {
		t.Errorf("only %d indexes seen", n)
	}
}

// TestStrictTables: all tables are strict, so that a text in a number's column is an error
// in SQLite too.
func TestStrictTables(t *testing.T) {
	t.Parallel()
	b := storetest.NewOn(t, storetest.SQLite)
	db, err := litedb.Open(t.Context(), filepath.Join(b.Dir, store.FileName), litedb.Options{MustExist: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.Reader().Query(`SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'goose_%' AND name NOT LIKE 'river_%'`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	strict := regexp.MustCompile(`\) STRICT(, WITHOUT ROWID)?$`)
	n := 0
	for rows.Next() {
		var name, text string
		if err := rows.Scan(&name, &text); err != nil {
			t.Fatal(err)
		}
		n++
		if !strict.MatchString(text) {
			t.Errorf("table %s is not STRICT", name)
		}
	}
	if n < 20 {
		t.Errorf("only %d tables seen", n)
	}
}
