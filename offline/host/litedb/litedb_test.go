package litedb_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"testing/fstest"

	"tcode/offline/host/litedb"
)

const testID = 0x54435431

func scripts(sqls ...string) fstest.MapFS {
	m := fstest.MapFS{}
	for i, s := range sqls {
		m[fmt.Sprintf("%04d_step.sql", i+1)] = &fstest.MapFile{Data: []byte(s)}
	}
	return m
}

var base = []string{
	`CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE) STRICT`,
	`CREATE TABLE marks (note INTEGER NOT NULL REFERENCES notes (id)) STRICT`,
}

func open(t *testing.T, path string, o litedb.Options) *litedb.DB {
	t.Helper()
	db, err := litedb.Open(t.Context(), path, o)
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func pragma(t *testing.T, p *sql.DB, name string) (v string) {
	t.Helper()
	if err := p.QueryRowContext(t.Context(), "PRAGMA "+name).Scan(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestOpenSettings(t *testing.T) {
	t.Parallel()
	// The name has characters at which a careless DSN would split.
	path := filepath.Join(t.TempDir(), "new folder", "a?b#c%20d&e.db")
	db := open(t, path, litedb.Options{ApplicationID: testID, Migrations: scripts(base...), QuickCheck: true})
	want := map[string]string{
		"journal_mode": "wal", "synchronous": "2", "busy_timeout": "15000", "foreign_keys": "1",
		"journal_size_limit": "8388608", "temp_store": "2", "trusted_schema": "0", "cell_size_check": "1",
		"application_id": strconv.Itoa(testID), "user_version": "2",
	}
	for name, p := range map[string]*sql.DB{"writer": db.Writer(), "reader": db.Reader()} {
		for k, v := range want {
			if got := pragma(t, p, k); got != v {
				t.Errorf("%s: %s = %s, want %s", name, k, got, v)
			}
		}
	}
	if _, err := db.Reader().ExecContext(t.Context(), `INSERT INTO notes (text) VALUES ('x')`); err == nil {
		t.Error("the reader pool can write")
	}
	if runtime.GOOS != "windows" {
		for p, mode := range map[string]fs.FileMode{path: 0o600, path + "-wal": 0o600, filepath.Dir(path): 0o700} {
			st, err := os.Stat(p)
			if err != nil {
				t.Fatal(err)
			}
			if st.Mode().Perm() != mode {
				t.Errorf("%s has mode %v, want %v", filepath.Base(p), st.Mode().Perm(), mode)
			}
		}
	}
}

// Settings belong to connections, and pools open more connections later.
func TestSettingsOfEveryReader(t *testing.T) {
	t.Parallel()
	db := open(t, filepath.Join(t.TempDir(), "a.db"), litedb.Options{Readers: 3})
	for i := range 3 {
		c, err := db.Reader().Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		var sync, only string
		if err := errors.Join(
			c.QueryRowContext(t.Context(), "PRAGMA synchronous").Scan(&sync),
			c.QueryRowContext(t.Context(), "PRAGMA query_only").Scan(&only),
		); err != nil || sync != "2" || only != "1" {
			t.Errorf("connection %d: synchronous %s, query_only %s, err %v", i, sync, only, err)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	ours := litedb.Options{ApplicationID: testID, Migrations: scripts(base...), QuickCheck: true}
	made := func(t *testing.T, path string, o litedb.Options, rows int) {
		db := open(t, path, o)
		for i := range rows {
			if _, err := db.Writer().ExecContext(t.Context(), `INSERT INTO notes (text) VALUES ($1)`, fmt.Sprintf("%0400d", i)); err != nil {
				t.Fatal(err)
			}
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		name string
		make func(t *testing.T, path string)
		opt  litedb.Options
		want error
	}{
		{"other application", func(t *testing.T, p string) {
			made(t, p, litedb.Options{ApplicationID: 7, Migrations: scripts(base...)}, 1)
		}, ours, litedb.ErrForeign},
		{"tables without id", func(t *testing.T, p string) {
			made(t, p, litedb.Options{Migrations: scripts(base...)}, 1)
		}, ours, litedb.ErrForeign},
		{"newer schema", func(t *testing.T, p string) {
			made(t, p, litedb.Options{ApplicationID: testID, Migrations: scripts(append(base, `CREATE TABLE later (x ANY) STRICT`)...)}, 1)
		}, ours, litedb.ErrNewerSchema},
		{"text file", func(t *testing.T, p string) {
			write(t, p, bytes.Repeat([]byte("not a database "), 100))
		}, ours, litedb.ErrDamaged},
		{"page overwritten", func(t *testing.T, p string) {
			made(t, p, ours, 200)
			raw, err := os.ReadFile(p)
			if err != nil {
				t.Fatal(err)
			}
			copy(raw[len(raw)-8192:], bytes.Repeat([]byte{0xa5}, 4096))
			write(t, p, raw)
		}, ours, litedb.ErrDamaged},
		{"cut short", func(t *testing.T, p string) {
			made(t, p, ours, 200)
			raw, err := os.ReadFile(p)
			if err != nil {
				t.Fatal(err)
			}
			write(t, p, raw[:len(raw)/2])
		}, ours, litedb.ErrDamaged},
		{"must exist", func(*testing.T, string) {}, litedb.Options{MustExist: true}, fs.ErrNotExist},
		{"gap in migrations", func(*testing.T, string) {}, litedb.Options{Migrations: fstest.MapFS{
			"0001_a.sql": {Data: []byte(base[0])}, "0003_b.sql": {Data: []byte(base[1])},
		}}, litedb.ErrMigrations},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "x.db")
			tt.make(t, path)
			before, _ := os.ReadFile(path)
			_, err := litedb.Open(t.Context(), path, tt.opt)
			if !errors.Is(err, tt.want) {
				t.Fatalf("Open = %v, want %v", err, tt.want)
			}
			if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
				t.Error("the refused file was changed")
			}
		})
	}
}

func write(t *testing.T, path string, b []byte) {
	t.Helper()
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

// A migration that fails half-way leaves neither its tables nor its number.
func TestMigrationIsOneTransaction(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	bad := litedb.Options{ApplicationID: testID, Migrations: scripts(base[0], base[1]+`; CREATE TABLE notes (x ANY)`)}
	if _, err := litedb.Open(t.Context(), path, bad); err == nil {
		t.Fatal("a broken migration passed")
	}
	db := open(t, path, litedb.Options{ApplicationID: testID, Migrations: scripts(base[0])})
	var n int
	if err := db.Reader().QueryRowContext(t.Context(), `SELECT count(*) FROM sqlite_schema WHERE name = 'marks'`).Scan(&n); err != nil || n != 0 {
		t.Errorf("half a migration stayed: %d, %v", n, err)
	}
	if got := pragma(t, db.Reader(), "user_version"); got != "1" {
		t.Errorf("user_version = %s, want 1", got)
	}
}

// Several programs may open a file concurrently that none has made yet.
func TestOpenTogether(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			db, err := litedb.Open(context.Background(), path, litedb.Options{ApplicationID: testID, Migrations: scripts(base...)})
			if err != nil {
				t.Errorf("Open: %v", err)
				return
			}
			defer db.Close()
			for range 20 {
				err := db.Write(context.Background(), func(tx *sql.Tx) error {
					// Reading and then writing fails immediately without IMMEDIATE.
					var n int
					if err := tx.QueryRow(`SELECT count(*) FROM notes`).Scan(&n); err != nil {
						return err
					}
					_, err := tx.Exec(`INSERT INTO notes (text) VALUES ($1)`, strconv.Itoa(n))
					return err
				})
				if err != nil {
					t.Errorf("Write: %v", err)
				}
			}
		})
	}
	wg.Wait()
	db := open(t, path, litedb.Options{ApplicationID: testID, Migrations: scripts(base...), QuickCheck: true})
	var n int
	if err := db.Reader().QueryRowContext(t.Context(), `SELECT count(*) FROM notes`).Scan(&n); err != nil || n != 160 {
		t.Errorf("%d rows, want 160 (%v)", n, err)
	}
}

