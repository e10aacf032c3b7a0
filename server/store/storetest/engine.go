package storetest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"tcode/offline/host/litedb"
	"tcode/server/store"
)

// Engine is a kind of database.
type Engine string

// The engines. A test that passes on one must pass on the other.
const (
	SQLite   Engine = "sqlite"
	Postgres Engine = "postgres"
)

// EngineVariable selects the engine of [New]: sqlite, which is also the default, or
// postgres. If it is set, [EachEngine] runs only on that one.
const EngineVariable = "TCODE_TEST_ENGINE"

// DefaultEngine returns the engine that the environment selects.
func DefaultEngine() Engine {
	if os.Getenv(EngineVariable) == string(Postgres) {
		return Postgres
	}
	return SQLite
}

// EachEngine runs a test on both engines, or on the one that the environment selects: one
// such run for each engine equals one run without the variable.
func EachEngine(t *testing.T, test func(t *testing.T, e Engine)) {
	t.Helper()
	engines := []Engine{SQLite, Postgres}
	if os.Getenv(EngineVariable) != "" {
		engines = []Engine{DefaultEngine()}
	}
	for _, e := range engines {
		t.Run(string(e), func(t *testing.T) {
			t.Parallel()
			test(t, e)
		})
	}
}

// urlFile is the file, in a bundle's folder, with the address of its PostgreSQL database.
const urlFile = "database-url"

// Database returns the database of a folder, on the engine with which the folder was
// made.
func Database(t testing.TB, dir string) store.Config {
	t.Helper()
	url, err := DatabaseURL(dir)
	if err != nil {
		t.Fatal(err)
	}
	return store.Config{Path: filepath.Join(dir, store.FileName), DatabaseURL: url}
}

// DatabaseURL returns the PostgreSQL database of a folder, or "" if that has an SQLite
// file. It is for processes that a test starts.
func DatabaseURL(dir string) (string, error) {
	url, err := os.ReadFile(filepath.Join(dir, urlFile))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return string(url), err
}

// Begin makes an empty database for a folder on engine e.
func Begin(t testing.TB, e Engine, dir string) store.Config {
	t.Helper()
	name, content := store.FileName, []byte(nil)
	if e == Postgres {
		name, content = urlFile, []byte(postgresDatabase(t))
	} else {
		var err error
		if content, err = liteTemplate(); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
		t.Fatal(err)
	}
	return Database(t, dir)
}

// liteTemplate is an SQLite database with the schema, made once: copying it is faster than
// migrating.
var liteTemplate = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "tcode-template")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, store.FileName)
	db, err := store.Open(context.Background(), store.Config{Path: path})
	if err != nil {
		return nil, err
	}
	if err := db.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

// Raw opens the database of a folder for a test's own statements, which can see and change
// everything.
func Raw(t testing.TB, dir string) *sql.DB {
	t.Helper()
	return RawOf(t, Database(t, dir))
}

// RawOf is [Raw] for a database without a folder.
func RawOf(t testing.TB, c store.Config) *sql.DB {
	t.Helper()
	if c.DatabaseURL != "" {
		return RawPostgres(t, c.DatabaseURL)
	}
	db, err := litedb.Open(t.Context(), c.Path, litedb.Options{MustExist: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db.Writer()
}

// Break makes inserts into a table fail, or only those for which a condition on new holds,
// until repair is called.
func Break(t testing.TB, dir, table, condition string) (repair func()) {
	t.Helper()
	db := Raw(t, dir)
	when := ""
	if condition != "" {
		when = "WHEN (" + condition + ")"
	}
	create := []string{`CREATE TRIGGER broken BEFORE INSERT ON ` + table + ` ` + when + ` BEGIN SELECT raise(ABORT, 'broken'); END`}
	drop := `DROP TRIGGER broken`
	if Database(t, dir).DatabaseURL != "" {
		create = []string{
			`CREATE OR REPLACE FUNCTION broken() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''broken''; END'`,
			`CREATE TRIGGER broken BEFORE INSERT ON ` + table + ` FOR EACH ROW ` + when + ` EXECUTE FUNCTION broken()`,
		}
		drop += ` ON ` + table
	}
	run := func(statement string) {
		t.Helper()
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	for _, statement := range create {
		run(statement)
	}
	return func() { run(drop) }
}

var databases atomic.Int64

// databaseName returns a name that no other test of this process uses, and no process that
// a test starts.
func databaseName() string {
	return fmt.Sprintf("tcode_%d_%d", os.Getpid(), databases.Add(1))
}
