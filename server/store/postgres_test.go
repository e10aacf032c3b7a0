package store_test

import (
	"context"
	"database/sql"
	"errors"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"tcode/offline/host/litedb"
	"tcode/server/store"
	"tcode/server/store/pgdb"
	"tcode/server/store/storetest"
)

// TestPostgresOpenConcurrently: several gateways may start on one new database together:
// one migrates, the others wait for it.
func TestPostgresOpenConcurrently(t *testing.T) {
	t.Parallel()
	address := storetest.EmptyPostgres(t)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			db, err := store.Open(context.Background(), store.Config{DatabaseURL: address})
			if err != nil {
				t.Error(err)
				return
			}
			defer db.Close()
			if _, err := db.OpenShards(context.Background()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

func open(t *testing.T, address string) error {
	t.Helper()
	db, err := store.Open(t.Context(), store.Config{DatabaseURL: address})
	if err == nil {
		err = db.Close()
	}
	return err
}

// asSuperuser runs statements on a database.
func asSuperuser(t *testing.T, address string, statements ...string) {
	t.Helper()
	db, err := sql.Open("pgx", address)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	run(t, db, statements...)
}

func run(t *testing.T, db *sql.DB, statements ...string) {
	t.Helper()
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%v: %s", err, s)
		}
	}
}

// as returns an address with another login role.
func as(t *testing.T, address, role string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	q.Set("user", role)
	u.RawQuery = q.Encode()
	return u.String()
}

func TestPostgresRefuses(t *testing.T) {
	t.Parallel()
	b := storetest.NewOn(t, storetest.Postgres)
	address := storetest.Database(t, b.Dir).DatabaseURL
	for _, tt := range []struct{ table, spoil, repair string }{
		{"stamps", `ALTER TABLE stamps NO FORCE ROW LEVEL SECURITY`, `ALTER TABLE stamps FORCE ROW LEVEL SECURITY`},
		{"tenants", `ALTER TABLE tenants NO FORCE ROW LEVEL SECURITY`, `ALTER TABLE tenants FORCE ROW LEVEL SECURITY`},
		{"scans", `ALTER TABLE scans DISABLE ROW LEVEL SECURITY`, `ALTER TABLE scans ENABLE ROW LEVEL SECURITY`},
		{"api_keys", `CREATE POLICY another ON api_keys USING (true)`, `DROP POLICY another ON api_keys`},
		{"stamps", `ALTER POLICY of_tenant ON stamps USING (true)`, `DROP POLICY of_tenant ON stamps; SELECT separate_tenants('stamps')`},
		{"once", `ALTER TABLE once OWNER TO tcode_app`, `ALTER TABLE once OWNER TO CURRENT_USER`},
	} {
		t.Run("an open table: "+tt.spoil, func(t *testing.T) {
			asSuperuser(t, address, tt.spoil)
			if err := open(t, address); !errors.Is(err, pgdb.ErrSetting) || !strings.HasSuffix(err.Error(), "on "+tt.table) {
				t.Errorf("err = %v, want ErrSetting for %s", err, tt.table)
			}
			asSuperuser(t, address, tt.repair)
			if err := open(t, address); err != nil {
				t.Error(err)
			}
		})
	}
	t.Run("a scope for everybody", func(t *testing.T) {
		const alter = `DO $do$ BEGIN EXECUTE format('ALTER DATABASE %I ' || `
		asSuperuser(t, address, alter+`'SET tcode.scope = ''*''', current_database()); END $do$`)
		if err := open(t, address); !errors.Is(err, pgdb.ErrSetting) {
			t.Errorf("err = %v, want ErrSetting", err)
		}
		asSuperuser(t, address, alter+`'RESET tcode.scope', current_database()); END $do$`)
	})
	t.Run("a newer schema", func(t *testing.T) {
		asSuperuser(t, address, `INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, true)`)
		if err := open(t, address); !errors.Is(err, litedb.ErrNewerSchema) {
			t.Errorf("err = %v, want ErrNewerSchema", err)
		}
	})
	t.Run("a secret in the address", func(t *testing.T) {
		err := open(t, "postgres://someone:hunter2@127.0.0.1:1/none?connect_timeout=1")
		if err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("err = %v", err)
		}
		if err := open(t, "postgres://someone:hunter2@[/none"); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("err = %v", err)
		}
	})
}

// TestPostgresLoginRole: a database may belong to a role that is no superuser. Without the
// right to make roles, an administrator must help once, and the error says so.
func TestPostgresLoginRole(t *testing.T) {
	t.Parallel()
	address := storetest.EmptyPostgres(t)
	asSuperuser(t, address, `CREATE ROLE plain LOGIN`, `GRANT CREATE ON SCHEMA public TO plain`)
	plain := as(t, address, "plain")
	if err := open(t, plain); !errors.Is(err, pgdb.ErrRole) || !strings.Contains(err.Error(), "GRANT tcode_app") {
		t.Errorf("err = %v, want ErrRole with what to do", err)
	}
	asSuperuser(t, address, `GRANT tcode_app TO plain`)
	for range 2 {
		if err := open(t, plain); err != nil {
			t.Fatal(err)
		}
	}
	db, err := store.Open(t.Context(), store.Config{DatabaseURL: plain})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	b := storetest.Over(t, db, t.TempDir(), storetest.NewClock(time.Now()))
	if st := b.Stamp(t, b.Tenant(t, "Acme", "ACME01"), "n"); st.Name != "n" {
		t.Errorf("stamp %+v", st)
	}
}

// TestPostgresReconnects: a connection that the server ends between two requests is replaced.
func TestPostgresReconnects(t *testing.T) {
	t.Parallel()
	b := storetest.NewOn(t, storetest.Postgres)
	id := b.Tenant(t, "Acme", "ACME01")
	st := b.Stamp(t, id, "before")
	asSuperuser(t, storetest.Database(t, b.Dir).DatabaseURL, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`)
	if _, err := b.Stamps.Get(t.Context(), "ACME01", st.ID); err != nil {
		t.Errorf("read after the connections were ended: %v", err)
	}
	b.Stamp(t, id, "after")
	if _, err := b.DB.RecordByReference(t.Context(), st.Reference); err != nil {
		t.Errorf("public look-up after the connections were ended: %v", err)
	}
}
