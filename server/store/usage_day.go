package store

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"time"

	"tcode/server/tenant"
)

// addDay adds to a part of the count of a day.
func addDay(ctx context.Context, tx *sql.Tx, add tenant.DayCount, part int) error {
	_, err := tx.ExecContext(ctx, `
		INSERT INTO usage_days (tenant, day, kind, part, used) VALUES ($1, $2, $3, $4, $5)`+addToDay,
		add.Tenant, int(add.Day), string(add.Kind), part, add.Used)
	return wrap(err, "count day")
}

// addToDay ends an insertion into usage_days.
const addToDay = `
	ON CONFLICT (tenant, day, kind, part) DO UPDATE SET used = usage_days.used + excluded.used`

// dayTally collects counts of days, of any tenants.
type dayTally map[tenant.DayCount]int64

// count adds one operation; one of no tenant is not counted.
func (t dayTally) count(tenantRef string, kind tenant.Kind, at time.Time) {
	if tenantRef != "" {
		t[tenant.DayCount{Tenant: tenantRef, Day: tenant.DayOf(at), Kind: kind}]++
	}
}

// write adds to one part of the counts, in order, so that two transactions never wait for
// each other in a deadlock.
func (t dayTally) write(ctx context.Context, tx *sql.Tx, part int) error {
	var adds []tenant.DayCount
	for c, n := range t {
		c.Used = n
		adds = append(adds, c)
	}
	slices.SortFunc(adds, func(a, b tenant.DayCount) int {
		return cmp.Or(cmp.Compare(a.Tenant, b.Tenant), cmp.Compare(a.Day, b.Day), cmp.Compare(a.Kind, b.Kind))
	})
	for _, c := range adds {
		if err := addDay(ctx, tx, c, part); err != nil {
			return err
		}
	}
	return nil
}

// UsageDays returns the counts of a tenant's days.
func (d *DB) UsageDays(ctx context.Context, tenantRef string, first, last tenant.Day) ([]tenant.DayCount, error) {
	cs, err := readAs(ctx, d, tenantRef, func(ctx context.Context, q queryer) ([]tenant.DayCount, error) {
		return all(ctx, q, func(r scanner) (c tenant.DayCount, err error) {
			err = r.Scan(&c.Tenant, &c.Day, &c.Kind, &c.Used)
			return c, err
		}, `SELECT tenant, day, kind, CAST(sum(used) AS BIGINT) FROM usage_days
			WHERE tenant = $1 AND day >= $2 AND day <= $3 GROUP BY tenant, day, kind ORDER BY day, kind`, tenantRef, int(first), int(last))
	})
	return cs, wrap(err, "read days")
}
