package tdoc

import (
	"context"
	"strings"
	"time"

	"tcode/server/fault"
	"tcode/server/issue"
	"tcode/server/tenant"
)

// Store keeps the records of this package. Package store implements it. Every method
// that changes a record writes the audit row in the same transaction.
type Store interface {
	// InsertTdoc stores a new template, counts it against the tenant's quota
	// and keeps once, in one transaction.
	InsertTdoc(ctx context.Context, t Template, once *tenant.IdempotencyRecord, audit *tenant.Entry) error
	// Tdoc returns a NotFound fault if tenant has no such template. One that
	// was deleted comes with Hidden set.
	Tdoc(ctx context.Context, tenantRef, id string) (Template, error)
	// Tdocs returns the templates that are not hidden, newest first.
	Tdocs(ctx context.Context, tenantRef string, archived bool) ([]Template, error)
	// ChangeTdoc runs change on a template that is not hidden. If change reports
	// true, ChangeTdoc stores the result in the same transaction, which lets no
	// other change come between. It returns a NotFound fault if there is no such
	// template.
	ChangeTdoc(ctx context.Context, tenantRef, id string, audit *tenant.Entry, change func(*Template) (changed bool, err error)) error
	// HasTrustTemplate reports whether the tenant has a Trust template that is not
	// hidden.
	HasTrustTemplate(ctx context.Context, tenantRef, id string) (bool, error)
}

// DocumentTypes knows the codes of document types. Package refdata implements it.
type DocumentTypes interface {
	// CodeProblem returns what is wrong with the code for a new document, or a zero text.
	CodeProblem(ctx context.Context, code string) (fault.Text, error)
}

// Service is the domain of TDoc templates. It is safe for concurrent use.
type Service struct {
	store     Store
	types     DocumentTypes
	templates issue.Templates[Template]
}

// New returns the service. now may be nil for [time.Now].
func New(store Store, types DocumentTypes, now func() time.Time) *Service {
	if now == nil {
		now = time.Now
	}
	return &Service{store, types, issue.Templates[Template]{
		Noun: "tdoc", Missing: NoTemplate, Head: func(t *Template) *issue.Template { return &t.Template },
		Now:    func() time.Time { return now().UTC().Truncate(time.Millisecond) },
		Insert: store.InsertTdoc, Load: store.Tdoc, Store: store.ChangeTdoc,
	}}
}

// An Answer fills in the answer to a repeat of the request.
type Answer func(Template) (status int, body []byte, err error)

// Create makes a template. once may be nil; otherwise the answer is kept under
// it in the template's own transaction. Faults: VALIDATION_FAILED, FORBIDDEN.
func (s *Service) Create(ctx context.Context, id tenant.Identity, spec Spec, once *tenant.IdempotencyRecord, answer Answer) (Template, error) {
	if err := s.Check(ctx, id, "", spec); err != nil {
		return Template{}, err
	}
	return s.templates.Make(ctx, id, Template{Spec: spec.Normal(), Status: Active}, "", once, answer)
}

// Check returns a fault that names all problems of the new settings of a template, those of
// the records that it names included; "" is the id of a new one. What an old template names
// already may have been deleted or retired since.
func (s *Service) Check(ctx context.Context, who tenant.Identity, templateID string, spec Spec) error {
	tenantRef, old := who.Tenant.Reference, Template{}
	if templateID != "" {
		var err error
		if old, err = s.Get(ctx, tenantRef, templateID); err != nil {
			return err
		}
	}
	var p fault.Fields
	spec.check(&p)
	if id := strings.ToLower(spec.IssuanceTemplateID); id != "" && id != old.IssuanceTemplateID && isUUID(id) {
		has, err := s.store.HasTrustTemplate(ctx, tenantRef, id)
		if err != nil {
			return err
		}
		if !has {
			p.Add("issuanceTemplateId", "names no Trust template of this tenant")
		}
	}
	if code := spec.SuggestedDocType; code != "" && code != old.SuggestedDocType {
		problem, err := s.types.CodeProblem(ctx, code)
		if err != nil {
			return err
		}
		if problem.Key != "" {
			p.Add("suggestedDocType", "%s", problem)
		}
	}
	return p.Err()
}

// Get returns a template. Another tenant's id, an unknown one and that of a
// deleted template are the same NotFound fault.
func (s *Service) Get(ctx context.Context, tenantRef, id string) (Template, error) {
	return s.templates.Get(ctx, tenantRef, id)
}

// OfStamp is [Service.Get] for a stamp that names the template already: it also finds
// templates that were deleted since.
func (s *Service) OfStamp(ctx context.Context, tenantRef, id string) (Template, error) {
	return s.templates.Named(ctx, tenantRef, id)
}

// List returns the tenant's templates, newest first; archived ones only if
// archived is set.
func (s *Service) List(ctx context.Context, tenantRef string, archived bool) ([]Template, error) {
	return s.store.Tdocs(ctx, tenantRef, archived)
}

// Update replaces all settings of a template. versions, if not nil, are the versions
// that the change may start from; any other is a PRECONDITION_FAILED fault. Stamps
// that exist do not change.
func (s *Service) Update(ctx context.Context, id tenant.Identity, templateID string, versions []int64, spec Spec) (Template, error) {
	if err := s.Check(ctx, id, templateID, spec); err != nil {
		return Template{}, err
	}
	if err := id.Tenant.Plan.Require(tenant.EntitledTemplates); err != nil {
		return Template{}, err
	}
	return s.templates.Change(ctx, id, "update", templateID, versions, func(t *Template, _ time.Time) (bool, error) {
		t.Spec = spec.Normal()
		return true, nil
	})
}

// Delete hides a template permanently. versions are as in [Service.Update].
func (s *Service) Delete(ctx context.Context, id tenant.Identity, templateID string, versions []int64) error {
	return s.templates.Delete(ctx, id, templateID, versions)
}

// Act archives or unarchives a template; an action that leads to the present state
// does nothing. versions are as in [Service.Update].
func (s *Service) Act(ctx context.Context, id tenant.Identity, templateID string, versions []int64, a Action) error {
	_, err := s.templates.Change(ctx, id, string(a), templateID, versions, func(t *Template, now time.Time) (bool, error) {
		to, err := t.Status.Next(a)
		if err != nil || to == t.Status {
			return false, err
		}
		if t.Status, t.ArchivedAt = to, (time.Time{}); to == Archived {
			t.ArchivedAt = now
		}
		return true, nil
	})
	return err
}

// NoTemplate is the fault for a template that is not this tenant's.
func NoTemplate() error {
	return fault.New(fault.NotFound, fault.CodeNotFound, "TDoc template not found")
}
