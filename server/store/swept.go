package store

import (
	"context"
	"database/sql"
	"strings"
	"time"

	"tcode/server/privacy"
)

// Marks of what sweeps did, beside those of how far they have come: the time of the last
// sweep, and by kind the time and the size of its last removal.
const (
	markRan     = "ran"
	markRemoved = "removed."
	markAt      = "removed_at."
)

// NoteSweep stores that the sweep of a tenant ended, and what it removed. Kinds of which it
// removed nothing keep their last removal.
func (d *DB) NoteSweep(ctx context.Context, tenantRef string, at time.Time, removed map[privacy.Kind]int) error {
	err := d.write(ctx, tenantRef, func(tx *sql.Tx) error {
		for _, r := range privacy.Rules() {
			n := removed[r.Kind]
			if n == 0 {
				continue
			}
			if err := setSwept(ctx, tx, tenantRef, markRemoved+string(r.Kind), int64(n)); err != nil {
				return err
			}
			if err := setSwept(ctx, tx, tenantRef, markAt+string(r.Kind), ms(at)); err != nil {
				return err
			}
		}
		return setSwept(ctx, tx, tenantRef, markRan, ms(at))
	})
	return wrap(err, "note the sweep of %s", tenantRef)
}

// Swept returns what the sweeps of a tenant did.
func (d *DB) Swept(ctx context.Context, tenantRef string) (privacy.Swept, error) {
	type mark struct {
		kind string
		n    int64
	}
	marks, err := readAs(ctx, d, tenantRef, func(ctx context.Context, q queryer) ([]mark, error) {
		return all(ctx, q, func(r scanner) (m mark, err error) { return m, r.Scan(&m.kind, &m.n) },
			`SELECT kind, swept FROM retention_sweeps WHERE tenant = $1 ORDER BY kind`, tenantRef)
	})
	s := privacy.Swept{Last: map[privacy.Kind]privacy.Removal{}}
	for _, m := range marks {
		removed, isNumber := strings.CutPrefix(m.kind, markRemoved)
		at, isTime := strings.CutPrefix(m.kind, markAt)
		switch {
		case m.kind == markRan:
			s.At = fromMS(m.n)
		case isNumber:
			k := privacy.Kind(removed)
			s.Last[k] = privacy.Removal{At: s.Last[k].At, N: int(m.n)}
		case isTime:
			k := privacy.Kind(at)
			s.Last[k] = privacy.Removal{At: fromMS(m.n), N: s.Last[k].N}
		}
	}
	return s, wrap(err, "read the sweeps of %s", tenantRef)
}
