package trustdoc

import (
	"context"
	"path"

	"tcode/server/issue/stamp"
	"tcode/server/outbound/delivery"
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
