package pgdb

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

var (
	// ErrArchive means that an archive of rows is damaged, or of another schema.
	ErrArchive = errors.New("not an archive of rows that this program can load")
	// ErrRows means that the database into which an archive is to be loaded has rows.
	ErrRows = errors.New("the database is not empty: a backup is restored into a new one")
)

// Load reads an archive of [DB.Dump] into a database whose tables o.Migrate makes. All of it is one
// transaction, with what after does in it. rows is a query that returns a row if the database
// is in use already, which is [ErrRows].
func Load(ctx context.Context, o Options, r io.Reader, rows string, after func(ctx context.Context, tx *sql.Tx) error) (err error) {
	cfg, err := pgx.ParseConfig(o.URL)
	if err != nil {
		return fmt.Errorf("database URL: %w", err)
	}
	if err := prepare(ctx, cfg, o); err != nil {
		return err
	}
	login := cfg.Copy()
	login.RuntimeParams[scopeSetting] = Everyone
	db := stdlib.OpenDB(*login)
	defer func() { err = errors.Join(err, db.Close()) }()
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // the first error is the one that matters
	l := &loader{conn: conn, tx: tx, r: bufio.NewReaderSize(r, 64<<10)}
	if err := l.load(ctx, rows); err != nil {
		return err
	}
	if err := after(ctx, tx); err != nil {
		return err
	}
	// Without statistics, foreign keys of large tables are looked up by indexes that do not fit.
	if _, err := tx.ExecContext(ctx, `ANALYZE`); err != nil {
		return err
	}
	return tx.Commit()
}

type loader struct {
	conn *sql.Conn
	tx   *sql.Tx
	r    *bufio.Reader
}

func (l *loader) load(ctx context.Context, rows string) error {
	var used bool
	if err := l.tx.QueryRowContext(ctx, `SELECT EXISTS (`+rows+`)`).Scan(&used); err != nil {
		return err
	}
	if used {
		return ErrRows
	}
	magic := make([]byte, len(archiveMagic))
	if _, err := io.ReadFull(l.r, magic); err != nil || string(magic) != archiveMagic {
		return ErrArchive
	}
	var head archiveHead
	if ok, err := l.json(&head); err != nil || !ok {
		return errors.Join(ErrArchive, err)
	}
	// Owners are bound by the policies too, and COPY does not work under them.
	forced, err := texts(ctx, l.tx, `SELECT oid::regclass::text FROM pg_class
		WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND relforcerowsecurity ORDER BY 1`)
	if err != nil {
		return err
	}
	for _, table := range forced {
		if _, err := l.tx.ExecContext(ctx, `ALTER TABLE `+table+` NO FORCE ROW LEVEL SECURITY`); err != nil {
			return err
		}
	}
	if err := l.tables(ctx); err != nil {
		return err
	}
	if err := l.sequences(ctx, head.Sequences); err != nil {
		return err
	}
	for _, table := range forced {
		if _, err := l.tx.ExecContext(ctx, `ALTER TABLE `+table+` FORCE ROW LEVEL SECURITY`); err != nil {
			return err
		}
	}
	return nil
}

// tables loads all tables.
func (l *loader) tables(ctx context.Context) error {
	ours, err := texts(ctx, l.tx, `SELECT relname::text FROM pg_class
		WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND relname NOT IN ('goose_db_version', 'river_migration') ORDER BY 1`)
	if err != nil {
		return err
	}
	for first := true; ; first = false {
		var t archiveTable
		ok, err := l.json(&t)
		if err != nil {
			return err
		}
		if !ok {
			if _, err := l.r.ReadByte(); !errors.Is(err, io.EOF) {
				return fmt.Errorf("%w: it goes on after its end", ErrArchive)
			}
			return nil
		}
		at := slices.Index(ours, t.Name)
		if at < 0 {
			return fmt.Errorf("%w: table %q, which the schema does not have, or twice", ErrArchive, t.Name)
		}
		ours = slices.Delete(ours, at, at+1)
		if first { // what the migrations put into tables is in the archive as well
			if err := l.truncate(ctx); err != nil {
				return err
			}
		}
		part := &parts{r: l.r}
		err = l.conn.Raw(func(driver any) error {
			c, ok := driver.(*stdlib.Conn)
			if !ok {
				return fmt.Errorf("unknown kind of connection %T", driver)
			}
			_, err := c.Conn().PgConn().CopyFrom(ctx, part, "COPY "+t.copied()+" FROM STDIN")
			return err
		})
		if err == nil && !part.ended {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return fmt.Errorf("%w: table %s: %w", ErrArchive, t.Name, err)
		}
	}
}

// truncate empties all tables except those that say of which version the schema is.
func (l *loader) truncate(ctx context.Context) error {
	list, err := texts(ctx, l.tx, `SELECT coalesce(string_agg(oid::regclass::text, ', '), '') FROM pg_class
		WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND relname NOT IN ('goose_db_version', 'river_migration')`)
	if err != nil || list[0] == "" {
		return err
	}
	_, err = l.tx.ExecContext(ctx, `TRUNCATE `+list[0])
	return err
}

// sequences sets the next values.
func (l *loader) sequences(ctx context.Context, next map[string]int64) error {
	rows, err := l.tx.QueryContext(ctx, sequenceQuery)
	if err != nil {
		return err
	}
	defer rows.Close()
	found := map[string]string{}
	for rows.Next() {
		var table, column, sequence string
		if err := rows.Scan(&table, &column, &sequence); err != nil {
			return err
		}
		found[table+"."+column] = sequence
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return err
	}
	for column, sequence := range found {
		if value, ok := next[column]; ok {
			if _, err := l.tx.ExecContext(ctx, `SELECT setval($1::regclass, $2, false)`, sequence, value); err != nil {
				return err
			}
		}
	}
	return nil
}

// json reads a part that is JSON; ok is false at the end.
func (l *loader) json(v any) (ok bool, err error) {
	n, err := length(l.r)
	if err != nil || n == 0 {
		return false, err
	}
	raw := make([]byte, n)
	if _, err := io.ReadFull(l.r, raw); err != nil {
		return false, fmt.Errorf("%w: %w", ErrArchive, err)
	}
	if err := json.Unmarshal(raw, v); err != nil {
		return false, fmt.Errorf("%w: %w", ErrArchive, err)
	}
	return true, nil
}

func length(r io.Reader) (int, error) {
	var b [4]byte
	if _, err := io.ReadFull(r, b[:]); err != nil {
		return 0, fmt.Errorf("%w: it was cut short", ErrArchive)
	}
	n := binary.BigEndian.Uint32(b[:])
	if n > maxPart {
		return 0, fmt.Errorf("%w: a part of %d bytes", ErrArchive, n)
	}
	return int(n), nil
}

// parts reads the rows of one table.
type parts struct {
	r     *bufio.Reader
	left  int
	ended bool
}

// Read reads on in the present part, or in the next.
func (p *parts) Read(b []byte) (int, error) {
	if p.ended {
		return 0, io.EOF
	}
	if p.left == 0 {
		n, err := length(p.r)
		if err != nil {
			return 0, err
		}
		if p.ended = n == 0; p.ended {
			return 0, io.EOF
		}
		p.left = n
	}
	n, err := p.r.Read(b[:min(len(b), p.left)])
	p.left -= n
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

func texts(ctx context.Context, tx *sql.Tx, query string) (out []string, err error) {
	rows, err := tx.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, rows.Err()
}
