package stamp

import (
	"context"
	"strings"

	"tcode/server/fault"
	"tcode/server/platform/spool"
)

// The modes of a stamp: values of modeType.
const (
	ModeStandard = "standard"
	ModeTest     = "test"
)

// Limits on the members of a request, in characters.
const (
	MaxName       = 200
	MaxExternalID = 200
	MaxReason     = 500
)

// validate names all that is wrong with r in one fault.
func (s *Service) validate(ctx context.Context, r Request) error {
	var p fault.Fields
	p.Text("name", r.Name, true, MaxName)
	p.Text("externalId", r.ExternalID, false, MaxExternalID)
	if r.ModeType != "" && r.ModeType != ModeStandard && r.ModeType != ModeTest {
		p.Add("modeType", "must be %s or %s", ModeStandard, ModeTest)
	}
	if r.PDF.Size() == 0 && r.Draw == nil {
		p.Add("pdf", "must not be empty")
	}
	if r.Placement != nil && r.PlacementTemplateID != "" {
		p.Add("placement", "must be left out with placementTemplateId")
	}
	if r.DocumentTypeCode == "" {
		p.Add("documentTypeCode", "must not be empty")
	} else {
		problem, err := s.c.DocumentTypes.CodeProblem(ctx, r.DocumentTypeCode)
		if err != nil {
			return err
		}
		if problem.Key != "" {
			p.Add("documentTypeCode", "%s", problem)
		}
	}
	if err := p.Err(); err != nil {
		return NotPDF(err, r.PDF)
	}
	return s.checkSize(r.PDF.Size())
}

// NotPDF adds to the fault of other members that the file is neither a PDF nor a picture, if it is so.
// Alone that is the fault of [Kind].
func NotPDF(err error, pdf *spool.Upload) error {
	if pdf.Size() == 0 {
		return err
	}
	if _, problem := pdf.Document(); problem != "" {
		return fault.As(err).WithField("pdf", "%s", problem)
	}
	return err
}

// Kind returns the kind of an upload. The error is the fault INVALID_PDF of one that is no document,
// such as a container of documents.
func Kind(upload *spool.Upload) (spool.Kind, error) {
	k, problem := upload.Document()
	if problem != "" {
		if _, name, ok := strings.Cut(problem, ": it is "); ok {
			return k, fault.New(fault.Invalid, fault.CodeInvalidPDF,
				"the file is neither a PDF nor a PNG, JPEG or TIFF picture: it is %s", name)
		}
		return k, fault.New(fault.Invalid, fault.CodeInvalidPDF,
			"the file is neither a PDF nor a PNG, JPEG or TIFF picture")
	}
	return k, nil
}

// checkSize is the fault of a file that is too large.
func (s *Service) checkSize(bytes int64) error {
	if bytes <= int64(s.c.MaxPDF) {
		return nil
	}
	return fault.New(fault.TooLarge, fault.CodePayloadTooLarge, "the file has %d bytes, at most %d are taken", bytes, s.c.MaxPDF).
		WithField("pdf", "must be at most %d bytes", s.c.MaxPDF)
}
