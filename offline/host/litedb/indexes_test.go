package litedb_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"tcode/offline/host/litedb"
)

// TestCheckIndexes: CheckIndexes finds an index that has the entries of another
// one, which SQLite's own integrity check accepts.
func TestCheckIndexes(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.db")
	o := litedb.Options{ApplicationID: testID, Migrations: scripts(`
		CREATE TABLE notes (id INTEGER PRIMARY KEY, n INTEGER NOT NULL UNIQUE, state TEXT NOT NULL) STRICT;
		CREATE INDEX none ON notes (n) WHERE state = 'x';
		CREATE INDEX two ON notes (n) WHERE state = 'y';
		CREATE INDEX states ON notes (state);
		INSERT INTO notes (n, state) VALUES (1, 'y'), (2, 'y'), (3, 'z')`)}
	db := open(t, path, o)
	if err := db.CheckIndexes(t.Context()); err != nil {
		t.Errorf("before: %v", err)
	}
	page := func(index string) (n int64) {
		t.Helper()
		if err := db.Reader().QueryRowContext(t.Context(), `SELECT rootpage FROM sqlite_schema WHERE name = $1`, index).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	from, to := page("two"), page("none")
	var size int64
	if err := db.Reader().QueryRowContext(t.Context(), "PRAGMA page_size").Scan(&size); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	copy(raw[(to-1)*size:to*size], raw[(from-1)*size:from*size])
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	db = open(t, path, o)
	if err := db.CheckIndexes(t.Context()); !errors.Is(err, litedb.ErrDamaged) {
		t.Errorf("after: %v, want ErrDamaged", err)
	}
}
