package store

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

// where collects conditions and their arguments. The text of a condition is always a
// constant; values go through placeholders.
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

// insertion inserts rows with one statement, in one round trip.
type insertion struct {
	into string // table (columns)
	args []any
	rows []string
	end  string // ON CONFLICT ..., if any
	// anonymous writes ? for every value, which PostgreSQL does not know. SQLite finds a $1 by
	// a search through all names, for each of them: with 600 that is half of the cost of the
	// rows.
	anonymous bool
}

func (in *insertion) row(values ...any) {
	marks := make([]string, len(values))
	for i := range values {
		if marks[i] = "?"; !in.anonymous {
			marks[i] = "$" + strconv.Itoa(len(in.args)+i+1)
		}
	}
	in.args = append(in.args, values...)
	in.rows = append(in.rows, "("+strings.Join(marks, ", ")+")")
}

// text returns the statement.
func (in *insertion) text() string {
	return `INSERT INTO ` + in.into + ` VALUES ` + strings.Join(in.rows, ", ") + in.end
}

// exec inserts the rows, if there are any.
func (in *insertion) exec(ctx context.Context, q queryer) error {
	if len(in.rows) == 0 {
		return nil
	}
	_, err := q.ExecContext(ctx, in.text(), in.args...)
	return wrap(err, "insert into %s", in.into)
}

// returning is exec for a statement that ends with RETURNING and one text; it returns the
// texts.
func (in *insertion) returning(ctx context.Context, q queryer) (map[string]bool, error) {
	texts, err := all(ctx, q, func(r scanner) (text string, err error) {
		err = r.Scan(&text)
		return text, err
	}, in.text(), in.args...)
	out := make(map[string]bool, len(texts))
	for _, text := range texts {
		out[text] = true
	}
	return out, err
}
