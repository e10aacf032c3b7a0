package pgdb

import (
	"context"
	"database/sql/driver"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

type laterKey struct{}

// Later returns a context for statements of a transaction whose results their caller does not need. They are sent with the
// statement or the commit that follows, in one round trip:
//
//	Exec(Later) ─▶ kept    Exec(Later) ─▶ kept    Exec, Query or Commit ─▶ all are sent, in order
//
// Such a statement reports no error and no number of rows. Its error is that of the call that sends it, and the transaction
// changes nothing.
func Later(ctx context.Context) context.Context { return context.WithValue(ctx, laterKey{}, true) }

// A statement waits to be sent.
type statement struct {
	query string
	args  []any
}

// keep keeps a statement for the next round trip, if ctx is one of [Later] and the statement is part of a transaction.
func (c *conn) keep(ctx context.Context, query string, args []driver.NamedValue) bool {
	if later, _ := ctx.Value(laterKey{}).(bool); !later || !c.inTx {
		return false
	}
	c.kept = append(c.kept, statement{query, plain(args)})
	return true
}

// plain returns the values of arguments.
func plain(args []driver.NamedValue) []any {
	values := make([]any, len(args))
	for i, a := range args {
		values[i] = a.Value
	}
	return values
}

// send sends the kept statements and last, if it is not empty, in one round trip. It returns the tag of last.
func (c *conn) send(ctx context.Context, last string, args []any) (tag string, rows int64, err error) {
	all := c.kept
	c.kept = nil
	if last != "" {
		all = append(all, statement{last, args})
	}
	if len(all) == 0 {
		return "", 0, nil
	}
	batch := &pgx.Batch{}
	for _, s := range all {
		batch.Queue(s.query, s.args...)
	}
	results := c.Conn.Conn().SendBatch(ctx, batch)
	for i, s := range all {
		done, err := results.Exec()
		if err != nil {
			if i < len(all)-1 || last == "" {
				err = fmt.Errorf("%s: %w", firstLine(s.query), err)
			}
			_ = results.Close() // with the same error
			return "", 0, c.lost(err)
		}
		tag, rows = done.String(), done.RowsAffected()
	}
	return tag, rows, c.lost(results.Close())
}

// firstLine names a statement in an error: it is without values.
func firstLine(query string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(query), "\n")
	line, _, _ = strings.Cut(line, " (")
	return line
}