func TestWriteRollsBack(t *testing.T) {
	t.Parallel()
	db := open(t, filepath.Join(t.TempDir(), "x.db"), litedb.Options{Migrations: scripts(base...)})
	insert := func(tx *sql.Tx) error {
		_, err := tx.Exec(`INSERT INTO notes (id, text) VALUES (1, 'a')`)
		return err
	}
	reason := errors.New("changed my mind")
	err := db.Write(t.Context(), func(tx *sql.Tx) error { return errors.Join(insert(tx), reason) })
	if !errors.Is(err, reason) {
		t.Errorf("Write = %v, want %v", err, reason)
	}
	func() {
		defer func() { _ = recover() }()
		_ = db.Write(t.Context(), func(tx *sql.Tx) error { _ = insert(tx); panic("at the worst moment") })
	}()
	// The writer is free again and the table is empty.
	if err := db.Write(t.Context(), insert); err != nil {
		t.Errorf("Write after a panic: %v", err)
	}
}

func TestErrorKinds(t *testing.T) {
	t.Parallel()
	db := open(t, filepath.Join(t.TempDir(), "x.db"), litedb.Options{Migrations: scripts(base...)})
	exec := func(q string) error {
		_, err := db.Writer().ExecContext(t.Context(), q)
		return err
	}
	if err := exec(`INSERT INTO notes (id, text) VALUES (1, 'a')`); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, sql                   string
		unique, foreign, constraint bool
	}{
		{"unique", `INSERT INTO notes (id, text) VALUES (2, 'a')`, true, false, true},
		{"primary key", `INSERT INTO notes (id, text) VALUES (1, 'b')`, true, false, true},
		{"foreign key", `INSERT INTO marks (note) VALUES (77)`, false, true, true},
		{"not null", `INSERT INTO notes (id) VALUES (3)`, false, false, true},
		{"syntax", `INSERT INTO`, false, false, false},
	}
	for _, tt := range tests {
		err := fmt.Errorf("wrapped: %w", exec(tt.sql))
		if litedb.IsUnique(err) != tt.unique || litedb.IsUniqueIn(err, "notes") != tt.unique || litedb.IsUniqueIn(err, "note") || litedb.IsForeignKey(err) != tt.foreign || litedb.IsConstraint(err) != tt.constraint {
			t.Errorf("%s: unique %v, foreign %v, constraint %v (%v)", tt.name,
				litedb.IsUnique(err), litedb.IsForeignKey(err), litedb.IsConstraint(err), err)
		}
	}
	// A page limit makes SQLite report a full disk.
	if err := exec(`PRAGMA max_page_count = 10`); err != nil {
		t.Fatal(err)
	}
	err := db.Write(t.Context(), func(tx *sql.Tx) error {
		_, err := tx.Exec(`INSERT INTO notes (id, text) VALUES (9, hex(zeroblob(100000)))`)
		return err
	})
	if !litedb.IsFull(err) || !errors.Is(err, litedb.ErrFull) {
		t.Errorf("full disk = %v, want ErrFull", err)
	}
}
