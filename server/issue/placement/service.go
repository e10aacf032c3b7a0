package placement

import (
	"context"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"tcode/server/fault"
	"tcode/server/tenant"
)

// The actions in the audit log.
const (
	auditCreate    = "placement.create"
	auditUpdate    = "placement.update"
	auditDelete    = "placement.delete"
	auditDuplicate = "placement.duplicate"
)

// Store is what this package needs kept. Package store implements it. Whatever
// changes writes its audit row in the same transaction.
type Store interface {
	// InsertPlacement stores a new template, counts it against the tenant's
	// quota and keeps once, in one transaction.
	InsertPlacement(ctx context.Context, t Template, once *tenant.IdempotencyRecord, audit *tenant.Entry) error
	// Placement returns a NotFound fault if tenant has no such template. One
	// that was deleted comes with Hidden set.
	Placement(ctx context.Context, tenantRef, id string) (Template, error)
	// Placements returns the templates that are not hidden, newest first.
	Placements(ctx context.Context, tenantRef string) ([]Template, error)
	// ChangePlacement runs change on a template that is not hidden and stores
	// what it leaves, in one transaction that lets no other change come
	// between. It returns a NotFound fault if there is no such template.
	ChangePlacement(ctx context.Context, tenantRef, id string, audit *tenant.Entry, change func(*Template) error) error
}

// Service is the domain of placement templates. It is safe for concurrent use.
type Service struct {
	store Store
	now   func() time.Time
}

// New returns the service. now may be nil for [time.Now].
func New(store Store, now func() time.Time) *Service {
	if now == nil {
		now = time.Now
	}
	return &Service{store: store, now: now}
}

// An Answer fills in what a repeat of the request will be told.
type Answer func(Template) (status int, body []byte, err error)

// Create makes a template. once may be nil; otherwise the answer is kept under
// it in the template's own transaction. Faults: VALIDATION_FAILED, FORBIDDEN.
func (s *Service) Create(ctx context.Context, id tenant.Identity, spec Spec, once *tenant.IdempotencyRecord, answer Answer) (Template, error) {
	if err := spec.Check(); err != nil {
		return Template{}, err
	}
	return s.insert(ctx, id, spec, auditCreate, "", once, answer)
}

func (s *Service) insert(ctx context.Context, id tenant.Identity, spec Spec, action, of string, once *tenant.IdempotencyRecord, answer Answer) (Template, error) {
	uid, err := uuid.NewV7()
	if err != nil {
		return Template{}, fmt.Errorf("allocate template id: %w", err)
	}
	now := s.now().UTC().Truncate(time.Millisecond)
	t := Template{Spec: spec, ID: uid.String(), Tenant: id.Tenant.Reference, Version: 1, CreatedAt: now, UpdatedAt: now}
	if once, err = once.With(t.Tenant, now, func() (int, []byte, error) { return answer(t) }); err != nil {
		return Template{}, err
	}
	audit := id.Entry(action, t.ID, now)
	if of != "" {
		audit.With("of", of)
	}
	return t, s.store.InsertPlacement(ctx, t, once, audit)
}

// Get returns a template. Another tenant's id, an unknown one and that of a
// deleted template are the same NotFound fault.
func (s *Service) Get(ctx context.Context, tenantRef, id string) (Template, error) {
	t, err := s.OfStamp(ctx, tenantRef, id)
	if err == nil && t.Hidden {
		return Template{}, NoTemplate()
	}
	return t, err
}

// OfStamp is [Service.Get] for a stamp that names the template already: it
// finds those too that were deleted since.
func (s *Service) OfStamp(ctx context.Context, tenantRef, id string) (Template, error) {
	uid, err := parseID(id)
	if err != nil {
		return Template{}, err
	}
	return s.store.Placement(ctx, tenantRef, uid)
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
	return s.change(ctx, id, auditUpdate, templateID, versions, func(t *Template) { t.Spec = spec })
}

// Delete hides a template permanently. versions are as in [Service.Update].
func (s *Service) Delete(ctx context.Context, id tenant.Identity, templateID string, versions []int64) error {
	_, err := s.change(ctx, id, auditDelete, templateID, versions, func(t *Template) { t.Hidden = true })
	return err
}

// change does one change and returns the template as do left it.
func (s *Service) change(ctx context.Context, id tenant.Identity, action, templateID string, versions []int64, do func(*Template)) (Template, error) {
	uid, err := parseID(templateID)
	if err != nil {
		return Template{}, err
	}
	now := s.now().UTC().Truncate(time.Millisecond)
	var after Template
	err = s.store.ChangePlacement(ctx, id.Tenant.Reference, uid, id.Entry(action, uid, now), func(t *Template) error {
		if versions != nil && !slices.Contains(versions, t.Version) {
			return tenant.Changed("template")
		}
		t.Version++
		t.UpdatedAt = now
		do(t)
		after = *t
		return nil
	})
	return after, err
}

// copySuffix marks the name of a copy.
const copySuffix = " (copy)"

// Duplicate makes a copy of a template under a name that says so.
func (s *Service) Duplicate(ctx context.Context, id tenant.Identity, templateID string, once *tenant.IdempotencyRecord, answer Answer) (Template, error) {
	t, err := s.Get(ctx, id.Tenant.Reference, templateID)
	if err != nil {
		return Template{}, err
	}
	spec := t.Spec
	if room := MaxName - utf8.RuneCountInString(copySuffix); utf8.RuneCountInString(spec.Name) > room {
		spec.Name = string([]rune(spec.Name)[:room])
	}
	spec.Name += copySuffix
	return s.insert(ctx, id, spec, auditDuplicate, t.ID, once, answer)
}

// parseID returns a template id in its one spelling.
func parseID(id string) (string, error) {
	uid, err := uuid.Parse(id)
	if err != nil || len(id) != 36 {
		return "", NoTemplate()
	}
	return uid.String(), nil
}

// NoTemplate is the fault for a template that is not this tenant's.
func NoTemplate() error {
	return fault.New(fault.NotFound, fault.CodeNotFound, "placement template not found")
}
