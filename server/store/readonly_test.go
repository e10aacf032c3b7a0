package store_test

import (
	"context"
	"database/sql"
	"testing"

	"tcode/server/store"
	"tcode/server/store/pgdb"
	"tcode/server/store/storetest"
)

// TestNoLongerReadOnly: sessions that a database made read-only are replaced at their first failed
// change, so that none outlives the order.
func TestNoLongerReadOnly(t *testing.T) {
	t.Parallel()
	address := storetest.EmptyPostgres(t)
	admin := storetest.RawPostgres(t, address)
	set := func(value string) {
		t.Helper()
		var name string
		if err := admin.QueryRow("SELECT current_database()").Scan(&name); err != nil {
			t.Fatal(err)
		}
		order := "ALTER DATABASE " + name + " SET default_transaction_read_only = " + value
		if _, err := admin.Exec(order); err != nil {
			t.Fatal(err)
		}
	}
	whole, err := store.Open(t.Context(), store.Config{DatabaseURL: address})
	if err != nil {
		t.Fatal(err)
	}
	if err := whole.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := pgdb.Open(t.Context(), pgdb.Options{
		URL: address, Conns: 12, Migrate: func(ctx context.Context, db *sql.DB) error {
			_, err := db.ExecContext(ctx, "CREATE TABLE marks (n integer)")
			return err
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	set("on")
	if _, err := admin.Exec(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
		WHERE datname = current_database() AND pid <> pg_backend_pid()`); err != nil {
		t.Fatal(err)
	}
	write := func() error {
		tx, err := db.Scoped().BeginTx(t.Context(), nil)
		if err != nil {
			return err
		}
		defer tx.Rollback() //nolint:errcheck // after the commit
		if _, err := tx.Exec("INSERT INTO marks VALUES (1)"); err != nil {
			return err
		}
		return tx.Commit()
	}
	var open []*sql.Tx // several sessions
	for range 4 {
		tx, err := db.Scoped().BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, tx)
	}
	for _, tx := range open {
		tx.Rollback() //nolint:errcheck // nothing was done
	}
	set("off")
	if err := write(); !pgdb.IsUnavailable(err) {
		t.Fatalf("a session of before: %v, want an outage", err)
	}
	for range 4 {
		if err := write(); err != nil {
			t.Fatalf("after that: %v", err)
		}
	}
}
