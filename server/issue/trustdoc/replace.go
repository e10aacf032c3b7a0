package trustdoc

import (
	"cmp"
	"context"
	"time"

	"tcode/offline/payload"
	"tcode/server/fault"
	"tcode/server/issue/stamp"
	"tcode/server/platform/spool"
	"tcode/server/tenant"
)

// A Replacement requests the successor of a document. The successor takes over
// members that are empty, except the PDF: the old file shows the mistake.
type Replacement struct {
	TemplateID     string
	RecipientName  string
	RecipientEmail string
	Title          string
	ExternalID     string
	Fields         []payload.Field // nil: taken over; empty: none
	PDF            *spool.Upload
	GeneratePDF    bool
	ExpiresAt      time.Time
	Path           Path
	Reason         string // kept with the document that is replaced; may be ""

	Idempotency *tenant.IdempotencyRecord // as in an [Issuance]
	Answer      func(Document) (status int, body []byte, err error)
}

// Replace issues the successor of a document that is Active or Suspended and
// revokes the document, in one transaction; each names the other. The successor
// is a test document if the document was one. Faults are those of
// [Service.Issue], NotFound for the document, and INVALID_TRANSITION, also for
// the second of two concurrent calls.
func (s *Service) Replace(ctx context.Context, id tenant.Identity, documentID string, r Replacement) (Document, error) {
	w, err := s.replacement(ctx, id, documentID, r)
	if err != nil {
		return Document{}, err
	}
	return s.make(ctx, id, w)
}

// CheckReplacement is [Service.Check] for [Service.Replace].
func (s *Service) CheckReplacement(ctx context.Context, id tenant.Identity, documentID string, r Replacement) error {
	w, err := s.replacement(ctx, id, documentID, r)
	if err != nil {
		return err
	}
	w.Path = w.path()
	return s.fits(ctx, id, w)
}

func (s *Service) replacement(ctx context.Context, id tenant.Identity, documentID string, r Replacement) (work, error) {
	old, err := s.Reach(ctx, id, documentID)
	if err != nil {
		return work{}, err
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
	w := work{Issuance: r.issuance(old), replaces: &old, reason: r.Reason}
	if old.OriginalSHA256 != "" && r.PDF.Size() == 0 {
		w.warning = "the PDF of " + old.Reference.String() + " was not taken over, and this document has none: a replacement has the pdf that is sent with it"
	}
	if err := s.validate(w.Issuance); err != nil {
		return work{}, err
	}
	find := s.Template
	if w.TemplateID == old.TemplateID {
		find = s.templates().Named // which may have been deleted since
	}
	if w.template, err = find(ctx, id.Tenant.Reference, w.TemplateID); err != nil {
		return work{}, blame(err, "templateId")
	}
	return w, nil
}

// issuance returns r with the members that it takes over from old.
func (r Replacement) issuance(old Document) Issuance {
	out := Issuance{
		TemplateID:     cmp.Or(r.TemplateID, old.TemplateID),
		RecipientName:  cmp.Or(r.RecipientName, old.RecipientName),
		RecipientEmail: cmp.Or(r.RecipientEmail, old.RecipientEmail),
		Title:          cmp.Or(r.Title, old.Title),
		ExternalID:     cmp.Or(r.ExternalID, old.ExternalID),
		Fields:         r.Fields,
		PDF:            r.PDF,
		GeneratePDF:    r.GeneratePDF,
		ExpiresAt:      r.ExpiresAt,
		Path:           cmp.Or(r.Path, old.Path),
		Idempotency:    r.Idempotency, Answer: r.Answer,
	}
	if r.Fields == nil {
		out.Fields = old.Values
	}
	if r.GeneratePDF && r.Path == "" && !old.Path.Stamps() {
		out.Path = "" // its default, with a TCode
	}
	if r.ExpiresAt.IsZero() {
		out.ExpiresAt = old.ExpiresAt
	}
	if old.Test {
		out.ModeType = stamp.ModeTest
	}
	return out
}
