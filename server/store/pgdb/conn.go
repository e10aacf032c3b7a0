package pgdb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

// scopeSetting is the setting that the schema's policies compare with tenants.
const scopeSetting = "tcode.scope"

type scopeKey struct{}

func withScope(ctx context.Context, scope string) context.Context {
	return context.WithValue(ctx, scopeKey{}, scope)
}

// connector wraps the driver's connections.
type connector struct {
	driver.Connector
	rewrite func(string) string
	renewed *atomic.Int64 // older connections are not used any more, in ns since 1970
}

func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	inner, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	std, ok := inner.(*stdlib.Conn)
	if !ok {
		return nil, fmt.Errorf("unknown kind of connection %T", inner)
	}
	own := &conn{Conn: std, born: time.Now().UnixNano(), renewed: c.renewed}
	if c.rewrite != nil {
		return rewriting{own, c.rewrite}, nil
	}
	return own, nil
}

// conn begins transactions under a scope; outside of them it only reads. The message that
// begins the transaction also sets the scope, and the limits of a reader: this saves a round
// trip, and there is no moment without a scope.
type conn struct {
	*stdlib.Conn
	inTx bool
	kept []statement // of the transaction, see [Later]

	born    int64 // ns since 1970
	renewed *atomic.Int64
}

// renewEvery is the least time between two renewals of all connections.
const renewEvery = int64(100 * time.Millisecond)

// renew has all connections of now replaced. A session stays read-only when its server, or its
// database, is not any more.
func (c *conn) renew() {
	if now := time.Now().UnixNano(); now-c.renewed.Load() > renewEvery {
		c.renewed.Store(now)
	}
}

// ResetSession has database/sql open another connection if this one is too old.
func (c *conn) ResetSession(ctx context.Context) error {
	if !c.IsValid() {
		return driver.ErrBadConn
	}
	return c.Conn.ResetSession(ctx)
}

// IsValid reports whether the connection may be used again.
func (c *conn) IsValid() bool { return c.born > c.renewed.Load() }

// BeginTx begins a transaction under the scope in ctx. Without a scope, it sees no
// tenant's rows.
func (c *conn) BeginTx(ctx context.Context, opts driver.TxOptions) (driver.Tx, error) {
	begin := "begin isolation level read committed"
	if sql.IsolationLevel(opts.Isolation) == sql.LevelRepeatableRead {
		begin = "begin isolation level repeatable read"
	}
	if opts.ReadOnly {
		begin += " read only" + patientRead
	}
	scope, _ := ctx.Value(scopeKey{}).(string)
	if isPlain(scope) {
		begin += "; set local " + scopeSetting + " = '" + scope + "'"
	}
	t, err := c.Conn.Conn().BeginTx(ctx, pgx.TxOptions{BeginQuery: begin})
	if err != nil {
		return nil, c.gone(ctx, err)
	}
	c.inTx, c.kept = true, nil
	return tx{ctx, t, c}, nil
}

// QueryContext runs a query, after the kept statements.
func (c *conn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if _, _, err := c.send(ctx, "", nil); err != nil {
		return nil, err
	}
	rows, err := c.Conn.QueryContext(ctx, query, args)
	if c.inTx {
		return rows, c.lost(err)
	}
	return rows, c.gone(ctx, err)
}

// ExecContext runs a statement with the kept ones, or keeps it.
func (c *conn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	if c.keep(ctx, query, args) {
		return driver.ResultNoRows, nil
	}
	if len(c.kept) > 0 {
		_, rows, err := c.send(ctx, query, plain(args))
		return driver.RowsAffected(rows), err
	}
	res, err := c.Conn.ExecContext(ctx, query, args)
	return res, c.lost(err)
}

// lost marks the error that ended the connection and its current transaction.
func (c *conn) lost(err error) error {
	if state(err) == stateReadOnly {
		c.renew()
	}
	if err != nil && c.Conn.Conn().IsClosed() {
		return fmt.Errorf("%w: %w", errLost, err)
	}
	return err
}

// gone makes database/sql try again on another connection if the server had ended this
// one: the statement has changed nothing.
func (c *conn) gone(ctx context.Context, err error) error {
	if err != nil && ctx.Err() == nil && c.Conn.Conn().IsClosed() {
		return driver.ErrBadConn
	}
	return err
}

// isPlain reports whether a scope can stand in a statement. A text that is no tenant's
// reference sees nothing, like an unknown tenant.
func isPlain(scope string) bool {
	for _, r := range scope {
		if (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && r != '*' {
			return false
		}
	}
	return scope != "" && len(scope) <= 64
}

// tx ends a transaction in the context that it was begun in.
type tx struct {
	ctx  context.Context
	tx   pgx.Tx
	conn *conn
}

// Commit sends the kept statements and the commit. If one of them fails, nothing is committed.
func (t tx) Commit() error {
	t.conn.inTx = false
	if len(t.conn.kept) == 0 {
		return t.conn.lost(t.tx.Commit(t.ctx))
	}
	tag, _, err := t.conn.send(t.ctx, "commit", nil)
	switch {
	case err != nil:
		_ = t.tx.Rollback(t.ctx) // database/sql does not do it after a commit
	case tag != "COMMIT":
		err = pgx.ErrTxCommitRollback
	}
	return err
}

func (t tx) Rollback() error {
	t.conn.inTx, t.conn.kept = false, nil
	return t.tx.Rollback(t.ctx)
}

// rewriting runs other statements than the given ones.
type rewriting struct {
	*conn
	rewrite func(string) string
}

func (c rewriting) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	return c.conn.PrepareContext(ctx, c.rewrite(query))
}

func (c rewriting) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	return c.conn.ExecContext(ctx, c.rewrite(query), args)
}

func (c rewriting) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	return c.conn.QueryContext(ctx, c.rewrite(query), args)
}
