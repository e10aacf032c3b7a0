package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"time"

	"tcode/offline/host/litedb"
	"tcode/server/fault"
	"tcode/server/tenant"
)

// ErrNotEmbedded means that the database is not an SQLite file; see [DB.Dump].
var ErrNotEmbedded = errors.New("only for a gateway on SQLite")

// Snapshot writes a consistent copy of the database to path, which must be empty or not
// exist, while others read and write.
func (d *DB) Snapshot(ctx context.Context, path string) (err error) {
	l, ok := d.engine.(lite)
	if !ok {
		return ErrNotEmbedded
	}
	// VACUUM INTO reads in one transaction: it leaves out changes that are committed
	// meanwhile. Readers may not run it and the writer would block all others, so it gets a
	// connection of its own.
	own, err := litedb.Open(ctx, l.Path(), litedb.Options{ApplicationID: applicationID, MustExist: true, Readers: 1})
	if err != nil {
		return fmt.Errorf("copy database: %w", err)
	}
	defer func() { err = errors.Join(err, own.Close()) }()
	if _, err := own.Writer().ExecContext(ctx, `VACUUM INTO $1`, path); err != nil {
		return fmt.Errorf("copy database: %w", err)
	}
	return nil
}

// NamedFile is a file that a row names.
type NamedFile struct {
	SHA256 string // hex
	Size   int64
}

// namedFiles is a table of all files that rows name. A row whose size is below 0 has let
// its file go, and names it no more.
const namedFiles = `(
	SELECT sha256, size_bytes FROM stamp_files WHERE size_bytes >= 0
	UNION ALL SELECT sha256, size_bytes FROM document_files WHERE size_bytes >= 0
	UNION ALL SELECT csv_sha256, csv_bytes FROM bulk_jobs WHERE csv_bytes >= 0
	UNION ALL SELECT zip_sha256, zip_bytes FROM bulk_jobs WHERE zip_bytes >= 0) AS named`

// NamedFiles calls each once for every file that rows name, by hash.
func (d *DB) NamedFiles(ctx context.Context, each func(NamedFile) error) error {
	err := d.read(ctx, everyone, func(q queryer) error {
		rows, err := q.QueryContext(ctx, `SELECT sha256, max(size_bytes) FROM `+namedFiles+` GROUP BY sha256 ORDER BY sha256`)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var f NamedFile
			if err := rows.Scan(&f.SHA256, &f.Size); err != nil {
				return err
			}
			if err := each(f); err != nil {
				return err
			}
		}
		return rows.Err()
	})
	return wrap(err, "read names of files")
}

// notRestored refuses, in a transaction, to allocate something that a restored database
// may have allocated before: a tenant's reference, a key's number.
func notRestored(ctx context.Context, tx *sql.Tx) error {
	r, err := restored(ctx, tx)
	if err != nil || r == nil {
		return err
	}
	return fault.New(fault.Unavailable, fault.CodeServiceUnavailable,
		"the database was restored from a backup of %s: run tcode-gateway fsck first", r.BackupAt.Format(time.RFC3339))
}

// NamedBytes returns the total length of all files that rows name. A file that several
// rows name counts for each: the figure is for progress bars.
func (d *DB) NamedBytes(ctx context.Context) (n int64, err error) {
	err = d.read(ctx, everyone, func(q queryer) error {
		return q.QueryRowContext(ctx, `SELECT CAST(coalesce(sum(size_bytes), 0) AS BIGINT) FROM `+namedFiles).Scan(&n)
	})
	return n, wrap(err, "read sizes of files")
}

// A Restore records that a database was restored from a backup.
type Restore struct {
	BackupAt   time.Time
	RestoredAt time.Time
}

// MarkRestored notes that the database was restored from a backup made at backupAt. Until
// [DB.AgreeRestore] nothing is published from it. E-mail and webhooks that waited then are
// held until a person decides on them. All sessions and one-time links of users of the
// console end.
func (d *DB) MarkRestored(ctx context.Context, backupAt, now time.Time, audit *tenant.Entry) error {
	err := d.write(ctx, everyone, func(tx *sql.Tx) error { return markRestored(ctx, tx, backupAt, now, audit) })
	return wrap(err, "mark database as restored")
}

