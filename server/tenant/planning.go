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
	f, err := s.checkAudit(ctx, f)
	if err != nil {
		return nil, err
	}
	return s.store.Audit(ctx, f)
}

// AuditPage returns one page of a tenant's audit log, newest first; page counts from 1.
// f.Before and f.Limit are not used.
func (s *Service) AuditPage(ctx context.Context, f AuditFilter, page, size int) (AuditPage, error) {
	f.Before, f.Limit = 0, 0
	f, err := s.checkAudit(ctx, f)
	if err != nil {
		return AuditPage{}, err
	}
	return s.store.AuditPage(ctx, f, page, size)
}

// EachAudit calls do with every row that f selects, newest first, until it returns an
// error. f.Before and f.Limit are not used.
func (s *Service) EachAudit(ctx context.Context, f AuditFilter, do func(Entry) error) error {
	for f.Before, f.Limit = 0, 1000; ; {
		rows, err := s.Audit(ctx, f)
		if err != nil {
			return err
		}
		for _, e := range rows {
			if err := do(e); err != nil {
				return err
			}
			f.Before = e.ID
		}
		if len(rows) < f.Limit {
			return nil
		}
	}
}

// checkAudit returns a filter with its defaults, or the fault of a bad one.
func (s *Service) checkAudit(ctx context.Context, f AuditFilter) (AuditFilter, error) {
	if f.Tenant != "" {
		t, err := s.Tenant(ctx, f.Tenant)
		if err != nil {
			return f, err
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
	if problem := ActionProblem(f.Action); problem.Key != "" {
		p.Add("action", "%s", problem)
	}
	return f, p.Err()
}

// Month returns the present UTC month.
func (s *Service) Month() Month { return MonthOf(s.now().In(time.UTC)) }
