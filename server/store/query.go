package store

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"tcode/server/stamp"
)

// where gathers conditions and their arguments; the text of a condition is
// always our own, values go through placeholders.
type where struct {
	conditions []string
	args       []any
}

// and adds a condition in which each ? stands for the next of args.
func (w *where) and(condition string, args ...any) {
	for _, a := range args {
		w.args = append(w.args, a)
		condition = strings.Replace(condition, "?", fmt.Sprintf("$%d", len(w.args)), 1)
	}
	w.conditions = append(w.conditions, condition)
}

func (w *where) String() string { return strings.Join(w.conditions, " AND ") }

// count counts rows, up to stamp.MaxCount exactly.
func (d *DB) count(ctx context.Context, q queryer, from string, w *where) (n int, lowerBound bool, err error) {
	return d.countRows(ctx, q, fmt.Sprintf(`SELECT 1 FROM %s WHERE %s LIMIT %d`, from, w, stamp.MaxCount+1), w.args)
}

// countRows counts the rows of a query that ends after stamp.MaxCount and one
// more: then n is that bound, and a lower one.
func (d *DB) countRows(ctx context.Context, q queryer, rows string, args []any) (n int, lowerBound bool, err error) {
	query := `SELECT count(*) FROM (` + rows + `) AS t`
	key := fmt.Sprint(query, args)
	if d.full.has(key) {
		return stamp.MaxCount, true, nil
	}
	if err := q.QueryRowContext(ctx, query, args...).Scan(&n); err != nil {
		return 0, false, err
	}
	if n > stamp.MaxCount {
		d.full.add(key)
		return stamp.MaxCount, true, nil
	}
	return n, false, nil
}

// fullLists remembers which lists were found to be longer than is counted
// exactly. Rows are never taken away, so a list that was stays so; only one of
// stamps in a status may become shorter, and is counted again after fullLife.
type fullLists struct {
	mu    sync.Mutex // guards until
	until map[string]time.Time
}

const (
	fullLife = time.Minute
	fullMost = 10_000 // lists, of a few hundred bytes each
)

func (f *fullLists) has(key string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return time.Now().Before(f.until[key])
}

func (f *fullLists) add(key string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.until == nil || len(f.until) >= fullMost {
		f.until = make(map[string]time.Time)
	}
	f.until[key] = time.Now().Add(fullLife)
}

// insertion inserts rows with one statement, and so one round trip.
type insertion struct {
	into string // table (columns)
	args []any
	rows []string
	end  string // ON CONFLICT ..., if any
}

func (in *insertion) row(values ...any) {
	marks := make([]string, len(values))
	for i := range values {
		marks[i] = "$" + strconv.Itoa(len(in.args)+i+1)
	}
	in.args = append(in.args, values...)
	in.rows = append(in.rows, "("+strings.Join(marks, ", ")+")")
}

// exec inserts the rows, if there are any.
func (in *insertion) exec(ctx context.Context, q queryer) error {
	if len(in.rows) == 0 {
		return nil
	}
	_, err := q.ExecContext(ctx, `INSERT INTO `+in.into+` VALUES `+strings.Join(in.rows, ", ")+in.end, in.args...)
	return wrap(err, "insert into %s", in.into)
}

// returning is exec for a statement that ends with RETURNING one text: the
// texts it returned.
func (in *insertion) returning(ctx context.Context, q queryer) (map[string]bool, error) {
	texts, err := all(ctx, q, func(r scanner) (text string, err error) {
		err = r.Scan(&text)
		return text, err
	}, `INSERT INTO `+in.into+` VALUES `+strings.Join(in.rows, ", ")+in.end, in.args...)
	out := make(map[string]bool, len(texts))
	for _, text := range texts {
		out[text] = true
	}
	return out, err
}
