package litedb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"strings"
)

// keptStatements is the number of prepared statements that a connection keeps:
// more than any program here has queries. Each takes about 5 KB.
const keptStatements = 128

// A connector opens connections that keep their prepared statements. SQLite
// takes about as long to prepare a statement as to run one that reads or
// changes a row, and the same queries recur.
type connector struct {
	name   string
	driver driver.Driver
}

// openDB is sql.Open with connections that keep their statements.
func openDB(name string) (*sql.DB, error) {
	plain, err := sql.Open("sqlite", name)
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(connector{name, plain.Driver()}), plain.Close()
}

// Driver implements [driver.Connector].
func (c connector) Driver() driver.Driver { return c.driver }

// Connect implements [driver.Connector].
func (c connector) Connect(context.Context) (driver.Conn, error) {
	opened, err := c.driver.Open(c.name)
	if err != nil {
		return nil, err
	}
	d, ok := opened.(driverConn)
	if !ok {
		_ = opened.Close()
		return nil, fmt.Errorf("%w: the driver's connection is %T", ErrSetting, opened)
	}
	return &conn{driverConn: d, kept: map[string]*keptStatement{}}, nil
}

// A driverConn is a connection of the driver.
type driverConn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.QueryerContext
	driver.Pinger
	driver.SessionResetter
	driver.Validator
	Deserialize([]byte) error
}

// A driverStatement is a statement of the driver.
type driverStatement interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

// A conn is a connection of the driver that keeps statements. Only one
// goroutine uses it at a time.
type conn struct {
	driverConn
	kept map[string]*keptStatement
	uses uint64 // of kept statements
}

// A keptStatement is a prepared statement.
type keptStatement struct {
	driverStatement
	busy bool   // its rows are open
	used uint64 // value of conn.uses at its last use
}

// ExecContext runs query as the driver does.
func (c *conn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	s, err := c.statement(ctx, query)
	if err != nil {
		return nil, err
	}
	if s == nil {
		return c.driverConn.ExecContext(ctx, query, args)
	}
	return s.ExecContext(ctx, args)
}

// QueryContext runs query as the driver does.
func (c *conn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	s, err := c.statement(ctx, query)
	if err != nil {
		return nil, err
	}
	if s == nil {
		return c.driverConn.QueryContext(ctx, query, args)
	}
	rows, err := s.QueryContext(ctx, args)
	if err != nil {
		return nil, err
	}
	s.busy = true
	return &keptRows{Rows: rows, of: s}, nil
}

// Close finalizes the statements, or SQLite would keep the file open.
func (c *conn) Close() error {
	for query, s := range c.kept {
		_ = s.driverStatement.Close()
		delete(c.kept, query)
	}
	return c.driverConn.Close()
}

// statement returns the statement of query, or nil if it must not be kept:
// because its rows are open, or because it neither reads nor changes rows.
func (c *conn) statement(ctx context.Context, query string) (*keptStatement, error) {
	s := c.kept[query]
	if s == nil {
		if !keepable(query) {
			return nil, nil
		}
		made, err := c.PrepareContext(ctx, query)
		if err != nil {
			return nil, err
		}
		d, ok := made.(driverStatement)
		if !ok {
			return nil, made.Close()
		}
		if err := c.makeRoom(); err != nil {
			_ = d.Close()
			return nil, err
		}
		s = &keptStatement{driverStatement: d}
		c.kept[query] = s
	}
	if s.busy {
		return nil, nil
	}
	c.uses++
	s.used = c.uses
	return s, nil
}

// makeRoom finalizes the least recently used statement if there are
// [keptStatements].
func (c *conn) makeRoom() error {
	if len(c.kept) < keptStatements {
		return nil
	}
	oldest := ""
	for query, s := range c.kept {
		if !s.busy && (oldest == "" || s.used < c.kept[oldest].used) {
			oldest = query
		}
	}
	s := c.kept[oldest]
	if s == nil { // all have open rows
		return nil
	}
	delete(c.kept, oldest)
	return s.driverStatement.Close()
}

// keepable reports whether query is a single statement that reads or changes
// rows. Other statements, such as those of migrations, run once.
func keepable(query string) bool {
	const space = " \t\r\n"
	word := strings.TrimLeft(query, space)
	for strings.HasPrefix(word, "--") { // generated queries begin with their names
		_, word, _ = strings.Cut(word, "\n")
		word = strings.TrimLeft(word, space)
	}
	end := strings.IndexAny(word, space)
	if end < 0 || strings.Contains(query, ";") {
		return false
	}
	switch strings.ToUpper(word[:end]) {
	case "SELECT", "INSERT", "UPDATE", "DELETE", "WITH", "REPLACE":
		return true
	}
	return false
}

// A keptRows returns its statement when it is closed.
type keptRows struct {
	driver.Rows
	of *keptStatement
}

// Close resets the statement.
func (r *keptRows) Close() error {
	r.of.busy = false
	return r.Rows.Close()
}
