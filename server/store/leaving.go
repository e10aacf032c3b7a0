package store

import (
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"tcode/server/privacy"
)

// LeavingFiles returns files that records have let go, and whether a row names each.
func (d *DB) LeavingFiles(ctx context.Context, now time.Time, limit int) (files []privacy.LeavingFile, err error) {
	err = d.read(ctx, everyone, func(q queryer) error {
		files, err = all(ctx, q, func(r scanner) (f privacy.LeavingFile, err error) { return f, r.Scan(&f.Tenant, &f.SHA256) },
			`SELECT tenant, sha256 FROM leaving_files l WHERE due_at <= $1
			AND NOT EXISTS (SELECT 1 FROM work_faults f WHERE f.kind = 'privacy' AND f.subject = 'files' AND f.item = l.sha256 AND f.aside = 1) ORDER BY due_at LIMIT $2`, ms(now), limit)
		for i := range files {
			if err == nil {
				files[i].Named, err = isNamed(ctx, q, files[i].SHA256)
			}
		}
		return err
	})
	return files, wrap(err, "look for files that leave")
}

// namedBy are queries for a row that names a file, by its hash ($1) and its name ($2). The
// indexes are those of the public searches; symbols and payloads belong to one stamp each.
var namedBy = []string{
	`SELECT 1 FROM stamps s JOIN stamp_files f ON f.tenant = s.tenant AND f.stamp_id = s.id WHERE s.original_sha256 = $1 AND f.sha256 = $2 AND f.size_bytes >= 0 LIMIT 1`,
	`SELECT 1 FROM stamps s JOIN stamp_files f ON f.tenant = s.tenant AND f.stamp_id = s.id WHERE s.stamped_sha256 = $1 AND f.sha256 = $2 AND f.size_bytes >= 0 LIMIT 1`,
	`SELECT 1 FROM documents s JOIN document_files f ON f.tenant = s.tenant AND f.document_id = s.id WHERE s.original_sha256 = $1 AND f.sha256 = $2 AND f.size_bytes >= 0 LIMIT 1`,
	`SELECT 1 FROM documents s JOIN document_files f ON f.tenant = s.tenant AND f.document_id = s.id WHERE s.stamped_sha256 = $1 AND f.sha256 = $2 AND f.size_bytes >= 0 LIMIT 1`,
	`SELECT 1 FROM bulk_jobs WHERE csv_sha256 = $1 AND csv_bytes >= 0 LIMIT 1`,
	`SELECT 1 FROM bulk_jobs WHERE zip_sha256 = $1 AND zip_bytes >= 0 LIMIT 1`,
}

func isNamed(ctx context.Context, q queryer, name string) (bool, error) {
	raw, err := hex.DecodeString(name)
	if err != nil {
		return false, fmt.Errorf("%w: %w", errNoHash, err)
	}
	for i, query := range namedBy {
		args := []any{raw, name}
		if i >= 4 { // jobs have names only
			args = args[1:]
		}
		var n int
		err := q.QueryRowContext(ctx, query, args...).Scan(&n)
		if err == nil {
			return true, nil
		}
		if !errors.Is(err, sql.ErrNoRows) {
			return false, fmt.Errorf("look for rows that name a file: %w", err)
		}
	}
	return false, nil
}

// WaitsForFiles reports whether a file of an erased record is still to be removed.
func (d *DB) WaitsForFiles(ctx context.Context, e privacy.Erasure) (waits bool, err error) {
	t, err := d.traceOf(ctx, e)
	if err != nil {
		return false, err
	}
	err = d.read(ctx, e.Tenant, func(q queryer) error {
		var names []string
		text := func(r scanner) (s string, err error) { return s, r.Scan(&s) }
		for _, id := range t.ids {
			for _, query := range []string{
				`SELECT sha256 FROM stamp_files WHERE tenant = $1 AND stamp_id = $2`,
				`SELECT sha256 FROM document_files WHERE tenant = $1 AND document_id = $2`,
				`SELECT j.csv_sha256 FROM bulk_rows r JOIN bulk_jobs j ON j.tenant = r.tenant AND j.id = r.job WHERE r.tenant = $1 AND r.made = $2 AND r.made <> ''`,
				`SELECT j.zip_sha256 FROM bulk_rows r JOIN bulk_jobs j ON j.tenant = r.tenant AND j.id = r.job WHERE r.tenant = $1 AND r.made = $2 AND r.made <> ''`,
			} {
				more, err := all(ctx, q, text, query, e.Tenant, id)
				if err != nil {
					return err
				}
				names = append(names, more...)
			}
		}
		for _, name := range names {
			var n int
			err := q.QueryRowContext(ctx, `SELECT count(*) FROM leaving_files WHERE tenant = $1 AND sha256 = $2`, e.Tenant, name).Scan(&n)
			if waits = waits || n > 0; err != nil {
				return err
			}
		}
		return nil
	})
	return waits, wrap(err, "look for files of an erased record")
}

// ForgetFile removes a file from the list of those that leave.
func (d *DB) ForgetFile(ctx context.Context, f privacy.LeavingFile) error {
	err := d.write(ctx, f.Tenant, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM leaving_files WHERE tenant = $1 AND sha256 = $2`, f.Tenant, f.SHA256)
		return err
	})
	return wrap(err, "forget a file that left")
}

// PutOff leaves a file for later.
func (d *DB) PutOff(ctx context.Context, f privacy.LeavingFile, until time.Time) error {
	err := d.write(ctx, f.Tenant, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE leaving_files SET due_at = $1 WHERE tenant = $2 AND sha256 = $3`, ms(until), f.Tenant, f.SHA256)
		return err
	})
	return wrap(err, "put off a file that leaves")
}

// compactAtMost is the size in bytes of a database file, or table, that is rewritten after
// an erasure: that blocks its writers, for less than a second.
const compactAtMost = 64 << 20

// personal are the tables from which an erasure deletes.
var personal = []string{
	"stamps", "stamp_fields", "stamp_words", "stamp_files", "stamp_events", "documents", "document_fields", "document_words", "document_files", "document_events",
	"mails", "once", "webhook_deliveries", "scans", "scan_conflicts", "scan_claims", "verifications", "bulk_jobs", "bulk_rows",
	"batches",
}

// Compact clears the free space of the database's files.
func (d *DB) Compact(ctx context.Context) error {
	return wrap(d.engine.Compact(ctx, compactAtMost, personal...), "clear free space")
}
