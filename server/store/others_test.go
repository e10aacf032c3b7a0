package store_test

import (
	"errors"
	"testing"
	"time"

	"tcode/server/store"
	"tcode/server/store/storetest"
)

// TestPostgresUpdatedAlone: while a gateway runs on the database, another program does not
// update its schema, and says so. When the gateway has ended, it does.
func TestPostgresUpdatedAlone(t *testing.T) {
	t.Parallel()
	c := emptyDatabase(t, storetest.Postgres)
	openLived(t, c, func(*store.DB) {})
	db, err := store.Open(t.Context(), c) // no update: beside others
	if err != nil {
		t.Fatal(err)
	}
	run(t, storetest.RawOf(t, c), `DELETE FROM goose_db_version WHERE version_id = 50`) // a Go migration that may run twice
	if _, err := store.Open(t.Context(), c); !errors.Is(err, store.ErrOthers) {
		t.Errorf("err = %v, want ErrOthers", err)
	}
	time.AfterFunc(time.Second, func() { db.Close() })
	openLived(t, c, func(db *store.DB) {
		if err := db.CheckSchema(t.Context()); err != nil {
			t.Error(err)
		}
		run(t, storetest.RawOf(t, c), `INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, true)`)
		if err := db.CheckSchema(t.Context()); !errors.Is(err, store.ErrNewerSchema) {
			t.Errorf("err = %v, want ErrNewerSchema", err)
		}
	})
}
