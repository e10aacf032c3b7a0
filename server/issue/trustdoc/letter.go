package trustdoc

import (
	"context"
	"path"

	"tcode/server/fault"
	"tcode/server/issue/field"
	"tcode/server/issue/stamp"
	"tcode/server/outbound/delivery"
	"tcode/server/tenant"
)

// Letter returns the message to a document's recipient as of now. A document that has
// ended is not sent any more: the recipient would believe that it is genuine.
func (s *Service) Letter(ctx context.Context, tenantRef, id string) (delivery.Letter, error) {
	d, err := s.Get(ctx, tenantRef, id)
	if err != nil {
		return delivery.Letter{}, err
	}
	l := delivery.Letter{
		RecipientName: d.RecipientName, RecipientEmail: d.RecipientEmail, Title: d.Title, Reference: d.Reference.String(),
		PageReference: d.Reference.String(), IssuedAt: d.IssuedAt, ExpiresAt: d.ExpiresAt, Test: d.Test,
	}
	switch d.Status {
	case Revoked:
		if l.Stop = delivery.Revoked; d.ReplacedBy != "" {
			l.Stop = delivery.Replaced
		}
	case Expired:
		l.Stop = delivery.Expired
	case Suspended:
		l.Hold = delivery.Suspended
	case Active:
	}
	if l.Title == "" {
		t, err := s.c.Store.TrustTemplate(ctx, tenantRef, d.TemplateID)
		if err != nil {
			return delivery.Letter{}, err
		}
		l.Title = t.Name
	}
	if f, ok := d.file(""); ok {
		l.File = &delivery.File{SHA256: f.SHA256, Name: l.Reference + path.Ext(f.FileName), ContentType: f.ContentType, SizeBytes: f.SizeBytes}
	}
	return l, nil
}

// Resend sends the message to a document's recipient now, also once more, and to another address
// if email is not "". The fault is VALIDATION_FAILED for an address that is none, and
// INVALID_TRANSITION for a document that has ended, or whose message is being sent.
func (s *Service) Resend(ctx context.Context, id tenant.Identity, documentID, email string) (Document, error) {
	d, err := s.Reach(ctx, id, documentID)
	if err != nil {
		return Document{}, err
	}
	if err := d.checkResend(email); err != nil {
		return Document{}, err
	}
	if d.Status.Terminal() || d.Erased() {
		return Document{}, fault.New(fault.Conflict, fault.CodeInvalidTransition,
			"the document has ended or is erased, so it is not sent: its recipient would believe that it is genuine")
	}
	now := s.now()
	m, err := delivery.New(d.Tenant, d.ID, now, s.c.Delivers)
	if err != nil {
		return Document{}, err
	}
	audit := id.Entry("document.mail", d.ID, now)
	if email != "" && email != d.RecipientEmail {
		audit = audit.With("address", "changed") // the address itself is personal data
	}
	if err := s.c.Store.ResendDocument(ctx, *m, email, audit); err != nil {
		return Document{}, err
	}
	return s.Get(ctx, d.Tenant, d.ID)
}

// file returns a document's PDF of a kind; an empty kind is the stamped one, or
// the original where there is no other.
func (d Document) file(kind stamp.FileKind) (stamp.File, bool) {
	for _, want := range []stamp.FileKind{stamp.FileStamped, stamp.FileOriginal} {
		for _, f := range d.Files {
			if f.Kind == want && (kind == "" || kind == want) {
				return f, true
			}
		}
	}
	return stamp.File{}, false
}

// CheckResend returns the fault of an address that [Service.Resend] would refuse.
func (s *Service) CheckResend(ctx context.Context, id tenant.Identity, documentID, email string) error {
	d, err := s.Reach(ctx, id, documentID)
	if err != nil {
		return err
	}
	return d.checkResend(email)
}

func (d Document) checkResend(email string) error {
	var p fault.Fields
	switch {
	case email == "" && d.RecipientEmail == "":
		p.Add("recipientEmail", "must be given: the document has no address")
	case email != "" && !field.IsEmail(email):
		p.Add("recipientEmail", "must be an e-mail address such as name@example.org")
	}
	return p.Err()
}
