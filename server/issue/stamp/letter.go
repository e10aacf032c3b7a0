package stamp

import (
	"context"
	"fmt"

	"tcode/server/outbound/delivery"
)

// recipientName is the key of the field with the name of the recipient, if there is one.
const recipientName = "recipientName"

// post gives st the message to its recipient, if its TDoc template sends e-mail and a
// field has an address.
func (s *Service) post(st *Stamp, w work) (err error) {
	switch {
	case w.address != "":
		if st.Delivery, err = delivery.NewOfStamp(st.Tenant, st.ID, w.address, st.CreatedAt, s.c.Delivers); err != nil {
			return fmt.Errorf("allocate message id: %w", err)
		}
	case w.mails:
		st.Warnings = append(st.Warnings, "no e-mail is sent: the TDoc template sends e-mail, and no field of type email has a value")
	}
	return nil
}

// Letter returns the message to a stamp's recipient as of now, whose address is in a
// field. A stamp that has ended is not sent any more.
func (s *Service) Letter(ctx context.Context, tenantRef, id, addressField string) (delivery.Letter, error) {
	st, err := s.Get(ctx, tenantRef, id)
	if err != nil {
		return delivery.Letter{}, err
	}
	l := delivery.Letter{
		Title: st.Name, Reference: st.Reference.String(), PageReference: st.Reference.String(),
		IssuedAt: st.IssuedAt, ExpiresAt: st.ExpiresAt, Test: st.Test,
	}
	for _, v := range st.Values {
		switch v.Key {
		case addressField:
			l.RecipientEmail = v.Value
		case recipientName:
			l.RecipientName = v.Value
		}
	}
	switch st.Status {
	case Revoked:
		if l.Stop = delivery.Revoked; st.ReplacedBy != "" {
			l.Stop = delivery.Replaced
		}
	case Suspended:
		l.Hold = delivery.Suspended
	case Active:
	}
	for _, f := range st.Files {
		if f.Kind == FileStamped {
			l.File = &delivery.File{SHA256: f.SHA256, Name: l.Reference + ".pdf", ContentType: f.ContentType, SizeBytes: f.SizeBytes}
		}
	}
	return l, nil
}
