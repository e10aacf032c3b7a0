package cache

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"tcode/offline/digest"
	"tcode/offline/host/litedb"
	"tcode/offline/trust"
	"tcode/offline/trustbook"
)

// A store is a trustbook.Store in one SQLite file.
type store struct{ db *litedb.DB }

var _ trustbook.Store = store{}

// View implements [trustbook.Store] with one read transaction.
func (s store) View(ctx context.Context, read func(trustbook.Reader) error) error {
	tx, err := s.db.Reader().BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // nothing was written
	return read(reader{ctx, tx})
}

// Update implements [trustbook.Store] with one write transaction.
func (s store) Update(ctx context.Context, change func(trustbook.Reader) (trustbook.Change, error)) error {
	return s.db.Write(ctx, func(tx *sql.Tx) error {
		r := reader{ctx, tx}
		c, err := change(r)
		if err != nil {
			return err
		}
		held, err := r.Facts()
		if err != nil {
			return err
		}
		return writer{ctx, tx}.change(held, c)
	})
}

// Remembered implements [trustbook.Store].
func (s store) Remembered(ctx context.Context, core digest.SHA256) (bool, error) {
	var one int
	err := s.db.Reader().QueryRowContext(ctx, `SELECT 1 FROM remembered WHERE core = $1`, core[:]).Scan(&one)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

// Close implements [trustbook.Store].
func (s store) Close() error { return s.db.Close() }

// A reader reads within one transaction.
type reader struct {
	ctx context.Context
	tx  *sql.Tx
}

// Facts implements [trustbook.Reader].
func (r reader) Facts() (f trustbook.Facts, err error) {
	rows, err := r.tx.QueryContext(r.ctx, `SELECT name, value FROM facts`)
	if err != nil {
		return f, err
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		var value any
		if err := rows.Scan(&name, &value); err != nil {
			return f, err
		}
		for _, c := range columns {
			if c.name != name {
				continue
			}
			if err := c.set(&f, value); err != nil {
				return f, err
			}
		}
	}
	return f, rows.Err()
}

// Documents implements [trustbook.Reader].
func (r reader) Documents() (s trust.Saved, err error) {
	roots, err := pairs[int](r, `SELECT version, note FROM roots`)
	if err != nil {
		return s, err
	}
	for version := range len(roots) {
		raw, ok := roots[version+1]
		if !ok {
			return s, fmt.Errorf("%w: root %d is missing", trustbook.ErrState, version+1)
		}
		s.Roots = append(s.Roots, raw)
	}
	for kind, to := range map[string]*[]byte{"timestamp": &s.Timestamp, "bundle": &s.Bundle, "status": &s.Status} {
		err := r.tx.QueryRowContext(r.ctx, `SELECT note FROM documents WHERE kind = $1`, kind).Scan(to)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return s, err
		}
	}
	s.Packs, err = column[[]byte](r, `SELECT data FROM packs ORDER BY number`)
	return s, err
}

// Shards implements [trustbook.Reader].
func (r reader) Shards() (map[uint16][]byte, error) {
	return pairs[uint16](r, `SELECT number, deflated FROM shards`)
}

// Survivors implements [trustbook.Reader].
func (r reader) Survivors() (map[string][]byte, error) {
	return pairs[string](r, `SELECT sha256, marks FROM survivors`)
}

// SurvivorNames implements [trustbook.Reader].
func (r reader) SurvivorNames() ([]string, error) {
	return column[string](r, `SELECT sha256 FROM survivors ORDER BY sha256`)
}

// pairs returns the values of a query with two columns by the first one.
func pairs[K comparable](r reader, query string) (map[K][]byte, error) {
	rows, err := r.tx.QueryContext(r.ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	all := map[K][]byte{}
	for rows.Next() {
		var key K
		var value []byte
		if err := rows.Scan(&key, &value); err != nil {
			return nil, err
		}
		all[key] = value
	}
	return all, rows.Err()
}

// column returns the values of a query with one column.
func column[T any](r reader, query string) ([]T, error) {
	rows, err := r.tx.QueryContext(r.ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []T
	for rows.Next() {
		var v T
		if err := rows.Scan(&v); err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, rows.Err()
}

// A factColumn is one row of the table facts; absent rows are zero.
type factColumn struct {
	name string
	get  func(trustbook.Facts) any // nil: absent
	set  func(*trustbook.Facts, any) error
}

var columns = []factColumn{
	number("generation", func(f *trustbook.Facts) *uint64 { return &f.Generation }),
	number("ahead", func(f *trustbook.Facts) *uint64 { return &f.Ahead }),
	text("gateway", func(f *trustbook.Facts) *string { return &f.Gateway }),
	text("proof", func(f *trustbook.Facts) *string { return &f.Proof }),
	text("attempt_error", func(f *trustbook.Facts) *string { return &f.AttemptError }),
	moment("pinned_at", time.Millisecond, func(f *trustbook.Facts) *time.Time { return &f.PinnedAt }),
	moment("attempt_at", time.Millisecond, func(f *trustbook.Facts) *time.Time { return &f.AttemptAt }),
	moment("refreshed_at", time.Millisecond, func(f *trustbook.Facts) *time.Time { return &f.RefreshedAt }),
	moment("floor", time.Second, func(f *trustbook.Facts) *time.Time { return &f.Floor }),
}

func number(name string, at func(*trustbook.Facts) *uint64) factColumn {
	return factColumn{name, func(f trustbook.Facts) any {
		if n := *at(&f); n != 0 || name == "generation" {
			return int64(n)
		}
		return nil
	}, func(f *trustbook.Facts, value any) error {
		n, ok := value.(int64)
		*at(f) = uint64(n)
		return typed(name, ok)
	}}
}

func text(name string, at func(*trustbook.Facts) *string) factColumn {
	return factColumn{name, func(f trustbook.Facts) any {
		if s := *at(&f); s != "" {
			return s
		}
		return nil
	}, func(f *trustbook.Facts, value any) error {
		*at(f) = fmt.Sprint(value) // of another type it is damaged, and its reader sees that
		return nil
	}}
}

// moment is a time as a number of units since 1970.
func moment(name string, unit time.Duration, at func(*trustbook.Facts) *time.Time) factColumn {
	return factColumn{name, func(f trustbook.Facts) any {
		if t := *at(&f); !t.IsZero() {
			return t.UnixMilli() / unit.Milliseconds()
		}
		return nil
	}, func(f *trustbook.Facts, value any) error {
		n, ok := value.(int64)
		if *at(f) = time.UnixMilli(n * unit.Milliseconds()).UTC(); !ok {
			*at(f) = time.Time{}
		}
		return typed(name, ok)
	}}
}

func typed(name string, ok bool) error {
	if !ok {
		return fmt.Errorf("%w: fact %s has another type", trustbook.ErrState, name)
	}
	return nil
}
