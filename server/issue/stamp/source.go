package stamp

import (
	"context"

	"tcode/offline/payload"
	"tcode/server/fault"
	"tcode/server/issue/placement"
	"tcode/server/platform/spool"
)

// A source is the file to stamp, as it was sent and as a PDF: the same file, unless a picture was sent.
type source struct {
	sent *spool.File
	kind spool.Kind // of sent
	pdf  *spool.File

	made *spool.Upload // is pdf, if it was made here
}

// close releases what was made here; a file that was sent is its sender's.
func (o source) close() { o.made.Close() }

// open returns the file of an upload. The caller closes the source, and the upload later.
func (s *Service) open(ctx context.Context, upload *spool.Upload) (o source, err error) {
	if o.kind, err = Kind(upload); err != nil {
		return o, err
	}
	if o.sent, err = upload.File(s.c.Spool); err != nil || o.kind == spool.PDF {
		o.pdf = o.sent
		return o, err
	}
	w := s.c.Spool.Writer()
	defer w.Close()
	if err := s.c.Pictures.Make(ctx, o.sent.Section(), w); err != nil {
		return o, err
	}
	if o.made, err = w.Upload(); err != nil {
		return o, err
	}
	o.pdf, err = o.made.File(s.c.Spool)
	return o, err
}

// draw returns the file that r draws for st. The caller closes the source.
func (s *Service) draw(r Request, st Stamp) (o source, err error) {
	pdf, err := r.Draw(st)
	if err != nil {
		return o, err
	}
	o.kind, o.made = spool.PDF, spool.Bytes(pdf)
	o.sent, err = o.made.File(s.c.Spool)
	o.pdf = o.sent
	return o, err
}

// checkLink returns a fault if a template asks for a link that this gateway cannot give.
func (s *Service) checkLink(t *placement.Spec) error {
	if s.c.PageURL != nil || t == nil || t.Link != placement.LinkQR {
		return nil
	}
	return fault.New(fault.Rejected, fault.CodeConfigurationMismatch, "the placement asks for a QR code, and this gateway has no public address: its operator gives one with --public-url").
		WithField("placementTemplateId", "names a template with a link, which needs the gateway's public address")
}

// job returns the job of a stamp on w's file.
func (s *Service) job(w work, reference payload.Reference, side int) Job {
	j := Job{PDF: w.pdf.Section(), Reference: reference, Placement: w.placement, Side: side}
	if w.placement != nil && w.placement.Link == placement.LinkQR {
		page := reference.String()
		if w.owner != nil {
			page = w.owner.Document
		}
		j.Link = s.c.PageURL(page)
	}
	return j
}
