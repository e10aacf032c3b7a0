package stamp

import (
	"context"
	"strings"
	"unicode/utf8"

	"tcode/offline/payload"
	"tcode/server/fault"
)

// The modes of a stamp: values of modeType.
const (
	ModeStandard = "standard"
	ModeTest     = "test"
)

// Limits on what a request names, in characters.
const (
	MaxName       = 200
	MaxExternalID = 200
	MaxReason     = 500
)

// validate names all that is wrong with r in one fault.
func (s *Service) validate(ctx context.Context, r Request) error {
	var p fault.Fields
	checkText(&p, "name", r.Name, 1, MaxName)
	checkText(&p, "externalId", r.ExternalID, 0, MaxExternalID)
	if r.ModeType != "" && r.ModeType != ModeStandard && r.ModeType != ModeTest {
		p.Add("modeType", "must be %s or %s", ModeStandard, ModeTest)
	}
	if len(r.PDF) == 0 {
		p.Add("pdf", "must not be empty")
	}
	if r.DocumentTypeCode == "" {
		p.Add("documentTypeCode", "must not be empty")
	} else {
		known, err := s.c.DocumentTypes.KnownDocumentType(ctx, r.DocumentTypeCode)
		if err != nil {
			return err
		}
		if !known {
			p.Add("documentTypeCode", "is not the code of a document type in use")
		}
	}
	if err := p.Err(); err != nil {
		return err
	}
	if len(r.PDF) > s.c.MaxPDF {
		return fault.New(fault.TooLarge, fault.CodePayloadTooLarge, "the PDF has %d bytes, at most %d are taken", len(r.PDF), s.c.MaxPDF).
			WithField("pdf", "must be at most %d bytes", s.c.MaxPDF)
	}
	return templates(r.PlacementTemplateID, r.TdocTemplateID, r.Fields)
}

// templates refuses what needs a template this tenant does not have.
func templates(placement, tdoc string, fields []payload.Field) error {
	switch {
	case placement != "":
		return fault.New(fault.NotFound, fault.CodeNotFound, "placement template not found").
			WithField("placementTemplateId", "names no template of this tenant")
	case tdoc != "":
		return fault.New(fault.NotFound, fault.CodeNotFound, "TDoc template not found").
			WithField("tdocTemplateId", "names no template of this tenant")
	case len(fields) > 0:
		return fault.New(fault.Rejected, fault.CodeFieldSchemaMismatch, "fields need a TDoc template that defines them").
			WithField("fields", "must be left out without tdocTemplateId")
	}
	return nil
}

// checkText adds what is wrong with a text of least to most characters.
func checkText(p *fault.Fields, field, text string, least, most int) {
	switch n := utf8.RuneCountInString(text); {
	case !utf8.ValidString(text):
		p.Add(field, "must be valid UTF-8")
	case least > 0 && strings.TrimSpace(text) == "":
		p.Add(field, "must not be empty")
	case n > most:
		p.Add(field, "must be at most %d characters, got %d", most, n)
	case strings.ContainsFunc(text, func(r rune) bool { return r < 0x20 || r == 0x7f }):
		p.Add(field, "must not contain control characters")
	}
}