func markRestored(ctx context.Context, tx *sql.Tx, backupAt, now time.Time, audit *tenant.Entry) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO restores (backup_at, restored_at) VALUES ($1, $2)`, ms(backupAt), ms(now))
	if err != nil {
		return err
	}
	mails, err := holdMessages(ctx, tx, now)
	if err != nil {
		return err
	}
	hooks, err := holdDeliveries(ctx, tx, now)
	if err != nil {
		return err
	}
	if err := endAllSessions(ctx, tx); err != nil {
		return err
	}
	entry := *audit
	if mails+hooks > 0 {
		entry = *entry.With("heldMails", strconv.Itoa(mails)).With("heldWebhooks", strconv.Itoa(hooks))
	}
	if err := insertAudit(ctx, tx, &entry); err != nil {
		return err
	}
	return wantBundle(ctx, tx)
}

// Restored returns the restore that no operator has agreed to yet, or nil.
func (d *DB) Restored(ctx context.Context) (*Restore, error) {
	return restored(ctx, d.hot)
}

func restored(ctx context.Context, q queryer) (*Restore, error) {
	return oneRestore(ctx, q, `SELECT backup_at, restored_at FROM restores WHERE agreed_at = 0 ORDER BY id DESC LIMIT 1`)
}

func oneRestore(ctx context.Context, q queryer, query string) (*Restore, error) {
	var backup, at int64
	err := q.QueryRowContext(ctx, query).Scan(&backup, &at)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read restores: %w", err)
	}
	return &Restore{fromMS(backup), fromMS(at)}, nil
}

// FirstRestore returns the first restore of the database, confirmed or not; nil: none.
func (d *DB) FirstRestore(ctx context.Context) (*Restore, error) {
	return oneRestore(ctx, d.hot, `SELECT backup_at, restored_at FROM restores ORDER BY id LIMIT 1`)
}

// Activity returns the numbers of stamps that were made, and that were revoked or
// replaced, from then until then.
func (d *DB) Activity(ctx context.Context, from, until time.Time) (stamps, revoked int, err error) {
	err = d.read(ctx, everyone, func(q queryer) error {
		return q.QueryRowContext(ctx, `
			SELECT (SELECT count(*) FROM stamps WHERE created_at >= $1 AND created_at < $2),
				(SELECT count(*) FROM stamp_events WHERE action IN ('revoke', 'replace') AND at >= $1 AND at < $2)`,
			ms(from), ms(until)).Scan(&stamps, &revoked)
	})
	return stamps, revoked, wrap(err, "count stamps")
}

// unseenShards is the number of shards that may have opened after the last trust documents
// that an operator can show: each has 50,000 stamps.
const unseenShards = 16

// AgreeRestore allows publication from the database again. Stamps made after the backup
// are not in it, so their status entries look free: no shard that may have been open
// meanwhile gets another stamp. beyond is the highest shard that is known to have been
// published, version the highest of any document.
func (d *DB) AgreeRestore(ctx context.Context, beyond uint16, version uint64, now time.Time, audit *tenant.Entry) error {
	err := d.write(ctx, everyone, func(tx *sql.Tx) error {
		var last int
		if err := tx.QueryRowContext(ctx, `SELECT max(number) FROM shards`).Scan(&last); err != nil {
			return fmt.Errorf("read shards: %w", err)
		}
		if err := d.lockValues(ctx, tx, openShardsValue); err != nil {
			return err
		}
		// A stamp in a transaction holds the key of its shard.
		if _, err := tx.ExecContext(ctx, `SELECT number FROM shards WHERE state <> 'closed' ORDER BY number`+d.forUpdate); err != nil {
			return fmt.Errorf("lock shards: %w", err)
		}
		if _, err := tx.ExecContext(ctx, `UPDATE shards SET state = 'closed'`); err != nil {
			return fmt.Errorf("close shards: %w", err)
		}
		open := max(last, int(beyond)) + 1 + unseenShards
		for number := last + 1; number <= open+1; number++ {
			state := shardClosed
			if number >= open {
				state = []string{shardOpen, shardNext}[number-open]
			}
			if err := insertShard(ctx, tx, uint16(number), state); err != nil {
				return fmt.Errorf("open a new shard: %w", err)
			}
		}
		// A delta may begin at a version that the backup lacks.
		if _, err := tx.ExecContext(ctx, `UPDATE trust_head SET delta_since = 0 WHERE id = 1`); err != nil {
			return fmt.Errorf("end the delta: %w", err)
		}
		if err := raiseVersion(ctx, tx, version); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `UPDATE restores SET agreed_at = $1 WHERE agreed_at = 0`, ms(now)); err != nil {
			return fmt.Errorf("agree: %w", err)
		}
		if err := insertAudit(ctx, tx, audit); err != nil {
			return err
		}
		return wantBundle(ctx, tx)
	})
	return wrap(err, "agree to restore")
}

// raiseVersion makes the next publication have a higher version than that.
func raiseVersion(ctx context.Context, tx *sql.Tx, version uint64) error {
	_, err := tx.ExecContext(ctx, `UPDATE trust_head SET version = $1 WHERE id = 1 AND version < $1`, version)
	return wrap(err, "raise version")
}
