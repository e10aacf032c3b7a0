package store_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"tcode/server/store/pgdb"
	"tcode/server/store/storetest"
)

// A notebook is a database with a table of notes, and of their marks.
type notebook struct {
	*pgdb.DB
	address string
}

func openNotebook(t *testing.T) notebook {
	t.Helper()
	address := storetest.EmptyPostgres(t)
	db, err := pgdb.Open(t.Context(), pgdb.Options{URL: address, Conns: 6, Migrate: func(ctx context.Context, db *sql.DB) error {
		_, err := db.ExecContext(ctx, `CREATE TABLE goose_db_version (); -- of migrations
			CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL CHECK (text <> ''));
			CREATE TABLE marks (note INTEGER PRIMARY KEY REFERENCES notes (id))`)
		return err
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return notebook{db, address}
}

// A step of a transaction: + inserts later, ! inserts now, ? reads the number of notes.
func (n notebook) run(ctx context.Context, tx *sql.Tx, step string) error {
	var id, notes int
	var text string
	if step == "?" {
		return tx.QueryRowContext(ctx, `SELECT count(*) FROM notes`).Scan(&notes)
	}
	if _, err := fmt.Sscanf(step[1:], "%d%s", &id, &text); err != nil && id == 0 {
		return err
	}
	if step[0] == '+' {
		ctx = pgdb.Later(ctx)
	}
	query := `INSERT INTO notes (id, text) VALUES ($1, $2)`
	args := []any{id, strings.TrimSuffix(text, "-")}
	if text == "mark" {
		query, args = `INSERT INTO marks (note) VALUES ($1)`, args[:1]
	}
	res, err := tx.ExecContext(ctx, query, args...)
	if err != nil || step[0] == '+' {
		return err
	}
	if rows, err := res.RowsAffected(); err != nil || rows != 1 {
		return fmt.Errorf("%d rows, %w", rows, err)
	}
	return nil
}

// notes returns what the tables have.
func (n notebook) notes(t *testing.T) (all []string) {
	t.Helper()
	rows, err := n.Public().QueryContext(t.Context(), `SELECT id || text FROM notes UNION ALL SELECT note || 'mark' FROM marks ORDER BY 1`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// TestLater: statements that are sent later take effect in their order, or the whole transaction has none: whichever of them
// fails, and whatever sends them.
func TestLater(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		steps string
		fails int    // the step that returns the error; -1: the commit, -2: none
		table string // whose key refuses the row
	}{
		{"commit alone", "", -2, ""},
		{"sent by the commit", "+1a +1mark +2b", -2, ""},
		{"sent by a statement", "+1a !1mark", -2, ""},
		{"sent by a query", "+1a +1mark ? +2b", -2, ""},
		{"after a statement", "!1a +1mark", -2, ""},
		{"refused at the commit", "+1a +1b +2c", -1, "notes"},
		{"refused at a statement", "+1a +1b !2c", 2, "notes"},
		{"the statement refused", "+1a +1mark !1mark", 2, "marks"},
		{"refused at a query", "+1a +1b ?", 2, "notes"},
		{"a rule refused at the commit", "+1a +2-", -1, ""},
		{"the first refused", "+1mark +1a", -1, ""},
		{"the last refused", "!1a +1mark +1mark", -1, "marks"},
	}
	n := openNotebook(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			failed := -2
			err := n.Write(t.Context(), pgdb.Everyone, func(tx *sql.Tx) error {
				for i, step := range strings.Fields(tt.steps) {
					if err := n.run(t.Context(), tx, step); err != nil {
						failed = i
						return err
					}
				}
				failed = -1
				return nil
			})
			if err == nil {
				failed = -2
			}
			if failed != tt.fails || pgdb.IsUnique(err, "notes") != (tt.table == "notes") || pgdb.IsUnique(err, "marks") != (tt.table == "marks") {
				t.Errorf("step %d returned %v; want step %d, and table %q", failed, err, tt.fails, tt.table)
			}
			var want []string
			if tt.fails == -2 {
				for _, step := range strings.Fields(tt.steps) {
					if step != "?" {
						want = append(want, step[1:])
					}
				}
			}
			if have := n.notes(t); !slices.Equal(have, want) {
				t.Errorf("stored %q, want %q", have, want)
			}
			if _, err := n.Scoped().ExecContext(t.Context(), `DELETE FROM marks`); err != nil {
				t.Fatal(err)
			}
			if _, err := n.Scoped().ExecContext(t.Context(), `DELETE FROM notes`); err != nil {
				t.Fatal(err)
			}
		})
	}
	if open := n.Scoped().Stats().OpenConnections; open != 1 {
		t.Errorf("%d connections, want the first one: an error must leave it usable", open)
	}
}

// TestLaterForgotten: a transaction that is rolled back sends nothing that it kept, also not with the next one.
func TestLaterForgotten(t *testing.T) {
	t.Parallel()
	n := openNotebook(t)
	stop := errors.New("stop")
	err := n.Write(t.Context(), pgdb.Everyone, func(tx *sql.Tx) error {
		return errors.Join(n.run(t.Context(), tx, "+1a"), stop)
	})
	if !errors.Is(err, stop) {
		t.Fatal(err)
	}
	if err := n.Write(t.Context(), pgdb.Everyone, func(tx *sql.Tx) error { return n.run(t.Context(), tx, "+2b") }); err != nil {
		t.Fatal(err)
	}
	// Outside of a transaction there is nothing to wait for.
	if _, err := n.Scoped().ExecContext(pgdb.Later(t.Context()), `INSERT INTO notes (id, text) VALUES (3, 'c')`); err != nil {
		t.Fatal(err)
	}
	if have := n.notes(t); !slices.Equal(have, []string{"2b", "3c"}) {
		t.Errorf("stored %q", have)
	}
}

// TestLaterSwallowed: a transaction that goes on after an error is not committed, and says so.
func TestLaterSwallowed(t *testing.T) {
	t.Parallel()
	n := openNotebook(t)
	err := n.Write(t.Context(), pgdb.Everyone, func(tx *sql.Tx) error {
		if err := n.run(t.Context(), tx, "!1-"); err == nil {
			t.Error("a text that is empty was stored")
		}
		return n.run(t.Context(), tx, "+2b")
	})
	if have := n.notes(t); err == nil || len(have) > 0 {
		t.Errorf("error %v, stored %q", err, have)
	}
}

// TestLaterAgain: a deadlock that the commit reports runs the transaction again.
func TestLaterAgain(t *testing.T) {
	t.Parallel()
	n := openNotebook(t)
	if _, err := n.Scoped().ExecContext(t.Context(), `INSERT INTO notes (id, text) VALUES (1, 'a'), (2, 'b')`); err != nil {
		t.Fatal(err)
	}
	var runs atomic.Int64
	both := make(chan struct{})
	swap := func(first, second int) error {
		tried := false
		return n.Write(t.Context(), pgdb.Everyone, func(tx *sql.Tx) error {
			runs.Add(1)
			const add = `UPDATE notes SET text = text || 'x' WHERE id = $1`
			if _, err := tx.ExecContext(t.Context(), add, first); err != nil {
				return err
			}
			if !tried { // each holds its first note before one of them asks for its second
				tried = true
				select {
				case both <- struct{}{}:
				case <-both:
				}
			}
			_, err := tx.ExecContext(pgdb.Later(t.Context()), add, second)
			return err
		})
	}
	done := make(chan error)
	go func() { done <- swap(2, 1) }()
	if err := errors.Join(swap(1, 2), <-done); err != nil {
		t.Fatal(err)
	}
	if have := n.notes(t); !slices.Equal(have, []string{"1axx", "2bxx"}) || runs.Load() < 3 {
		t.Errorf("stored %q in %d runs", have, runs.Load())
	}
}

// TestLaterCut: a server that ends the session before the commit stores nothing, and the error is an outage.
func TestLaterCut(t *testing.T) {
	t.Parallel()
	n := openNotebook(t)
	err := n.Write(t.Context(), pgdb.Everyone, func(tx *sql.Tx) error {
		var pid int
		if err := tx.QueryRowContext(t.Context(), `SELECT pg_backend_pid()`).Scan(&pid); err != nil {
			return err
		}
		if err := n.run(t.Context(), tx, "+1a"); err != nil {
			return err
		}
		asSuperuser(t, n.address, fmt.Sprintf(`SELECT pg_terminate_backend(%d, 10000)`, pid))
		return nil
	})
	if !pgdb.IsUnavailable(err) {
		t.Errorf("error %v is no outage", err)
	}
	if have := n.notes(t); len(have) > 0 {
		t.Errorf("stored %q", have)
	}
}
