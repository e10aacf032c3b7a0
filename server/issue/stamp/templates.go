package stamp

import (
	"context"

	"tcode/offline/payload"
	"tcode/server/fault"
	"tcode/server/issue/placement"
	"tcode/server/issue/tdoc"
)

// work is a request with the data that its templates add.
type work struct {
	Request

	source                    // once the work is begun
	placement *placement.Spec // nil: the default place
	signed    []payload.Field
	replaces  *Stamp // the predecessor of the stamp to be made; nil: none
	reason    string // why it is replaced
	owner     *Owner // the Trust document it is made for; nil: none
	mails     bool   // the TDoc template sends e-mail
	address   string // key of the field with the recipient's address, "": none
}

// answer returns what makes the answer to keep, or nil.
func (w work) answer(st Stamp) func() (int, []byte, error) {
	if w.Answer == nil {
		return nil
	}
	return func() (int, []byte, error) { return w.Answer(st) }
}

// withTemplates looks up what r names and checks its fields. Faults: NOT_FOUND
// for a template, TEMPLATE_ARCHIVED, CONFIGURATION_MISMATCH,
// FIELD_SCHEMA_MISMATCH. It finds deleted templates too if the replaced stamp names
// them.
func (s *Service) withTemplates(ctx context.Context, tenantRef string, r Request, replaces *Stamp) (work, error) {
	w := work{Request: r, placement: r.Placement, replaces: replaces}
	if r.PlacementTemplateID != "" {
		find := s.c.Placements.Get
		if replaces != nil && replaces.PlacementTemplateID == r.PlacementTemplateID {
			find = s.c.Placements.OfStamp
		}
		t, err := find(ctx, tenantRef, r.PlacementTemplateID)
		if err != nil {
			return w, blame(err, "placementTemplateId")
		}
		w.PlacementTemplateID, w.placement = t.ID, &t.Spec
	}
	if err := s.checkLink(w.placement); err != nil {
		return w, err
	}
	if r.TdocTemplateID == "" {
		if len(r.Fields) > 0 {
			return w, fault.New(fault.Rejected, fault.CodeFieldSchemaMismatch, "fields need a TDoc template that defines them").
				WithField("fields", "must be left out without tdocTemplateId")
		}
		return w, nil
	}
	t, err := s.tdocOf(ctx, tenantRef, r, replaces)
	if err != nil {
		return w, err
	}
	w.TdocTemplateID, w.mails, w.address = t.ID, t.EnableEmailSending, t.Recipient(r.Fields)
	w.signed, err = t.Values(r.Fields)
	return w, err
}

// tdocOf returns r's TDoc template if it makes new stamps.
func (s *Service) tdocOf(ctx context.Context, tenantRef string, r Request, replaces *Stamp) (tdoc.Template, error) {
	find := s.c.Templates.Get
	if replaces != nil && replaces.TdocTemplateID == r.TdocTemplateID {
		find = s.c.Templates.OfStamp
	}
	t, err := find(ctx, tenantRef, r.TdocTemplateID)
	if err != nil {
		return t, blame(err, "tdocTemplateId")
	}
	return t, t.Stampable()
}

// blame says which field named a template that is not there.
func blame(err error, field string) error {
	if !fault.Is(err, fault.NotFound) {
		return err
	}
	return fault.As(err).WithField(field, "names no template of this tenant")
}
