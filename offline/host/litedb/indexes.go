package litedb

import (
	"context"
	"fmt"
	"strings"
)

// CheckIndexes compares the number of entries of each index with the number of
// rows that should have one. SQLite's integrity_check looks for the entry of
// each row but, in version 3.53, accepts entries of partial indexes that belong
// to no row; a statement that uses such an entry changes a wrong row. A
// difference is an error that wraps [ErrDamaged].
func (d *DB) CheckIndexes(ctx context.Context) error {
	rows, err := d.Reader().QueryContext(ctx, `SELECT name, tbl_name, coalesce(sql, '') FROM sqlite_schema WHERE type = 'index'`)
	if err != nil {
		return err
	}
	defer rows.Close()
	var counts []string
	for rows.Next() {
		var name, table, text string
		if err := rows.Scan(&name, &table, &text); err != nil {
			return err
		}
		_, condition, partial := strings.Cut(text, " WHERE ")
		if !partial {
			condition = "1"
		}
		counts = append(counts, fmt.Sprintf(`SELECT '%s', (SELECT count(*) FROM "%s" INDEXED BY "%s" WHERE %s), (SELECT count(*) FROM "%s" NOT INDEXED WHERE %s)`,
			name, table, name, condition, table, condition))
	}
	if err := rows.Err(); err != nil || len(counts) == 0 {
		return err
	}
	rows, err = d.Reader().QueryContext(ctx, strings.Join(counts, " UNION ALL "))
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		var entries, want int64
		if err := rows.Scan(&name, &entries, &want); err != nil {
			return err
		}
		if entries != want {
			return fmt.Errorf("%w: index %s has %d entries of %d rows", ErrDamaged, name, entries, want)
		}
	}
	return rows.Err()
}
