package stamp

import (
	"context"

	"tcode/server/tenant"
)

// Check returns the fault that [Service.Create] would return for r, as far as
// it can be determined without stamping: all faults but those of the PDF's contents
// and of the plan's quota.
func (s *Service) Check(ctx context.Context, id tenant.Identity, r Request) error {
	if err := s.validate(ctx, r); err != nil {
		return err
	}
	w, err := s.withTemplates(ctx, id.Tenant.Reference, r, nil)
	if err != nil {
		return err
	}
	return s.lookForDuplicate(ctx, id, w)
}
