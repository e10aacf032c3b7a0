package stamp

import (
	"cmp"
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"tcode/offline/geometry"
	"tcode/offline/payload"
	"tcode/scanner/readback"
	"tcode/server/fault"
	"tcode/server/issue/placement"
	"tcode/server/platform/spool"
	"tcode/server/tenant"
)

// A PreviewRequest requests the picture of a stamp.
type PreviewRequest struct {
	PDF *spool.Upload
	// Placement is a template that need not be stored; nil: the one that
	// PlacementTemplateID names, or the default place.
	Placement           *placement.Spec
	PlacementTemplateID string
	TdocTemplateID      string
	Fields              []payload.Field
	Page                int // to draw, one of those that are stamped; 0: the first of them
	NoPicture           bool
}

// A Preview is a stamp that was drawn and thrown away.
type Preview struct {
	Picture    readback.Picture
	Page       int              // that is drawn
	Places     []geometry.Place // of each stamped page, ascending
	Modules    int              // a side
	Collisions []Collision
	Grade      Grade
	Rendering  *Rendering // nil: not compared
	Warnings   []string
	Refusal    *fault.Fault // why a stamp like this one would be refused; nil: it would not
}

// specimenType is the document type of specimens: no type in use has it.
const specimenType = "000"

// Preview draws a specimen on r.PDF: at the place, of the size and with the
// grade of a real stamp. Nothing is stored or counted, and the specimen proves
// nothing: it names no stamp, says that it is a test, and its key is forgotten.
//
// A stamp that would be refused for its place or its looks is drawn where it was
// meant to be, and [Preview].Refusal says why. Faults are those of
// [Service.Create] for all else.
func (s *Service) Preview(ctx context.Context, id tenant.Identity, r PreviewRequest) (Preview, error) {
	w, err := s.previewWork(ctx, id.Tenant.Reference, r)
	if err != nil {
		return Preview{}, err
	}
	w.source, err = s.open(ctx, r.PDF)
	defer w.close()
	if err != nil {
		return Preview{}, err
	}
	_, key, err := ed25519.GenerateKey(s.c.Rand)
	if err != nil {
		return Preview{}, fmt.Errorf("key of a specimen: %w", err)
	}
	st := Stamp{Tenant: id.Tenant.Reference, DocumentType: specimenType, Test: true, IssuedAt: s.c.Now().UTC().Truncate(time.Second)}
	p, side, err := unsealed(st, w, key)
	if err != nil {
		return Preview{}, err
	}
	var out Preview
	at, err := s.choose(ctx, w, st.Reference, side)
	if err := out.refused(err, fault.CodePDFNotStampable, len(at.ground.collisions) > 0); err != nil {
		return out, err
	}
	done, err := s.settle(ctx, p, side, at, w, key)
	if done.pdf == nil {
		return out, err
	}
	defer done.pdf.Close()
	out.Places, out.Modules = done.Places, done.Modules
	if err := out.refused(done.narrow, fault.CodeConfigurationMismatch, true); err != nil {
		return out, err
	}
	if err := out.describe(&done, err, w); err != nil { // nothing to show: the answer is that of a stamp
		return out, cmp.Or(done.narrow, err)
	}
	if r.NoPicture {
		return out, nil
	}
	return out, s.picture(ctx, &out, done.pdf.Section(), r.Page)
}

// CheckPreview returns the fault of r that is found before anything is drawn.
func (s *Service) CheckPreview(ctx context.Context, id tenant.Identity, r PreviewRequest) error {
	_, err := s.previewWork(ctx, id.Tenant.Reference, r)
	return err
}

// previewWork checks r and looks up its templates.
func (s *Service) previewWork(ctx context.Context, tenantRef string, r PreviewRequest) (work, error) {
	var bad fault.Fields
	if r.PDF.Size() == 0 {
		bad.Add("pdf", "must not be empty")
	}
	if r.Placement != nil && r.PlacementTemplateID != "" {
		bad.Add("placement", "must be left out with placementTemplateId")
	}
	if err := bad.Err(); err != nil {
		return work{}, err
	}
	if err := s.checkSize(r.PDF.Size()); err != nil {
		return work{}, err
	}
	w, err := s.withTemplates(ctx, tenantRef, Request{
		PDF: r.PDF, PlacementTemplateID: r.PlacementTemplateID, TdocTemplateID: r.TdocTemplateID, Fields: r.Fields,
	}, nil)
	if r.Placement != nil {
		w.placement = r.Placement
		err = cmp.Or(err, s.checkLink(w.placement))
	}
	return w, err
}

// refused takes err as the reason for a refusal if it is one of that code and
// says so; the first one counts. It returns every other error.
func (p *Preview) refused(err error, code string, said bool) error {
	var f *fault.Fault
	if !errors.As(err, &f) || f.Code != code || !said {
		return err
	}
	if p.Refusal == nil {
		p.Refusal = f
	}
	return nil
}

// describe fills in the findings on done. An err that is not nil refuses done.
func (p *Preview) describe(done *finished, err error, w work) error {
	refusal := err
	for _, code := range []string{fault.CodePDFNotStampable, fault.CodeStampUnreadable, fault.CodeRenderingChanged, fault.CodeRenderingDiffers} {
		err = p.refused(err, code, !undrawn(err))
	}
	if err != nil {
		return err
	}
	p.Grade, p.Collisions, p.Warnings, p.Rendering = done.grade, done.ground.collisions, done.Warnings, done.seen.rendering
	if refusal != nil {
		p.Warnings = append(p.Warnings, w.collisionWarnings(done.ground)...)
	}
	if refusal != nil && done.grade.Letter == "" {
		p.Grade = unreadable(done.Places, done.ground.ink, w.scanSafety().TargetDPI, fault.As(refusal).Message)
	}
	return nil
}

// undrawn reports whether err says that there is nothing to show.
func undrawn(err error) bool {
	_, ok := errors.AsType[*readback.NotDrawnError](err)
	return ok
}

// picture draws the page that was asked for.
func (s *Service) picture(ctx context.Context, out *Preview, pdf *io.SectionReader, page int) (err error) {
	if out.Page = page; page == 0 {
		out.Page = out.Places[0].Page
	}
	if !slices.ContainsFunc(out.Places, func(p geometry.Place) bool { return p.Page == out.Page }) {
		var bad fault.Fields
		bad.Add("page", "must be one of the pages that would be stamped, the first of which is %d", out.Places[0].Page)
		return bad.Err()
	}
	if out.Picture, err = s.c.Readback.Picture(ctx, pdf, out.Page); err != nil {
		return notDrawn(err)
	}
	return nil
}
