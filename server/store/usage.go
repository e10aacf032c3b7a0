package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"tcode/server/tenant"
)

// takeQuota counts n operations of a kind against a tenant's month, in the transaction
// that does them. Every store method that makes something that a plan counts calls it,
// once, early. The caller must return the error unchanged, so that the transaction, and
// with it the count, is rolled back.
//
// The faults are Forbidden: tenant_suspended, not_entitled or quota_exceeded.
func (d *DB) takeQuota(ctx context.Context, tx *sql.Tx, tenantRef string, kind tenant.Kind, n int64, now time.Time) error {
	return d.takeQuotaFor(ctx, tx, tenantRef, kind, kind.Needs(), n, now)
}

// takeQuotaFor is takeQuota for an operation that needs another entitlement than others of
// its kind.
func (d *DB) takeQuotaFor(ctx context.Context, tx *sql.Tx, tenantRef string, kind tenant.Kind, opens tenant.Entitlement, n int64, now time.Time) error {
	var state tenant.State
	var words string
	var quota sql.NullInt64
	err := tx.QueryRowContext(ctx, `SELECT state, entitlements, (SELECT per_month FROM plan_quotas q WHERE q.tenant = t.reference AND q.kind = $2)
		FROM tenants t WHERE reference = $1`, tenantRef, string(kind.Planned())).Scan(&state, &words, &quota)
	if err != nil {
		return notFound(err, "read plan", "no tenant %s", tenantRef)
	}
	if err := tenant.AdmitTo(state, planOf(words, 0), opens); err != nil {
		return err
	}
	add := tenant.Usage{Tenant: tenantRef, Month: tenant.MonthOf(now), Kind: kind, Used: n}
	if quota.Valid {
		if err := d.fits(ctx, tx, add, quota.Int64); err != nil {
			return err
		}
	}
	if !kind.ByDay() {
		return d.addUsage(ctx, tx, add)
	}
	return d.addWithDay(ctx, tx, add, tenant.DayOf(now))
}

// atOnce is more operations than can be in transactions that have not ended: each has a
// connection, and a server has some hundreds.
const atOnce = 10_000

// fits returns the fault quota_exceeded if add is more than a quota still has. On
// PostgreSQL concurrent transactions do not see each other's counts. Far from the end of
// the quota that does no harm. Near it, at twice [atOnce], they wait for each other, so
// that two of them never both take the last operation.
func (d *DB) fits(ctx context.Context, tx *sql.Tx, add tenant.Usage, quota int64) error {
	used, err := usedIn(ctx, tx, add.Tenant, add.Month, add.Kind)
	if err != nil {
		return err
	}
	if !d.isLite() && used+add.Used <= quota && used+add.Used+2*atOnce > quota {
		if err := d.lockValues(ctx, tx, fmt.Sprintf("quota %s %d %s", add.Tenant, add.Month, add.Kind)); err != nil {
			return err
		}
		if used, err = usedIn(ctx, tx, add.Tenant, add.Month, add.Kind); err != nil {
			return err
		}
	}
	if used+add.Used > quota {
		return tenant.QuotaExceeded(add.Kind, quota, add.Month)
	}
	return nil
}

// usedIn returns the count of a month.
func usedIn(ctx context.Context, q queryer, tenantRef string, m tenant.Month, kind tenant.Kind) (used int64, err error) {
	err = q.QueryRowContext(ctx, `SELECT CAST(coalesce(sum(used), 0) AS BIGINT) FROM usage_months WHERE tenant = $1 AND month = $2 AND kind = $3`,
		tenantRef, int(m), string(kind)).Scan(&used)
	return used, wrap(err, "read usage")
}

// freePart is a part of a count, with the tenant $1, the month $2 and the kind $3, that no other transaction holds: so writers of
// one tenant do not wait for each other's commits.
const freePart = `tenant = $1 AND month = $2 AND kind = $3 AND part = (
	SELECT part FROM usage_months WHERE tenant = $1 AND month = $2 AND kind = $3 ORDER BY part LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED)`

// addUsage adds to a count. On PostgreSQL it takes a free part if there is one.
func (d *DB) addUsage(ctx context.Context, tx *sql.Tx, add tenant.Usage) error {
	if !d.isLite() {
		added, err := count(tx.ExecContext(ctx, `UPDATE usage_months SET used = used + $4 WHERE `+freePart,
			add.Tenant, int(add.Month), string(add.Kind), add.Used))
		if added > 0 || err != nil {
			return wrap(err, "count usage")
		}
	}
	return addMonth(ctx, tx, add, d.anyPart(usageParts))
}

