package litedb_test

import (
	"bytes"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tcode/offline/host/litedb"
)

// TestCompact: deleted bytes are neither in the file nor in the log, in a small file that is
// rewritten and in a large one whose deleted rows are overwritten.
func TestCompact(t *testing.T) {
	t.Parallel()
	const gone = "Xylographie"
	for name, tt := range map[string]struct {
		secure bool
		atMost int64
	}{"rewritten": {false, 1 << 30}, "overwritten": {true, 0}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "a.sqlite")
			db := open(t, path, litedb.Options{SecureDelete: tt.secure})
			write := func(query string, args ...any) {
				t.Helper()
				err := db.Write(t.Context(), func(tx *sql.Tx) error {
					_, err := tx.Exec(query, args...)
					return err
				})
				if err != nil {
					t.Fatal(err)
				}
			}
			found := func() (n int) {
				t.Helper()
				for _, end := range []string{"", "-wal"} {
					raw, err := os.ReadFile(path + end)
					if err != nil {
						t.Fatal(err)
					}
					n += bytes.Count(raw, []byte(gone))
				}
				return n
			}
			write(`CREATE TABLE words (id INTEGER PRIMARY KEY, word TEXT)`)
			for range 50 {
				write(`INSERT INTO words (word) VALUES ($1)`, strings.Repeat(gone+" ", 20))
			}
			if found() == 0 {
				t.Fatal("the word is not found before: this test proves nothing")
			}
			write(`UPDATE words SET word = 'short' WHERE id < 25`)
			write(`DELETE FROM words WHERE id >= 25`)
			reader, err := db.Reader().BeginTx(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			var n int
			if err := reader.QueryRow(`SELECT count(*) FROM words`).Scan(&n); err != nil || n != 24 {
				t.Fatal(n, err)
			}
			write(`INSERT INTO words (word) VALUES ('later')`)
			if err := reader.Rollback(); err != nil {
				t.Fatal(err)
			}
			if err := db.Compact(t.Context(), tt.atMost); err != nil && !errors.Is(err, litedb.ErrReading) {
				t.Fatal(err)
			}
			if err := db.Compact(t.Context(), tt.atMost); err != nil {
				t.Fatal(err)
			}
			if n := found(); n != 0 {
				t.Errorf("the word is there %d times", n)
			}
		})
	}
}
