package pgdb

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/jackc/pgx/v5"
)

// Compact clears the space of deleted rows in some tables, as the login role, which owns
// them. It rewrites a table of at most so many bytes without free space (VACUUM FULL), for
// which it holds the table's users; a larger one is marked as free only (VACUUM), and its
// old bytes stay until new rows replace them. The server's log (pg_wal) keeps old bytes
// until it uses a segment again.
func (db *DB) Compact(ctx context.Context, atMost int64, names ...string) (err error) {
	login := db.login.Copy()
	maps.Copy(login.RuntimeParams, patienceOfLogin)
	conn, err := pgx.ConnectConfig(ctx, login)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close(context.WithoutCancel(ctx))) }()
	if _, err := conn.Exec(ctx, `SET lock_timeout = '5s'`); err != nil {
		return err
	}
	rows, err := conn.Query(ctx, `SELECT quote_ident(relname), pg_total_relation_size(oid) FROM pg_class
		WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND relname = ANY ($1) ORDER BY relname`, names)
	if err != nil {
		return err
	}
	type table struct {
		name string
		size int64
	}
	tables, err := pgx.CollectRows(rows, func(r pgx.CollectableRow) (t table, err error) { return t, r.Scan(&t.name, &t.size) })
	if err != nil {
		return err
	}
	for _, t := range tables {
		how := "VACUUM "
		if t.size <= atMost {
			how = "VACUUM (FULL) "
		}
		if _, err := conn.Exec(ctx, how+t.name); err != nil {
			return fmt.Errorf("vacuum %s: %w", t.name, err)
		}
	}
	// The files of rewritten tables are removed at a checkpoint, for which the role may lack
	// the right: then the next regular one does it.
	if _, err := conn.Exec(ctx, "CHECKPOINT"); err != nil && state(err) != statePrivilege {
		return err
	}
	return nil
}
