package trustdoc

import (
	"context"

	"tcode/server/tenant"
)

// Check returns the fault that [Service.Issue] would return for r, as far as
// it can be determined without issuing: all faults but those of the PDF's contents and
// of another document with the same values.
func (s *Service) Check(ctx context.Context, id tenant.Identity, r Issuance) error {
	if err := s.validate(r); err != nil {
		return err
	}
	t, err := s.Template(ctx, id.Tenant.Reference, r.TemplateID)
	if err != nil {
		return blame(err, "templateId")
	}
	r.Path = r.path()
	return s.fits(ctx, id, work{Issuance: r, template: t})
}
