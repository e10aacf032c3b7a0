package stamp

import (
	"cmp"
	"context"

	"tcode/offline/payload"
	"tcode/server/fault"
	"tcode/server/platform/spool"
	"tcode/server/tenant"
)

// A Replacement asks for the successor of a stamp. Members that are empty are
// taken over from it.
type Replacement struct {
	PDF                 *spool.Upload // needed, as in a [Request]
	Name                string
	DocumentTypeCode    string
	PlacementTemplateID string
	TdocTemplateID      string
	ExternalID          string
	Fields              []payload.Field // nil: taken over; empty: none
	Reason              string          // kept with the stamp that is replaced; may be ""

	Idempotency *tenant.IdempotencyRecord // as in a [Request]
	Answer      func(Stamp) (status int, body []byte, err error)
}

// Replace makes the successor of a stamp that is Active or Suspended and
// revokes the stamp, in one transaction. The successor is a test document if
// the stamp was one. Faults are those of [Service.Create], NotFound for the
// stamp, and INVALID_TRANSITION, also for the second of two concurrent calls.
func (s *Service) Replace(ctx context.Context, id tenant.Identity, stampID string, r Replacement) (Stamp, error) {
	w, err := s.replacement(ctx, id, stampID, r)
	if err != nil {
		return Stamp{}, err
	}
	return s.make(ctx, id, w)
}

// CheckReplacement is [Service.Check] for [Service.Replace].
func (s *Service) CheckReplacement(ctx context.Context, id tenant.Identity, stampID string, r Replacement) error {
	_, err := s.replacement(ctx, id, stampID, r)
	return err
}

func (s *Service) replacement(ctx context.Context, id tenant.Identity, stampID string, r Replacement) (work, error) {
	old, err := s.Reach(ctx, id, stampID)
	if err != nil {
		return work{}, err
	}
	if old.Document != "" {
		return work{}, Owned(old.Document)
	}
	// A look before the work; the transaction decides.
	if _, err := old.Status.Next(ActionReplace); err != nil {
		return work{}, err
	}
	var p fault.Fields
	p.Text("reason", r.Reason, false, MaxReason)
	if err := p.Err(); err != nil {
		return work{}, err
	}
	req := r.request(old)
	if err := s.validate(ctx, req); err != nil {
		return work{}, err
	}
	w, err := s.withTemplates(ctx, id.Tenant.Reference, req, &old)
	w.reason = r.Reason
	return w, err
}

// request returns r with the members that it takes over from old.
func (r Replacement) request(old Stamp) Request {
	req := Request{
		PDF:                 r.PDF,
		Name:                cmp.Or(r.Name, old.Name),
		DocumentTypeCode:    cmp.Or(r.DocumentTypeCode, old.DocumentType),
		PlacementTemplateID: cmp.Or(r.PlacementTemplateID, old.PlacementTemplateID),
		TdocTemplateID:      cmp.Or(r.TdocTemplateID, old.TdocTemplateID),
		ExternalID:          cmp.Or(r.ExternalID, old.ExternalID),
		Fields:              r.Fields,
		Idempotency:         r.Idempotency, Answer: r.Answer,
	}
	if r.Fields == nil {
		req.Fields = old.Values
	}
	if old.Test {
		req.ModeType = ModeTest
	}
	return req
}
