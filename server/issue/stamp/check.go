package stamp

import (
	"context"

	"tcode/server/tenant"
)

// Check returns the fault that [Service.Create] would return for r, as far as
// that can be told without stamping: all but what the PDF's inside and the
// plan's quota stand against.
func (s *Service) Check(ctx context.Context, id tenant.Identity, r Request) error {
	if err := s.validate(ctx, r); err != nil {
		return err
	}
	w, err := s.withTemplates(ctx, id.Tenant.Reference, r, nil)
	if err != nil {
		return err
	}
	return s.lookForExternalID(ctx, id, w)
}
