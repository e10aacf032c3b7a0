package store

import (
	"context"
	"fmt"
	"sync"
	"time"

	"tcode/server/issue/stamp"
)

// count counts rows, exactly up to stamp.MaxCount.
func (d *DB) count(ctx context.Context, q queryer, from string, w *where) (n int, lowerBound bool, err error) {
	return d.countRows(ctx, q, fmt.Sprintf(`SELECT 1 FROM %s WHERE %s LIMIT %d`, from, w, stamp.MaxCount+1), w.args, 0, nil)
}

// countRows counts the rows of a query that ends after stamp.MaxCount and one more: then n
// is that bound, and a lower bound. version, if not nil, reads a number in the same view
// that changes with each change of the rows; counts from least on are kept as long as it
// stays the same.
func (d *DB) countRows(ctx context.Context, q queryer, rows string, args []any, least int, version func() (int64, error)) (n int, lowerBound bool, err error) {
	query := `SELECT count(*) FROM (` + rows + `) AS t`
	key := fmt.Sprint(query, args)
	kept, ok := d.counts.get(key)
	if ok && kept.full {
		return stamp.MaxCount, true, nil
	}
	var now int64
	if ok && version != nil {
		if now, err = version(); err != nil {
			return 0, false, err
		}
		if now == kept.version {
			return kept.n, false, nil
		}
	}
	if err := q.QueryRowContext(ctx, query, args...).Scan(&n); err != nil {
		return 0, false, err
	}
	switch {
	case n > stamp.MaxCount:
		d.counts.put(key, keptCount{full: true})
		return stamp.MaxCount, true, nil
	case n >= least && version != nil:
		if !ok {
			if now, err = version(); err != nil {
				return 0, false, err
			}
		}
		d.counts.put(key, keptCount{n: n, version: now})
	}
	return n, false, nil
}

// usageVersion returns the number of operations that a tenant's plan has counted, in the
// transactions that made or changed its stamps and documents.
func usageVersion(ctx context.Context, q queryer, tenantRef string) func() (int64, error) {
	return func() (n int64, err error) {
		err = q.QueryRowContext(ctx, `SELECT CAST(coalesce(sum(used), 0) AS BIGINT) FROM usage_months WHERE tenant = $1`, tenantRef).Scan(&n)
		return n, wrap(err, "read usage")
	}
}

// keptCount is a kept result of a count.
type keptCount struct {
	full    bool // the list exceeds the exact limit
	n       int
	version int64
	until   time.Time
}

// counts remembers results of counts: that a list exceeds the exact limit, or its number
// of rows at a version. Rows are never removed, so a list that was too long stays so;
// only a list of stamps in a status may become shorter, and is counted again after
// keepFor.
type counts struct {
	mu   sync.Mutex // guards kept
	kept map[string]keptCount
}

const (
	keepFor  = time.Minute
	keepFrom = 500    // rows; counting fewer in an index costs no more than reading the version
	keepMost = 10_000 // lists, of a few hundred bytes each
)

func (c *counts) get(key string) (keptCount, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k, ok := c.kept[key]
	return k, ok && time.Now().Before(k.until)
}

func (c *counts) put(key string, k keptCount) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.kept == nil || len(c.kept) >= keepMost {
		c.kept = make(map[string]keptCount)
	}
	k.until = time.Now().Add(keepFor)
	c.kept[key] = k
}
