package store

import (
	"context"

	"tcode/server/stamp"
)

// OpenRewriting opens a PostgreSQL database; each statement goes through
// rewrite first.
func OpenRewriting(ctx context.Context, url string, rewrite func(string) string) (*DB, error) {
	return Open(ctx, Config{DatabaseURL: url, rewrite: rewrite})
}

// A Statement is a query with its arguments.
type Statement struct {
	SQL  string
	Args []any
}

// ListStatements returns what lists a tenant's stamps: the query that counts and
// the one of the page.
func (d *DB) ListStatements(ctx context.Context, tenantRef string, f stamp.Filter) (counts, page Statement, err error) {
	err = d.read(ctx, tenantRef, func(q queryer) error {
		l, err := planList(ctx, q, stampsListed, tenantRef, stampFilter(f))
		if err != nil {
			return err
		}
		counts.SQL, counts.Args = l.counting(stamp.MaxCount + 1)
		page.SQL, page.Args = l.page(summaryColumns)
		return nil
	})
	return counts, page, err
}
