package store

import (
	"context"
	"database/sql"

	"tcode/server/platform/metrics"
	"tcode/server/tenant"
)

// Pools returns the statistics of the connection pools, by name.
func (d *DB) Pools() map[string]sql.DBStats { return d.engine.Pools() }

// Pools returns the statistics of an SQLite file: its one writer and its readers.
func (l lite) Pools() map[string]sql.DBStats {
	return map[string]sql.DBStats{"write": l.Writer().Stats(), "read": l.Reader().Stats()}
}

// QuotaUse returns the use of quotas by tenants in a month, by kind.
func (d *DB) QuotaUse(ctx context.Context, m tenant.Month) ([]metrics.Quota, error) {
	qs, err := readAs(ctx, d, everyone, func(ctx context.Context, q queryer) ([]metrics.Quota, error) {
		return all(ctx, q, func(r scanner) (u metrics.Quota, err error) {
			return u, r.Scan(&u.Kind, &u.Tenants, &u.Near, &u.Full, &u.Used, &u.Highest)
		}, `
			SELECT kind, count(*), sum(CASE WHEN used * 5 >= per_month * 4 THEN 1 ELSE 0 END), sum(CASE WHEN used >= per_month THEN 1 ELSE 0 END),
				CAST(sum(used) AS BIGINT), max(CASE WHEN per_month = 0 THEN 1.0 ELSE CAST(used AS DOUBLE PRECISION) / per_month END)
			FROM (SELECT q.kind, q.per_month, coalesce((SELECT CAST(sum(u.used) AS BIGINT) FROM usage_months u
				WHERE u.tenant = q.tenant AND u.month = $1 AND u.kind = q.kind), 0) AS used FROM plan_quotas q) AS t
			GROUP BY kind ORDER BY kind`, int(m))
	})
	return qs, wrap(err, "read use of quotas")
}
