package tenant

import (
	"context"
	"time"

	"tcode/server/fault"
)

// Plan returns a tenant's plan with its quotas.
func (s *Service) Plan(ctx context.Context, reference string) (Plan, error) {
	t, err := s.Tenant(ctx, reference)
	if err != nil {
		return Plan{}, err
	}
	return s.store.Plan(ctx, t.Reference)
}

// ChangePlan stores a tenant's plan as change changes it, and returns it. An invalid plan
// is a VALIDATION_FAILED fault. The plan applies from the next request on; the counts of
// the month stay.
func (s *Service) ChangePlan(ctx context.Context, reference string, change func(*Plan)) (Plan, error) {
	t, err := s.Tenant(ctx, reference)
	if err != nil {
		return Plan{}, err
	}
	now := s.now().UTC()
	return s.store.ChangePlan(ctx, t.Reference, func(p *Plan) error {
		change(p)
		var f fault.Fields
		p.check(&f)
		return f.Err()
	}, now, NewEntry(ctx, t.Reference, ActionTenantPlan, t.Reference, now))
}

// Usage returns the counts of a month, of one tenant or of all if reference is
// empty; a zero month is the present one. Kinds without operations have no
// entry.
func (s *Service) Usage(ctx context.Context, reference string, m Month) ([]Usage, error) {
	if m == 0 {
		m = MonthOf(s.now())
	}
	if reference != "" {
		t, err := s.Tenant(ctx, reference)
		if err != nil {
			return nil, err
		}
		reference = t.Reference
	}
	return s.store.Usage(ctx, reference, m)
}

// Audit returns rows of the audit log, newest first.
func (s *Service) Audit(ctx context.Context, f AuditFilter) ([]Entry, error) {
	if f.Tenant != "" {
		t, err := s.Tenant(ctx, f.Tenant)
		if err != nil {
			return nil, err
		}
		f.Tenant = t.Reference
	}
	var p fault.Fields
	if f.Limit == 0 {
		f.Limit = 100
	}
	if f.Limit < 1 || f.Limit > 1000 {
		p.Add("limit", "must be 1 to 1000")
	}
	if !f.From.IsZero() && !f.To.IsZero() && !f.From.Before(f.To) {
		p.Add("from", "must be before to")
	}
	if err := p.Err(); err != nil {
		return nil, err
	}
	return s.store.Audit(ctx, f)
}

// Month returns the present UTC month.
func (s *Service) Month() Month { return MonthOf(s.now().In(time.UTC)) }
