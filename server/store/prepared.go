package store

import (
	"context"
	"database/sql"
	"sync"
)

// prepared runs queries as prepared statements, each parsed once: parsing is a
// third of what a look-up by key costs (profile of verify's benchmarks, 2026-11).
// It is for the fixed queries of the busy paths; those that are put together
// from a filter would only fill it.
type prepared struct {
	queryer
	// prepare is nil where the driver keeps statements itself, as the one of
	// PostgreSQL does for each connection.
	prepare func(ctx context.Context, query string) (*sql.Stmt, error)

	// brief says that a look-up of one row is over in microseconds and is not
	// worth watching for its end: that takes two goroutines each time, a fifth
	// of what the look-up costs (SQLite, 2026-11).
	brief bool

	mu    sync.Mutex // guards stmts; held while a statement is parsed, once each
	stmts map[string]*sql.Stmt
}

// preparedOn returns prepared statements on a pool of SQLite's. They live as long
// as it.
func preparedOn(db *sql.DB) *prepared {
	return &prepared{queryer: db, prepare: db.PrepareContext, stmts: make(map[string]*sql.Stmt), brief: true}
}

// preparedIn returns prepared statements of one transaction, which closes them.
func (d *DB) preparedIn(tx *sql.Tx) *prepared {
	if d.hot.prepare == nil {
		return &prepared{queryer: tx}
	}
	return &prepared{queryer: tx, prepare: tx.PrepareContext, stmts: make(map[string]*sql.Stmt)}
}

func (p *prepared) stmt(ctx context.Context, query string) (*sql.Stmt, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s := p.stmts[query]; s != nil {
		return s, nil
	}
	// A statement outlives the request that needs it first.
	s, err := p.prepare(context.WithoutCancel(ctx), query)
	if err == nil {
		p.stmts[query] = s
	}
	return s, err
}

func (p *prepared) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	if p.prepare == nil {
		return p.queryer.ExecContext(ctx, query, args...)
	}
	s, err := p.stmt(ctx, query)
	if err != nil {
		return nil, err
	}
	return s.ExecContext(ctx, args...)
}

func (p *prepared) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if p.prepare == nil {
		return p.queryer.QueryContext(ctx, query, args...)
	}
	s, err := p.stmt(ctx, query)
	if err != nil {
		return nil, err
	}
	return s.QueryContext(ctx, args...)
}

func (p *prepared) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	if p.brief && ctx.Err() == nil {
		ctx = context.WithoutCancel(ctx)
	}
	if p.prepare == nil {
		return p.queryer.QueryRowContext(ctx, query, args...)
	}
	s, err := p.stmt(ctx, query)
	if err != nil {
		return p.queryer.QueryRowContext(ctx, query, args...) // says what is wrong with it
	}
	return s.QueryRowContext(ctx, args...)
}

// Close closes the statements.
func (p *prepared) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.stmts {
		s.Close() // the pool is closed next
	}
	clear(p.stmts)
}
