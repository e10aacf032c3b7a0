package litedb

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// ErrMigrations means that the files are not numbered 0001, 0002, ... once
// each: a mistake in the program, never in a database.
var ErrMigrations = errors.New("migrations are not numbered 0001, 0002 and on")

// A migration is one numbered file.
type migration struct {
	version int // 1 for 0001
	name    string
	sql     string
}

// readMigrations returns the files of f in order; none for a nil f.
func readMigrations(f fs.FS) ([]migration, error) {
	if f == nil {
		return nil, nil
	}
	var all []migration
	err := fs.WalkDir(f, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(p) != ".sql" {
			return err
		}
		number, _, ok := strings.Cut(path.Base(p), "_")
		v, perr := strconv.Atoi(number)
		if !ok || perr != nil || len(number) != 4 {
			return fmt.Errorf("%w: %s", ErrMigrations, p)
		}
		text, err := fs.ReadFile(f, p)
		all = append(all, migration{v, p, string(text)})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read migrations: %w", err)
	}
	slices.SortFunc(all, func(a, b migration) int { return cmp.Compare(a.version, b.version) })
	for i, m := range all {
		if m.version != i+1 {
			return nil, fmt.Errorf("%w: %s is in the place of %04d", ErrMigrations, m.name, i+1)
		}
	}
	return all, nil
}

// migrate updates the schema, one transaction a step. It reads the header again
// inside each, because another process may be migrating too.
func migrate(ctx context.Context, db *DB, o Options, steps []migration) error {
	if err := claim(ctx, db, o, steps); err != nil {
		return err
	}
	for _, m := range steps {
		err := db.Write(ctx, func(tx *sql.Tx) error {
			h, err := readHeader(ctx, tx)
			if err != nil || h.userVersion >= m.version {
				return err
			}
			if _, err := tx.ExecContext(ctx, m.sql); err != nil {
				return err
			}
			// A PRAGMA takes no parameters; the value is a number of this package.
			_, err = tx.ExecContext(ctx, "PRAGMA user_version = "+strconv.Itoa(m.version))
			return err
		})
		if err != nil {
			return fmt.Errorf("migration %s: %w", m.name, err)
		}
	}
	return nil
}

// claim writes our application id into a new file.
func claim(ctx context.Context, db *DB, o Options, steps []migration) error {
	var h header
	h, err := readHeader(ctx, db.writer)
	if err != nil || o.ApplicationID == 0 || h.applicationID == o.ApplicationID {
		return err
	}
	return db.Write(ctx, func(tx *sql.Tx) error {
		// Another program may have filled the file since probe.
		h, err := readHeader(ctx, tx)
		if err != nil {
			return err
		}
		if err := h.check(o, steps); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, "PRAGMA application_id = "+strconv.Itoa(int(o.ApplicationID)))
		return err
	})
}
