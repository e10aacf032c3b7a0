package account

import (
	"context"

	"tcode/server/fault"
	"tcode/server/tenant"
)

// Author returns for whom work is done that was ordered before: the API key or the user that
// [tenant.Identity.Author] named then, as it is now. It is asked at the start of the work and
// before each of its steps. It returns [tenant.ErrAuthor] if the key or the user may issue
// nothing now, and a Forbidden fault if the tenant is suspended.
func (s *Service) Author(ctx context.Context, tenantRef, author string) (tenant.Identity, error) {
	id := tenant.Identity{}.WithAuthor(author)
	if id.User == "" {
		return s.c.Tenants.KeyAuthor(ctx, tenantRef, id.KeyPrefix)
	}
	u, err := s.c.Store.User(ctx, tenantRef, id.User)
	if fault.Is(err, fault.NotFound) || err == nil && !u.MayIssue() {
		err = tenant.ErrAuthor
	}
	if err != nil {
		return tenant.Identity{}, err
	}
	if id.Tenant, err = s.c.Tenants.Tenant(ctx, tenantRef); err != nil {
		return tenant.Identity{}, err
	}
	return id, tenant.AdmitTo(id.Tenant.State, tenant.Plan{}, "")
}
