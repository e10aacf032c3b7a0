package trustdoc

import (
	"cmp"
	"context"
	"time"

	"tcode/server/fault"
	"tcode/server/issue"
	"tcode/server/issue/stamp"
	"tcode/server/tenant"
)

// A TemplateFilter picks templates of a list.
type TemplateFilter struct {
	Archived bool // archived ones too
	Page     int  // from 1; zero: 1
	PageSize int  // 1 to 100; zero: 20
}

// A TemplatePage is one page of a list, newest first.
type TemplatePage struct {
	Items             []Template
	Page, PageSize    int
	TotalCount        int
	TotalIsLowerBound bool
}

// TemplateAnswer fills in the answer to a repeat of the request.
type TemplateAnswer func(Template) (status int, body []byte, err error)

// CreateTemplate makes a template. once may be nil; otherwise the answer is kept
// under it in the template's own transaction. Faults: VALIDATION_FAILED,
// FORBIDDEN.
func (s *Service) CreateTemplate(ctx context.Context, id tenant.Identity, spec Spec, once *tenant.IdempotencyRecord, answer TemplateAnswer) (Template, error) {
	if err := s.CheckTemplate(ctx, id, "", spec); err != nil {
		return Template{}, err
	}
	return s.templates().Make(ctx, id, Template{Spec: spec.normal(), Status: TemplateActive}, "", once, answer)
}

// CheckTemplate returns a fault that names all problems of the new contents of a template; ""
// is the id of a new one.
func (s *Service) CheckTemplate(ctx context.Context, id tenant.Identity, templateID string, spec Spec) error {
	var p fault.Fields
	spec.check(&p)
	if templateID == "" {
		if err := s.checkType(ctx, &p, spec.DocumentTypeCode); err != nil {
			return err
		}
		return p.Err()
	}
	t, err := s.Template(ctx, id.Tenant.Reference, templateID)
	if err != nil {
		return cmp.Or(p.Err(), err)
	}
	if code := spec.DocumentTypeCode; code != "" && code != t.DocumentTypeCode {
		p.Add("documentTypeCode", "is %s permanently: duplicate the template, or make another", t.DocumentTypeCode)
	}
	return p.Err()
}

// checkType adds the problems of the code of a document type.
func (s *Service) checkType(ctx context.Context, p *fault.Fields, code string) error {
	problem, err := s.c.DocumentTypes.CodeProblem(ctx, code)
	if problem.Key != "" {
		p.Add("documentTypeCode", "%s", problem)
	}
	return err
}

// templates is the life of templates.
func (s *Service) templates() issue.Templates[Template] {
	return issue.Templates[Template]{
		Noun: "trust_template", Missing: NoTemplate, Head: func(t *Template) *issue.Template { return &t.Template }, Now: s.now,
		Insert: s.c.Store.InsertTrustTemplate, Load: s.c.Store.TrustTemplate, Store: s.c.Store.ChangeTrustTemplate,
	}
}

// Template returns a template. Another tenant's id, an unknown one and that of a
// deleted template are the same NotFound fault.
func (s *Service) Template(ctx context.Context, tenantRef, id string) (Template, error) {
	return s.templates().Get(ctx, tenantRef, id)
}

// Templates returns one page of the tenant's templates, newest first.
func (s *Service) Templates(ctx context.Context, tenantRef string, f TemplateFilter) (TemplatePage, error) {
	var p fault.Fields
	f.Page, f.PageSize = stamp.CheckPage(&p, f.Page, f.PageSize)
	if err := p.Err(); err != nil {
		return TemplatePage{}, err
	}
	return s.c.Store.TrustTemplates(ctx, tenantRef, f)
}

// UpdateTemplate replaces name, description and fields of a template, for new
// documents only. A documentTypeCode that is not "" must be the template's own.
// versions, if not nil, are the ones that the change may rest on; any other is a
// PRECONDITION_FAILED fault.
func (s *Service) UpdateTemplate(ctx context.Context, id tenant.Identity, templateID string, versions []int64, spec Spec) (Template, error) {
	if err := s.CheckTemplate(ctx, id, templateID, spec); err != nil {
		return Template{}, err
	}
	return s.templates().Change(ctx, id, "update", templateID, versions, func(t *Template, _ time.Time) (bool, error) {
		code := t.DocumentTypeCode
		t.Spec = spec.normal()
		t.DocumentTypeCode = code
		return true, nil
	})
}

// DeleteTemplate hides a template permanently; documents keep it. versions are as
// in [Service.UpdateTemplate].
func (s *Service) DeleteTemplate(ctx context.Context, id tenant.Identity, templateID string, versions []int64) error {
	return s.templates().Delete(ctx, id, templateID, versions)
}

// ActOnTemplate archives, which needs a reason, or unarchives a template; an action
// that leads to the present state does nothing. versions are as in
// [Service.UpdateTemplate].
func (s *Service) ActOnTemplate(ctx context.Context, id tenant.Identity, templateID string, versions []int64, a TemplateAction, reason string) error {
	var p fault.Fields
	p.Text("reason", reason, a == ActionArchive, MaxArchiveReason)
	if err := p.Err(); err != nil {
		return err
	}
	_, err := s.templates().Change(ctx, id, string(a), templateID, versions, func(t *Template, now time.Time) (bool, error) {
		to, err := t.Status.Next(a)
		if err != nil || to == t.Status {
			return false, err
		}
		t.Status, t.ArchivedAt, t.ArchiveReason = to, time.Time{}, ""
		if to == TemplateArchived {
			t.ArchivedAt, t.ArchiveReason = now, reason
		}
		return true, nil
	})
	return err
}

// PlaceTemplate sets where the TCode of new documents goes; "" is the default
// place. A placement template that the tenant does not have is a NotFound fault.
// versions are as in [Service.UpdateTemplate].
func (s *Service) PlaceTemplate(ctx context.Context, id tenant.Identity, templateID string, versions []int64, placementID string) (Template, error) {
	if placementID != "" {
		pl, err := s.c.Placements.Get(ctx, id.Tenant.Reference, placementID)
		if err != nil {
			return Template{}, blame(err, "placementTemplateId")
		}
		placementID = pl.ID
	}
	return s.templates().Change(ctx, id, "placement", templateID, versions, func(t *Template, _ time.Time) (bool, error) {
		changed := t.PlacementTemplateID != placementID
		t.PlacementTemplateID = placementID
		return changed, nil
	})
}

// DuplicateTemplate makes a copy of a template, which is active, under a name, "" for
// one that says so.
func (s *Service) DuplicateTemplate(ctx context.Context, id tenant.Identity, templateID, name string, once *tenant.IdempotencyRecord, answer TemplateAnswer) (Template, error) {
	t, err := s.Template(ctx, id.Tenant.Reference, templateID)
	if err != nil {
		return Template{}, err
	}
	made := Template{Spec: t.Spec, Status: TemplateActive, PlacementTemplateID: t.PlacementTemplateID}
	made.Name = cmp.Or(name, issue.CopyName(t.Name, MaxTemplateName))
	var p fault.Fields
	made.check(&p)
	if err := p.Err(); err != nil {
		return Template{}, err
	}
	return s.templates().Make(ctx, id, made, t.ID, once, answer)
}

// blame says which field named a template that is not there.
func blame(err error, field string) error {
	if !fault.Is(err, fault.NotFound) {
		return err
	}
	return fault.As(err).WithField(field, "names no template of this tenant")
}
