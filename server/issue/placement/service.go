package placement

import (
	"cmp"
	"context"
	"time"

	"tcode/server/fault"
	"tcode/server/issue"
	"tcode/server/tenant"
)

// Store keeps the records of this package. Package store implements it. Every method
// that changes a record writes the audit row in the same transaction.
type Store interface {
	// InsertPlacement stores a new template, counts it against the tenant's
	// quota and keeps once, in one transaction.
	InsertPlacement(ctx context.Context, t Template, once *tenant.IdempotencyRecord, audit *tenant.Entry) error
	// Placement returns a NotFound fault if tenant has no such template. One
	// that was deleted comes with Hidden set.
	Placement(ctx context.Context, tenantRef, id string) (Template, error)
	// Placements returns the templates that are not hidden, newest first.
	Placements(ctx context.Context, tenantRef string) ([]Template, error)
	// ChangePlacement runs change on a template that is not hidden. If change
	// reports true, ChangePlacement stores the result in the same transaction,
	// which lets no other change come between. It returns a NotFound fault if
	// there is no such template.
	ChangePlacement(ctx context.Context, tenantRef, id string, audit *tenant.Entry, change func(*Template) (changed bool, err error)) error
}

// Service is the domain of placement templates. It is safe for concurrent use.
type Service struct {
	store     Store
	templates issue.Templates[Template]
}

// New returns the service. now may be nil for [time.Now].
func New(store Store, now func() time.Time) *Service {
	if now == nil {
		now = time.Now
	}
	return &Service{store, issue.Templates[Template]{
		Noun: "placement", Missing: NoTemplate, Head: func(t *Template) *issue.Template { return &t.Template },
		Now:    func() time.Time { return now().UTC().Truncate(time.Millisecond) },
		Insert: store.InsertPlacement, Load: store.Placement, Store: store.ChangePlacement,
	}}
}

// An Answer fills in the answer to a repeat of the request.
type Answer func(Template) (status int, body []byte, err error)

// Create makes a template. once may be nil; otherwise the answer is kept under
// it in the template's own transaction. Faults: VALIDATION_FAILED, FORBIDDEN.
func (s *Service) Create(ctx context.Context, id tenant.Identity, spec Spec, once *tenant.IdempotencyRecord, answer Answer) (Template, error) {
	if err := spec.Check(); err != nil {
		return Template{}, err
	}
	return s.templates.Make(ctx, id, Template{Spec: spec}, "", once, answer)
}

// Get returns a template. Another tenant's id, an unknown one and that of a
// deleted template are the same NotFound fault.
func (s *Service) Get(ctx context.Context, tenantRef, id string) (Template, error) {
	return s.templates.Get(ctx, tenantRef, id)
}

// OfStamp is [Service.Get] for a stamp that names the template already: it
// finds those too that were deleted since.
func (s *Service) OfStamp(ctx context.Context, tenantRef, id string) (Template, error) {
	return s.templates.Named(ctx, tenantRef, id)
}

// List returns the tenant's templates, newest first.
func (s *Service) List(ctx context.Context, tenantRef string) ([]Template, error) {
	return s.store.Placements(ctx, tenantRef)
}

// Update replaces all that a template says. versions, if not nil, are the ones
// that the change may rest on; any other is a PRECONDITION_FAILED fault. Stamps
// that exist stay as they are.
func (s *Service) Update(ctx context.Context, id tenant.Identity, templateID string, versions []int64, spec Spec) (Template, error) {
	if err := spec.Check(); err != nil {
		return Template{}, err
	}
	if err := id.Tenant.Plan.Require(tenant.EntitledTemplates); err != nil {
		return Template{}, err
	}
	return s.templates.Change(ctx, id, "update", templateID, versions, func(t *Template, _ time.Time) (bool, error) {
		t.Spec = spec
		return true, nil
	})
}

// Delete hides a template permanently. versions are as in [Service.Update].
func (s *Service) Delete(ctx context.Context, id tenant.Identity, templateID string, versions []int64) error {
	return s.templates.Delete(ctx, id, templateID, versions)
}

// Duplicate makes a copy of a template under a name, "" for one that says so.
func (s *Service) Duplicate(ctx context.Context, id tenant.Identity, templateID, name string, once *tenant.IdempotencyRecord, answer Answer) (Template, error) {
	t, err := s.Get(ctx, id.Tenant.Reference, templateID)
	if err != nil {
		return Template{}, err
	}
	t.Name = cmp.Or(name, issue.CopyName(t.Name, MaxName))
	if err := t.Check(); err != nil {
		return Template{}, err
	}
	return s.templates.Make(ctx, id, t, t.ID, once, answer)
}

// NoTemplate is the fault for a template that is not this tenant's.
func NoTemplate() error {
	return fault.New(fault.NotFound, fault.CodeNotFound, "placement template not found")
}
