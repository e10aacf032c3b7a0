package stamp

import (
	"context"
	"time"

	"tcode/server/fault"
	"tcode/server/issue/placement"
	"tcode/server/tenant"
)

// An Owner is the Trust document that a stamp is made for. The stamp bears its
// expiry, changes with it and never alone.
type Owner struct {
	Document  string    // its reference, TRF-...
	ExpiresAt time.Time // signed into the payload, whole seconds; zero: none
	Replaces  string    // reference of the stamp that this one replaces, or ""

	// Insert commits the stamp, with its first event, together with the
	// document. Its errors are those of [Store.InsertStamp]; the stamp is then
	// drawn again, as there.
	Insert func(ctx context.Context, st Stamp, first Event) error
}

// CreateOwned stamps a PDF for a Trust document: as [Service.Create], but that
// o.Insert commits the stamp, and that the placement template may have been
// deleted since the document's template came to name it. r has neither fields
// nor external id: those are the document's.
func (s *Service) CreateOwned(ctx context.Context, id tenant.Identity, r Request, o Owner) (Stamp, error) {
	if err := s.validate(ctx, r); err != nil {
		return Stamp{}, err
	}
	w := work{Request: r, owner: &o, placement: r.Placement}
	if r.PlacementTemplateID != "" {
		var t placement.Template
		var err error
		if t, err = s.c.Placements.OfStamp(ctx, id.Tenant.Reference, r.PlacementTemplateID); err != nil {
			return Stamp{}, blame(err, "placementTemplateId")
		}
		w.PlacementTemplateID, w.placement = t.ID, &t.Spec
	}
	if err := s.checkLink(w.placement); err != nil {
		return Stamp{}, err
	}
	return s.make(ctx, id, w)
}

// Owned is the fault of changing a stamp without the document that owns it.
func Owned(document string) error {
	return fault.New(fault.Conflict, fault.CodeConflict, "this stamp belongs to the document %s: change that", document).
		WithReference(document)
}
