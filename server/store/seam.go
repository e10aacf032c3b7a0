package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"tcode/offline/host/litedb"
	"tcode/server/store/pgdb"
)

// everyone is the scope of work that belongs to no tenant or to several: public look-ups,
// publication, the operator's commands.
const everyone = "*"

// write runs do in one transaction and commits it; an error or a panic rolls
// back. scope is a tenant's reference or [everyone].
//
// On SQLite there is one writer, and do sees no concurrent change. On PostgreSQL the
// transaction is READ COMMITTED, with the scope set for row-level security: read rows that
// a change depends on with d.forUpdate at the end of the query. There do runs again after
// a serialization failure or a deadlock, so it must set its results from scratch.
// Statements whose results it does not need may be sent with the next one: see [pgdb.Later].
func (d *DB) write(ctx context.Context, scope string, do func(tx *sql.Tx) error) error {
	return d.engine.Write(ctx, scope, do)
}

// TryWrite returns why the database takes no changes now: it makes one that changes nothing.
func (d *DB) TryWrite(ctx context.Context) error {
	return d.write(ctx, everyone, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE secrets SET name = name WHERE 1 = 0`)
		return wrap(err, "try a change")
	})
}

// read runs do on one consistent view of the database. scope is as for write.
func (d *DB) read(ctx context.Context, scope string, do func(q queryer) error) error {
	return d.engine.Read(ctx, scope, func(tx *sql.Tx) error { return do(tx) })
}

// readAs is [DB.read] for a function that returns a value.
func readAs[T any](ctx context.Context, d *DB, scope string, get func(ctx context.Context, q queryer) (T, error)) (v T, err error) {
	err = d.read(ctx, scope, func(q queryer) (err error) {
		v, err = get(ctx, q)
		return err
	})
	return v, err
}

// lockTenant prevents others from changing a tenant's plan or signing keys, and from
// stamping with them, until the transaction ends.
func (d *DB) lockTenant(ctx context.Context, tx *sql.Tx, reference string) error {
	if d.forUpdate == "" {
		return nil
	}
	for _, lock := range []string{
		`SELECT reference FROM tenants WHERE reference = $1` + d.forUpdate,
		`SELECT seq FROM signing_keys WHERE tenant = $1 ORDER BY seq` + d.forUpdate,
	} {
		if _, err := tx.ExecContext(ctx, lock, reference); err != nil {
			return fmt.Errorf("lock tenant %s: %w", reference, err)
		}
	}
	return nil
}

// lockValues lets one transaction at a time have each of some values, until it ends: the
// others wait. It locks the values in order, and a transaction calls it before it locks
// rows that depend on them. SQLite has one writer, which needs no such lock.
func (d *DB) lockValues(ctx context.Context, tx *sql.Tx, values ...string) error {
	if d.isLite() {
		return nil
	}
	keys := make([]int64, len(values))
	for i, v := range values {
		sum := sha256.Sum256([]byte(v))
		keys[i] = int64(binary.BigEndian.Uint64(sum[:]))
	}
	slices.Sort(keys)
	for _, key := range keys {
		if _, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock($1)`, key); err != nil {
			return fmt.Errorf("lock values: %w", err)
		}
	}
	return nil
}

// erasureLock is the advisory lock of [DB.beforeErasure].
const erasureLock = 0x54436572 // "TCer"

// beforeErasure lets a transaction read whether records are erased and then store what is said of
// them: the erasure of one that it finds whole waits for it in [DB.awaitBefore], and then removes
// what it stored. SQLite has one writer, which needs no such lock.
func (d *DB) beforeErasure(ctx context.Context, tx *sql.Tx) error {
	if d.isLite() {
		return nil
	}
	_, err := tx.ExecContext(pgdb.Later(ctx), `SELECT pg_advisory_xact_lock_shared($1)`, erasureLock)
	return wrap(err, "lock erasures")
}

// awaitBefore waits for the transactions that called beforeErasure until now.
func (d *DB) awaitBefore(ctx context.Context) error {
	if d.isLite() {
		return nil
	}
	err := d.write(ctx, everyone, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock($1)`, erasureLock)
		return err
	})
	return wrap(err, "wait for scans")
}

// isUnique reports whether a UNIQUE index or a primary key refused a row of a table. On
// PostgreSQL the error may be that of a statement of [pgdb.Later], of another table, and the
// transaction cannot continue: return the error, or use ON CONFLICT DO NOTHING in the first
// place.
func isUnique(err error, table string) bool {
	return litedb.IsUniqueIn(err, table) || pgdb.IsUnique(err, table)
}

// IsUnavailable reports whether the cause of err is the database's machine, or the
// connection to it, and not the request: a full disk, a server that is down.
func IsUnavailable(err error) bool {
	return litedb.IsUnavailable(err) || pgdb.IsUnavailable(err) || errors.Is(err, ErrReplaced)
}

// CheckFiles returns [ErrReplaced] if the database is no longer where it was opened.
func (d *DB) CheckFiles() error { return d.engine.CheckFiles() }
