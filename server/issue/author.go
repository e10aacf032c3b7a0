package issue

import (
	"context"

	"tcode/server/tenant"
)

// An Author returns for whom the work of an author is done, who is that of
// [tenant.Identity.Author] when the work was ordered, with the tenant as it is now. The fault is
// Forbidden, with the sentence that ends the work, if the author may not issue any more or the
// tenant is suspended.
type Author func(ctx context.Context, tenantRef, author string) (tenant.Identity, error)
