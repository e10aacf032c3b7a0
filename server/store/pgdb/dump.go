package pgdb

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/jackc/pgx/v5"
)

// An archive of rows is this, with all numbers as 4 bytes, the highest first:
//
//	archiveMagic
//	length, JSON of an archiveHead
//	for each table, those that others refer to before them:
//		length, JSON of an archiveTable
//		length, bytes of COPY in its text format, as often as needed
//		0
//	0
const archiveMagic = "TCode rows 1\n"

// archiveHead is about all of it.
type archiveHead struct {
	Sequences map[string]int64 `json:"sequences"` // the next values, by the names of tables and columns
}

type archiveTable struct {
	Name    string   `json:"name"`
	Columns []string `json:"columns"`
}

// maxPart bounds a part of an archive in memory.
const maxPart = 64 << 20

// Scanner is one row.
type Scanner interface{ Scan(dest ...any) error }

// Query runs a query inside of a [DB.Dump].
type Query func(ctx context.Context, query string, each func(Scanner) error) error

// Dump writes the rows of all tables as of one moment to w, except those of some tables. It
// runs as the login role, which owns them. inside may ask for more of the same moment.
func (db *DB) Dump(ctx context.Context, w io.Writer, leaveOut []string, inside func(Query) error) (err error) {
	conn, err := owner(ctx, db.login)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close(context.WithoutCancel(ctx))) }()
	tx, err := conn.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return err
	}
	defer tx.Rollback(context.WithoutCancel(ctx)) //nolint:errcheck // it wrote nothing
	tables, err := tablesInOrder(ctx, tx, leaveOut)
	if err != nil {
		return err
	}
	out := &archiveWriter{bufio.NewWriterSize(w, 64<<10)}
	if _, err := out.w.WriteString(archiveMagic); err != nil {
		return err
	}
	head := archiveHead{}
	if head.Sequences, err = sequences(ctx, tx); err != nil {
		return err
	}
	if err := out.json(head); err != nil {
		return err
	}
	for _, t := range tables {
		if err := out.json(t); err != nil {
			return err
		}
		if _, err := conn.PgConn().CopyTo(ctx, out, "COPY "+t.copied()+" TO STDOUT"); err != nil {
			return fmt.Errorf("copy %s: %w", t.Name, err)
		}
		if err := out.end(); err != nil {
			return err
		}
	}
	if err := errors.Join(out.end(), out.w.Flush()); err != nil {
		return err
	}
	return inside(func(ctx context.Context, query string, each func(Scanner) error) error {
		rows, err := tx.Query(ctx, query)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			if err := each(rows); err != nil {
				return err
			}
		}
		return rows.Err()
	})
}

// owner connects as the login role, which sees the rows of everyone.
func owner(ctx context.Context, login *pgx.ConnConfig) (*pgx.Conn, error) {
	cfg := login.Copy()
	cfg.RuntimeParams[scopeSetting] = Everyone
	return pgx.ConnectConfig(ctx, cfg)
}

// copied is the table with its columns, for COPY.
func (t archiveTable) copied() string {
	list := ""
	for i, c := range t.Columns {
		if i > 0 {
			list += ", "
		}
		list += pgx.Identifier{c}.Sanitize()
	}
	return pgx.Identifier{t.Name}.Sanitize() + " (" + list + ")"
}

// tablesInOrder returns the tables, those that others refer to first.
func tablesInOrder(ctx context.Context, tx pgx.Tx, leaveOut []string) (out []archiveTable, err error) {
	rows, err := tx.Query(ctx, `
		SELECT c.relname, (SELECT array_agg(a.attname::text ORDER BY a.attnum) FROM pg_attribute a
				WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''),
			(SELECT coalesce(array_agg(DISTINCT r.relname::text), '{}') FROM pg_constraint k JOIN pg_class r ON r.oid = k.confrelid
				WHERE k.conrelid = c.oid AND k.contype = 'f' AND k.confrelid <> c.oid)
		FROM pg_class c WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND NOT c.relname = ANY ($1)
		ORDER BY c.relname`, leaveOut)
	if err != nil {
		return nil, err
	}
	type table struct {
		archiveTable
		refers []string
	}
	left, err := pgx.CollectRows(rows, func(r pgx.CollectableRow) (t table, err error) {
		return t, r.Scan(&t.Name, &t.Columns, &t.refers)
	})
	if err != nil {
		return nil, err
	}
	done := map[string]bool{}
	for _, name := range leaveOut {
		done[name] = true
	}
	for len(left) > 0 {
		var later []table
		for _, t := range left {
			ready := true
			for _, name := range t.refers {
				ready = ready && done[name]
			}
			if !ready {
				later = append(later, t)
				continue
			}
			done[t.Name] = true
			out = append(out, t.archiveTable)
		}
		if len(later) == len(left) {
			return nil, fmt.Errorf("tables refer to each other in a circle: %s", left[0].Name)
		}
		left = later
	}
	return out, nil
}

// sequences returns the next value of each sequence that belongs to a column.
func sequences(ctx context.Context, tx pgx.Tx) (map[string]int64, error) {
	rows, err := tx.Query(ctx, sequenceQuery)
	if err != nil {
		return nil, err
	}
	type owned struct{ table, column, sequence string }
	all, err := pgx.CollectRows(rows, func(r pgx.CollectableRow) (o owned, err error) {
		return o, r.Scan(&o.table, &o.column, &o.sequence)
	})
	if err != nil {
		return nil, err
	}
	out := map[string]int64{}
	for _, o := range all {
		var next int64
		if err := tx.QueryRow(ctx, `SELECT last_value + CASE WHEN is_called THEN 1 ELSE 0 END FROM `+o.sequence).Scan(&next); err != nil {
			return nil, fmt.Errorf("read sequence %s: %w", o.sequence, err)
		}
		out[o.table+"."+o.column] = next
	}
	return out, nil
}

// sequenceQuery finds the sequences of columns, quoted.
const sequenceQuery = `
	SELECT c.relname::text, a.attname::text, s.oid::regclass::text FROM pg_class s
	JOIN pg_depend d ON d.objid = s.oid AND d.classid = 'pg_class'::regclass AND d.deptype IN ('a', 'i')
	JOIN pg_class c ON c.oid = d.refobjid JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = d.refobjsubid
	WHERE s.relkind = 'S' AND s.relnamespace = current_schema()::regnamespace ORDER BY 1, 2`

type archiveWriter struct{ w *bufio.Writer }

// Write writes a part.
func (a *archiveWriter) Write(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if _, err := a.w.Write(binary.BigEndian.AppendUint32(nil, uint32(len(p)))); err != nil {
		return 0, err
	}
	return a.w.Write(p)
}

func (a *archiveWriter) json(v any) error {
	raw, err := json.Marshal(v)
	if err == nil {
		_, err = a.Write(raw)
	}
	return err
}

func (a *archiveWriter) end() error {
	_, err := a.w.Write(make([]byte, 4))
	return err
}
