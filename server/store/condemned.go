package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"tcode/server/issue"
	"tcode/server/issue/stamp"
	"tcode/server/tenant"
)

// FilesID returns the id of the store that has the files; "": none is named yet.
func (d *DB) FilesID(ctx context.Context) (id string, err error) {
	err = d.hot.QueryRowContext(ctx, `SELECT id FROM file_store WHERE one = 1`).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return id, wrap(err, "read id of files")
}

// NameFiles names the store of files unless one is named, and returns the named one.
func (d *DB) NameFiles(ctx context.Context, id string) (named string, err error) {
	if named, err = d.FilesID(ctx); err != nil || named != "" {
		return named, err
	}
	err = d.write(ctx, everyone, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `INSERT INTO file_store (one, id) VALUES (1, $1) ON CONFLICT (one) DO NOTHING`, id); err != nil {
			return err
		}
		return tx.QueryRowContext(ctx, `SELECT id FROM file_store WHERE one = 1`).Scan(&named)
	})
	return named, wrap(err, "name the store of files")
}

// SetFilesID names another store of files.
func (d *DB) SetFilesID(ctx context.Context, id string, audit *tenant.Entry) error {
	err := d.write(ctx, everyone, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO file_store (one, id) VALUES (1, $1) ON CONFLICT (one) DO UPDATE SET id = excluded.id`, id)
		if err != nil {
			return err
		}
		return insertAudit(ctx, tx, audit)
	})
	return wrap(err, "name another store of files")
}

// naming inserts rows that name files, into one of the tables of files: unless one of the
// files is condemned, which is an [issue.CondemnedError].
func (p parts) naming(ctx context.Context, tx *sql.Tx, tenantRef, id string, files []stamp.File) error {
	if len(files) == 0 {
		return nil
	}
	var selects []string
	var args []any
	for _, f := range files {
		n := func(i int) string { return "$" + strconv.Itoa(len(args)+i) }
		selects = append(selects, `SELECT CAST(`+n(1)+` AS TEXT), CAST(`+n(2)+` AS TEXT), CAST(`+n(3)+` AS TEXT), CAST(`+n(4)+` AS TEXT), CAST(`+n(5)+` AS BIGINT), CAST(`+n(6)+` AS TEXT), CAST(`+n(7)+` AS TEXT)
			WHERE NOT EXISTS (SELECT 1 FROM condemned_files WHERE sha256 = CAST(`+n(4)+` AS TEXT) AND copy >= CAST(`+n(8)+` AS BIGINT))`)
		args = append(args, tenantRef, id, string(f.Kind), f.SHA256, f.SizeBytes, f.ContentType, f.FileName, f.Copy)
	}
	owner := string(p)
	result, err := tx.ExecContext(ctx, `INSERT INTO `+owner+`_files (tenant, `+owner+`_id, kind, sha256, size_bytes, content_type, file_name) `+
		strings.Join(selects, ` UNION ALL `), args...)
	if err != nil {
		return fmt.Errorf("insert into %s_files: %w", owner, err)
	}
	if n, err := result.RowsAffected(); err != nil || n == int64(len(files)) {
		return err
	}
	copies := map[string]int{}
	for _, f := range files {
		copies[f.SHA256] = f.Copy
	}
	return wrap(notCondemned(ctx, tx, copies), "name files")
}

// notCondemned returns an [issue.CondemnedError] if one of some copies of files is condemned.
// Reading the table also keeps sweeps from condemning more before the commit.
func notCondemned(ctx context.Context, q queryer, copies map[string]int) error {
	next := map[string]int{}
	for name, copy := range copies {
		var last int
		err := q.QueryRowContext(ctx, `SELECT copy FROM condemned_files WHERE sha256 = $1`, name).Scan(&last)
		if errors.Is(err, sql.ErrNoRows) || err == nil && last < copy {
			continue
		}
		if err != nil {
			return err
		}
		next[name] = last + 1
	}
	if len(next) > 0 {
		return &issue.CondemnedError{Copies: next}
	}
	return nil
}

// condemnPatience bounds the wait for transactions that name files, which stop behind it.
const condemnPatience = `'3s'`

// condemnRest is the time for which a file that was put again after a sweep is safe from the
// next: its request is about to name it, and must not lose to sweeps forever.
const condemnRest = time.Minute

// Condemn condemns a copy of a file, and those before it, unless a row names the file. From
// its commit on no transaction names one of these copies, and those that were about to have
// committed before it looks.
func (d *DB) Condemn(ctx context.Context, name string, copy int, now time.Time) (done bool, err error) {
	err = d.write(ctx, everyone, func(tx *sql.Tx) error {
		if !d.isLite() { // SQLite has one writer
			for _, s := range []string{`SET LOCAL lock_timeout = ` + condemnPatience, `LOCK TABLE condemned_files IN ACCESS EXCLUSIVE MODE`} {
				if _, err := tx.ExecContext(ctx, s); err != nil {
					return err
				}
			}
		}
		named, err := isNamed(ctx, tx, name)
		if err != nil || named {
			return err
		}
		var lately int
		err = tx.QueryRowContext(ctx, `SELECT count(*) FROM condemned_files WHERE sha256 = $1 AND copy < $2 AND at > $3`, name, copy, ms(now.Add(-condemnRest))).Scan(&lately)
		if done = err == nil && lately == 0; !done {
			return err
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO condemned_files (sha256, copy, at, removed) VALUES ($1, $2, $3, 0)
			ON CONFLICT (sha256) DO UPDATE SET copy = CASE WHEN excluded.copy > condemned_files.copy THEN excluded.copy ELSE condemned_files.copy END, at = excluded.at, removed = 0`, name, copy, ms(now))
		return err
	})
	return done && err == nil, wrap(err, "condemn file %s", name)
}

// Removed notes that all condemned copies of a file up to one are removed.
func (d *DB) Removed(ctx context.Context, name string, copy int) error {
	err := d.write(ctx, everyone, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE condemned_files SET removed = 1 WHERE sha256 = $1 AND copy = $2`, name, copy)
		return err
	})
	return wrap(err, "note a removed file")
}

// LeftCondemned calls each for every file that was condemned before a time, and whose
// removal is not noted: the process has ended, or still works on it.
func (d *DB) LeftCondemned(ctx context.Context, before time.Time, each func(name string, copy int) error) error {
	type left struct {
		name string
		copy int
	}
	var found []left
	err := d.read(ctx, everyone, func(q queryer) (err error) {
		found, err = all(ctx, q, func(r scanner) (l left, err error) { return l, r.Scan(&l.name, &l.copy) },
			`SELECT sha256, copy FROM condemned_files WHERE removed = 0 AND at < $1 ORDER BY at`, ms(before))
		return err
	})
	if err != nil {
		return fmt.Errorf("look for condemned files: %w", err)
	}
	for _, l := range found {
		if err := each(l.name, l.copy); err != nil {
			return err
		}
	}
	return nil
}

// ForgetCondemned forgets files that were removed before a time: no request, and no removal
// on its way to a bucket, is that old. Their names may be used from the first copy on again.
func (d *DB) ForgetCondemned(ctx context.Context, before time.Time) error {
	err := d.write(ctx, everyone, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM condemned_files WHERE removed = 1 AND at < $1`, ms(before))
		return err
	})
	return wrap(err, "forget condemned files")
}