// addWithDay is addUsage for a count that has days: it adds to the day too, to the part with the same number.
func (d *DB) addWithDay(ctx context.Context, tx *sql.Tx, add tenant.Usage, day tenant.Day) error {
	if !d.isLite() {
		added, err := count(tx.ExecContext(ctx, `
			WITH free AS (UPDATE usage_months SET used = used + $4 WHERE `+freePart+` RETURNING part)
			INSERT INTO usage_days (tenant, day, kind, part, used) SELECT $1, CAST($5 AS INTEGER), $3, part, $4 FROM free`+addToDay,
			add.Tenant, int(add.Month), string(add.Kind), add.Used, int(day)))
		if added > 0 || err != nil {
			return wrap(err, "count usage")
		}
	}
	part := d.anyPart(usageParts)
	if err := addMonth(ctx, tx, add, part); err != nil {
		return err
	}
	return addDay(ctx, tx, tenant.DayCount{Tenant: add.Tenant, Day: day, Kind: add.Kind, Used: add.Used}, part)
}

// addMonth adds to one part of a count.
func addMonth(ctx context.Context, tx *sql.Tx, add tenant.Usage, part int) error {
	_, err := tx.ExecContext(ctx, `
		INSERT INTO usage_months (tenant, month, kind, part, used) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (tenant, month, kind, part) DO UPDATE SET used = usage_months.used + excluded.used`,
		add.Tenant, int(add.Month), string(add.Kind), part, add.Used)
	return wrap(err, "count usage")
}

// usageParts is the number of parts that a count may have. It has about as many as writers
// at a time. A count of many operations goes to one of the first tallyParts.
const (
	usageParts = 256
	tallyParts = 4
)

// anyPart returns one of the first n parts of counts at random: 0 on SQLite, which has one
// writer.
func (d *DB) anyPart(n int) int {
	if d.isLite() {
		return 0
	}
	return rand.IntN(n)
}

// AddUsage adds to counts, of any tenants.
func (d *DB) AddUsage(ctx context.Context, add []tenant.Usage) (totals []int64, err error) {
	// This is in order, so that two gateways never wait for each other in a deadlock.
	order := make([]int, len(add))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(add[a].Tenant, add[b].Tenant), cmp.Compare(add[a].Kind, add[b].Kind))
	})
	totals = make([]int64, len(add))
	err = d.write(ctx, everyone, func(tx *sql.Tx) error {
		for _, i := range order {
			if err := d.addUsage(ctx, tx, add[i]); err != nil {
				return err
			}
			if totals[i], err = usedIn(ctx, tx, add[i].Tenant, add[i].Month, add[i].Kind); err != nil {
				return err
			}
		}
		return nil
	})
	return totals, wrap(err, "add usage")
}

// Admit is the check before the work: it returns the fault that takeQuota would return
// now. It counts nothing, and a later takeQuota may still fail.
func (d *DB) Admit(ctx context.Context, tenantRef string, kind tenant.Kind, n int64, now time.Time) error {
	p, err := d.Plan(ctx, tenantRef)
	if err != nil {
		return err
	}
	t, err := d.Tenant(ctx, tenantRef)
	if err != nil {
		return err
	}
	if err := tenant.Admit(t.State, p, kind); err != nil {
		return err
	}
	quota, limited := p.Quotas[kind.Planned()]
	if !limited {
		return nil
	}
	month := tenant.MonthOf(now)
	used, err := readAs(ctx, d, tenantRef, func(ctx context.Context, q queryer) (int64, error) {
		return usedIn(ctx, q, tenantRef, month, kind)
	})
	if err != nil {
		return err
	}
	if used+n > quota {
		return tenant.QuotaExceeded(kind, quota, month)
	}
	return nil
}

// planOf reads the plan's columns of a tenant's row, without quotas.
func planOf(words string, requestsPerMinute int) tenant.Plan {
	p := tenant.Plan{All: words == "*", RequestsPerMinute: requestsPerMinute}
	if !p.All {
		for _, w := range strings.Fields(words) {
			p.Entitled = append(p.Entitled, tenant.Entitlement(w))
		}
	}
	return p
}

// entitlementWords returns a plan's entitlements in the form of their column.
func entitlementWords(p tenant.Plan) string {
	if p.All {
		return "*"
	}
	words := make([]string, len(p.Entitled))
	for i, e := range p.Entitled {
		words[i] = string(e)
	}
	return strings.Join(words, " ")
}

