package litedb_test

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"tcode/offline/host/litedb"
)

// TestOpenMemory: a copy in memory has the content of the file and its
// write-ahead log, up to the last complete commit, and changes neither.
func TestOpenMemory(t *testing.T) {
	ctx := t.Context()
	path := filepath.Join(t.TempDir(), "a.db")
	o := litedb.Options{ApplicationID: 7, QuickCheck: true, Migrations: fstest.MapFS{"0001_a.sql": {Data: []byte(`CREATE TABLE a (x TEXT)`)}}}
	db, err := litedb.Open(ctx, path, o)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	insert := func(db *litedb.DB, n int) {
		t.Helper()
		for range n {
			if err := db.Write(ctx, func(tx *sql.Tx) error {
				_, err := tx.ExecContext(ctx, `INSERT INTO a VALUES (hex(randomblob(2000)))`)
				return err
			}); err != nil {
				t.Fatal(err)
			}
		}
	}
	insert(db, 20) // all of them in the log
	file, log, err := litedb.ReadFiles(path)
	if err != nil || len(log) == 0 {
		t.Fatalf("%d bytes of log: %v", len(log), err)
	}
	o.Migrations = fstest.MapFS{"0001_a.sql": o.Migrations.(fstest.MapFS)["0001_a.sql"], "0002_b.sql": {Data: []byte(`CREATE TABLE b (x TEXT)`)}}
	memory, err := litedb.OpenMemory(ctx, file, log, o)
	if err != nil {
		t.Fatal(err)
	}
	defer memory.Close()
	if n := rows(ctx, t, memory); n != 20 {
		t.Errorf("%d rows in memory, want 20", n)
	}
	insert(memory, 1)
	if n := rows(ctx, t, db); n != 20 {
		t.Errorf("%d rows in the file, want 20", n)
	}
	// A commit that is cut off does not count, as in SQLite.
	insert(db, 1)
	_, longer, err := litedb.ReadFiles(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, cut := range [][]byte{longer[:len(longer)-1], longer[:len(longer)-5000], append(longer[:len(longer)-1:len(longer)-1], longer[len(longer)-1]^1)} {
		m, err := litedb.OpenMemory(ctx, file, cut, o)
		if err != nil {
			t.Fatal(err)
		}
		if n := rows(ctx, t, m); n != 20 {
			t.Errorf("%d rows with a log that is cut off, want 20", n)
		}
		m.Close()
	}
	// Now the log is in the file.
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	file, log, err = litedb.ReadFiles(path)
	if err != nil {
		t.Fatal(err)
	}
	m, err := litedb.OpenMemory(ctx, file, log, o)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if n := rows(ctx, t, m); n != 21 || len(log) > 0 {
		t.Errorf("%d rows and %d bytes of log, want 21 and none", n, len(log))
	}
	file[5000] ^= 0xff
	if _, err := litedb.OpenMemory(ctx, append(file[:4096:4096], make([]byte, len(file)-4096)...), nil, o); !litedb.IsDamaged(err) {
		t.Errorf("a damaged file opens: %v", err)
	}
	if _, err := os.Stat(path + "-shm"); err == nil {
		t.Error("reading left an index of the log")
	}
}

func rows(ctx context.Context, t *testing.T, db *litedb.DB) (n int) {
	t.Helper()
	if err := db.Reader().QueryRowContext(ctx, `SELECT count(*) FROM a`).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}
