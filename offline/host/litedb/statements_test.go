package litedb

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"testing"
)

// TestKeptStatements: in each difficult case a kept statement returns the same
// as a newly prepared one.
func TestKeptStatements(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, err := Open(ctx, filepath.Join(t.TempDir(), "a.db"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	w := db.Writer()
	exec := func(query string, args ...any) {
		t.Helper()
		if _, err := w.ExecContext(ctx, query, args...); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
	}
	// Both statements of a script run.
	exec(`CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT) STRICT; INSERT INTO t (a, b) VALUES (1, 'one')`)
	for i := 2; i <= 4; i++ {
		exec(`INSERT INTO t (a, b) VALUES ($1, $2)`, i, fmt.Sprint(i))
	}

	const each = `SELECT a FROM t WHERE a >= $1 ORDER BY a`
	var got []int
	if err := db.Write(ctx, func(tx *sql.Tx) error { // the same query inside itself
		got = ints(t, tx, each, 1)
		rows, err := tx.QueryContext(ctx, each, 3)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var a int
			if err := rows.Scan(&a); err != nil {
				return err
			}
			got = append(got, ints(t, tx, each, a)...)
		}
		return rows.Err()
	}); err != nil {
		t.Fatal(err)
	}
	if want := "[1 2 3 4 3 4 4]"; fmt.Sprint(got) != want {
		t.Errorf("nested queries read %v, want %s", got, want)
	}

	// A failed statement does not fail again, and holds no lock.
	const insert = `INSERT INTO t (a, b) VALUES ($1, $2)`
	if _, err := w.ExecContext(ctx, insert, 1, "again"); !IsUnique(err) {
		t.Errorf("a second row with the key of the first: %v", err)
	}
	exec(insert, 5, "five")
	ended, end := context.WithCancel(ctx)
	end()
	if _, err := w.ExecContext(ended, insert, 6, "six"); err == nil {
		t.Error("a statement ran whose context had ended")
	}
	exec(insert, 6, "six")

	// A change of the schema reaches kept statements.
	const all = `SELECT * FROM t WHERE a = 6`
	columns := func() int {
		rows, err := db.Reader().QueryContext(ctx, all)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		names, err := rows.Columns()
		if err != nil {
			t.Fatal(err)
		}
		return len(names)
	}
	if n := columns(); n != 2 {
		t.Fatalf("%d columns", n)
	}
	exec(`ALTER TABLE t ADD COLUMN c TEXT`)
	if n := columns(); n != 3 {
		t.Errorf("%d columns after one more was added to two", n)
	}

	// There may be more statements than a connection keeps, and rows of each
	// may be open.
	if err := db.Write(ctx, func(tx *sql.Tx) error {
		for i := range 2 * keptStatements {
			rows, err := tx.QueryContext(ctx, fmt.Sprintf(`SELECT a + %d FROM t WHERE a = $1`, i), 1)
			if err != nil {
				return err
			}
			defer rows.Close()
			if !rows.Next() {
				return fmt.Errorf("no row for statement %d", i)
			}
			var sum int
			if err := rows.Scan(&sum); err != nil || sum != 1+i {
				return fmt.Errorf("statement %d read %d: %w", i, sum, err)
			}
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
	for i := range 2 * keptStatements {
		exec(fmt.Sprintf(`UPDATE t SET b = 'x%d' WHERE a = $1`, i), 1)
	}
	exec(`DROP TABLE t`) // no statement reads it any more
	exec(`VACUUM`)
}

// ints reads one column.
func ints(t *testing.T, tx *sql.Tx, query string, args ...any) (all []int) {
	t.Helper()
	rows, err := tx.QueryContext(t.Context(), query, args...)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var n int
		if err := rows.Scan(&n); err != nil {
			t.Fatal(err)
		}
		all = append(all, n)
	}
	return all
}

// TestKeepable: only single statements that read or change rows are kept.
func TestKeepable(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]bool{
		"SELECT 1":                             true,
		"\n\t\tselect 1":                       true,
		"-- name: Get :one\nSELECT 1":          true,
		"WITH x AS (SELECT 1) SELECT * FROM x": true,
		"SELECT 1; SELECT 2":                   false,
		"PRAGMA user_version":                  false,
		"CREATE TABLE t (a)":                   false,
		"SELECT":                               false,
		"-- nothing":                           false,
		"":                                     false,
	} {
		if got := keepable(query); got != want {
			t.Errorf("keepable(%q) = %v", query, got)
		}
	}
}