// Plan returns a tenant's plan with its quotas.
func (d *DB) Plan(ctx context.Context, reference string) (tenant.Plan, error) {
	return readAs(ctx, d, reference, func(ctx context.Context, q queryer) (tenant.Plan, error) {
		return plan(ctx, q, reference)
	})
}

func plan(ctx context.Context, q queryer, reference string) (tenant.Plan, error) {
	t, err := tenantOf(ctx, q, reference)
	if err != nil {
		return tenant.Plan{}, err
	}
	quotas, err := all(ctx, q, func(r scanner) (u tenant.Usage, err error) {
		return u, r.Scan(&u.Kind, &u.Used)
	}, `SELECT kind, per_month FROM plan_quotas WHERE tenant = $1`, reference)
	for _, quota := range quotas {
		if t.Plan.Quotas == nil {
			t.Plan.Quotas = make(map[tenant.Kind]int64)
		}
		t.Plan.Quotas[quota.Kind] = quota.Used
	}
	return t.Plan, wrap(err, "read quotas of %s", reference)
}

// ChangePlan stores a tenant's plan as change changes it.
func (d *DB) ChangePlan(ctx context.Context, reference string, change func(*tenant.Plan) error, now time.Time, audit *tenant.Entry) (next tenant.Plan, err error) {
	err = d.write(ctx, reference, func(tx *sql.Tx) error {
		if err := d.lockTenant(ctx, tx, reference); err != nil {
			return err
		}
		was, err := plan(ctx, tx, reference)
		if err != nil {
			return err
		}
		next = was
		next.Entitled, next.Quotas = slices.Clone(was.Entitled), maps.Clone(was.Quotas)
		if next.Quotas == nil {
			next.Quotas = make(map[tenant.Kind]int64)
		}
		if err := change(&next); err != nil {
			return err
		}
		if entitlementWords(was) == entitlementWords(next) && was.RequestsPerMinute == next.RequestsPerMinute && maps.Equal(was.Quotas, next.Quotas) {
			return nil
		}
		_, err = tx.ExecContext(ctx, `UPDATE tenants SET entitlements = $1, requests_per_minute = $2, updated_at = $3 WHERE reference = $4`,
			entitlementWords(next), next.RequestsPerMinute, ms(now), reference)
		if err != nil {
			return err
		}
		if err := putQuotas(ctx, tx, reference, next.Quotas); err != nil {
			return err
		}
		return insertAudit(ctx, tx, planDetail(audit, next))
	})
	return next, wrap(err, "change plan of %s", reference)
}

func putQuotas(ctx context.Context, tx *sql.Tx, reference string, quotas map[tenant.Kind]int64) error {
	if _, err := tx.ExecContext(ctx, `DELETE FROM plan_quotas WHERE tenant = $1`, reference); err != nil {
		return fmt.Errorf("clear quotas: %w", err)
	}
	for _, kind := range slices.Sorted(maps.Keys(quotas)) {
		_, err := tx.ExecContext(ctx, `INSERT INTO plan_quotas (tenant, kind, per_month) VALUES ($1, $2, $3)`,
			reference, string(kind), quotas[kind])
		if err != nil {
			return fmt.Errorf("put quota: %w", err)
		}
	}
	return nil
}

// planDetail adds the new plan to an audit entry.
func planDetail(audit *tenant.Entry, p tenant.Plan) *tenant.Entry {
	if audit == nil {
		return nil
	}
	audit.With("entitlements", entitlementWords(p))
	if p.RequestsPerMinute > 0 {
		audit.With("requestsPerMinute", strconv.Itoa(p.RequestsPerMinute))
	}
	for kind, n := range p.Quotas {
		audit.With(string(kind)+"PerMonth", strconv.FormatInt(n, 10))
	}
	return audit
}

// Usage returns the counts of a month.
func (d *DB) Usage(ctx context.Context, reference string, m tenant.Month) ([]tenant.Usage, error) {
	of, args := `month = $1`, []any{int(m)}
	if reference != "" {
		of, args = `tenant = $2 AND month = $1`, append(args, reference)
	}
	scope := reference
	if scope == "" {
		scope = everyone
	}
	us, err := readAs(ctx, d, scope, func(ctx context.Context, q queryer) ([]tenant.Usage, error) {
		return all(ctx, q, func(r scanner) (u tenant.Usage, err error) {
			err = r.Scan(&u.Tenant, &u.Month, &u.Kind, &u.Used)
			return u, err
		}, `SELECT tenant, month, kind, CAST(sum(used) AS BIGINT) FROM usage_months WHERE `+of+` GROUP BY tenant, month, kind ORDER BY tenant, kind`, args...)
	})
	return us, wrap(err, "read usage")
}
