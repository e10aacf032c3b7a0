package cache

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"tcode/offline/trust"
)

// A querier is a transaction for reading or writing.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// load reads the state and verifies all of it. It returns nil, nil if no root
// is pinned.
func load(ctx context.Context, q querier) (*trust.State, error) {
	var saved trust.Saved
	var err error
	if saved.Roots, err = column[[]byte](ctx, q, `SELECT note FROM roots ORDER BY version`); err != nil {
		return nil, err
	}
	if len(saved.Roots) == 0 {
		return nil, nil
	}
	for kind, to := range map[string]*[]byte{"timestamp": &saved.Timestamp, "bundle": &saved.Bundle, "status": &saved.Status} {
		err := q.QueryRowContext(ctx, `SELECT note FROM documents WHERE kind = $1`, kind).Scan(to)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return nil, err
		}
	}
	if saved.Packs, err = column[[]byte](ctx, q, `SELECT data FROM packs ORDER BY number`); err != nil {
		return nil, err
	}
	floor, ok, err := fact[int64](ctx, q, "floor")
	if err != nil {
		return nil, err
	}
	if ok {
		saved.Floor = time.Unix(floor, 0).UTC() // trust documents have whole seconds
	}
	ahead, _, err := fact[int64](ctx, q, "ahead")
	if err != nil {
		return nil, err
	}
	saved.Ahead = uint64(ahead)
	s, err := trust.Load(saved)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrState, err)
	}
	return &s, nil
}

func survivorHashes(ctx context.Context, q querier) ([]string, error) {
	return column[string](ctx, q, `SELECT sha256 FROM survivors ORDER BY sha256`)
}

// column returns the values of a query with one column.
func column[T any](ctx context.Context, q querier, query string, args ...any) ([]T, error) {
	rows, err := q.QueryContext(ctx, query, args...)
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

// fact reads a single value; ok is false if it was never set.
func fact[T any](ctx context.Context, q querier, name string) (v T, ok bool, err error) {
	err = q.QueryRowContext(ctx, `SELECT value FROM facts WHERE name = $1`, name).Scan(&v)
	if errors.Is(err, sql.ErrNoRows) {
		return v, false, nil
	}
	return v, err == nil, err
}

func setFact(ctx context.Context, tx *sql.Tx, name string, value any) error {
	_, err := tx.ExecContext(ctx, `
		INSERT INTO facts (name, value) VALUES ($1, $2)
		ON CONFLICT (name) DO UPDATE SET value = excluded.value`, name, value)
	return err
}

// bump tells every process that its snapshot is old.
func bump(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.ExecContext(ctx, `UPDATE facts SET value = value + 1 WHERE name = 'generation'`)
	return err
}
