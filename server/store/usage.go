package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"tcode/server/tenant"
)

// takeQuota counts n operations of a kind against a tenant's month, in the
// transaction that does them. Every store method that makes something a plan
// counts calls it, once, early: on PostgreSQL the month's row is then locked
// until the transaction ends, and that is what keeps two requests from both
// taking the last one. The caller must return the error as it is, so that the
// transaction, and with it the count, is rolled back.
//
// The faults are Forbidden: tenant_suspended, not_entitled or quota_exceeded.
func takeQuota(ctx context.Context, tx *sql.Tx, tenantRef string, kind tenant.Kind, n int64, now time.Time) error {
	var state tenant.State
	var words string
	err := tx.QueryRowContext(ctx, `SELECT state, entitlements FROM tenants WHERE reference = $1`, tenantRef).Scan(&state, &words)
	if err != nil {
		return notFound(err, "read plan", "no tenant %s", tenantRef)
	}
	if err := tenant.Admit(state, planOf(words, 0), kind); err != nil {
		return err
	}
	month := tenant.MonthOf(now)
	var used int64
	err = tx.QueryRowContext(ctx, `
		INSERT INTO usage_months (tenant, month, kind, used) VALUES ($1, $2, $3, $4)
		ON CONFLICT (tenant, month, kind) DO UPDATE SET used = usage_months.used + excluded.used
		RETURNING used`, tenantRef, int(month), string(kind), n).Scan(&used)
	if err != nil {
		return fmt.Errorf("count usage: %w", err)
	}
	var quota int64
	err = tx.QueryRowContext(ctx, `SELECT per_month FROM plan_quotas WHERE tenant = $1 AND kind = $2`, tenantRef, string(kind)).Scan(&quota)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil
	case err != nil:
		return fmt.Errorf("read quota: %w", err)
	case used > quota:
		return tenant.QuotaExceeded(kind, quota, month)
	}
	return nil
}

// planOf reads the plan's columns of a tenant's row; quotas stay out.
func planOf(words string, requestsPerMinute int) tenant.Plan {
	p := tenant.Plan{All: words == "*", RequestsPerMinute: requestsPerMinute}
	if !p.All {
		for _, w := range strings.Fields(words) {
			p.Entitled = append(p.Entitled, tenant.Entitlement(w))
		}
	}
	return p
}

// entitlementWords writes a plan's entitlements for their column.
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
