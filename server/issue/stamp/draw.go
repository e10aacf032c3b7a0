package stamp

import (
	"cmp"
	"context"
	"crypto"
	"errors"
	"fmt"
	"slices"

	"tcode/offline/contain"
	"tcode/offline/payload"
	"tcode/scanner/readback"
	"tcode/server/fault"
	"tcode/server/issue/placement"
	"tcode/server/platform/spool"
)

// A layout holds the way to draw a stamp and the caveats that its payload has on the
// pages. The check of the finished pages may require another layout.
type layout struct {
	beneath bool // before the page's own contents, which then cannot move or hide it
	over    bool // after them, also where they are damaged
	plain   bool // the payload says that the document shows everybody the same
}

// A finished stamp is drawn and sealed, and has yet to be stored. Its file is
// open: close it.
type finished struct {
	Drawn
	pdf     *spool.File // the stamped file
	payload payload.Payload
	ground  ground
	looked  bool // ground is known
	grade   Grade
	seen    seen
	narrow  error // the fault of modules that are narrower than the template allows
}

// seen holds the findings on the pages that do not depend on the symbol's text.
type seen struct {
	known     bool
	rendering *Rendering // nil: not asked for
	caveats   []string
}

// plain reports whether the payload may say that the document is plain.
func (s seen) plain() bool {
	return s.rendering != nil && s.rendering.Alike() && len(s.caveats) == 0
}

// finish draws the stamp at the chosen place, seals its payload over the finished
// file and checks the pages:
//
//	after the contents, plain ──changed or unreadable──▶ beneath the contents, plain
//	          │ not plain                                         │ not plain
//	          ▼                                                   ▼
//	after the contents, not plain                        beneath, not plain
//
// Beneath is also where damaged contents are begun with. Where they cover the
// stamp there, it is drawn after them, and such a document is not plain. The first
// fault counts where the stamp cannot be delivered otherwise either. A stamp that
// was refused for its looks comes with the fault, for previews.
func (s *Service) finish(ctx context.Context, p payload.Payload, side int, at spot, w work, signer crypto.Signer) (finished, error) {
	how := layout{plain: w.scanSafety().Rendering != placement.RenderingOff}
	var known seen
	var first error
	for {
		done, err := s.seal(ctx, p, side, at, how, w, signer)
		if err != nil {
			return finished{}, cmp.Or(first, err)
		}
		done.seen = known
		err = s.look(ctx, &done, w)
		switch {
		case err == nil && how.plain && !done.seen.plain():
			how.plain, known = false, done.seen
		case err == nil:
			done.tell(w)
			return done, nil
		default:
			first = cmp.Or(first, err)
			next, ok := how.after(done, err)
			if !ok {
				return done, done.explain(first)
			}
			how = next
		}
		done.pdf.Close()
	}
}

// after returns the layout to try after done, which was laid out as l says and
// refused with err.
func (l layout) after(done finished, err error) (next layout, ok bool) {
	switch {
	case l.over || !otherLayout(err):
		return l, false
	case !l.beneath && !done.Beneath:
		l.beneath = true
		return l, true
	}
	return layout{over: true}, done.Damaged
}

// explain adds to the fault of an unreadable stamp the reason why it is not visible.
func (d Drawn) explain(err error) error {
	f, ok := errors.AsType[*fault.Fault](err)
	if !ok || !d.Damaged || f.Code != fault.CodeStampUnreadable || undrawn(err) {
		return err
	}
	return unreadableFault("%s; the contents of the page are damaged: they cover a stamp beneath them, and MuPDF or PDFium does not draw what follows them", f.Message).
		WithField("pdf", "has a page with damaged contents, which leave no room for a stamp: make the PDF anew, or choose a placement where the page is empty")
}

// otherLayout reports whether a stamp that is refused by err may be delivered
// where it is drawn beneath the contents.
func otherLayout(err error) bool {
	f, ok := errors.AsType[*fault.Fault](err)
	return ok && !undrawn(err) && (f.Code == fault.CodeRenderingChanged || f.Code == fault.CodeStampUnreadable)
}

// unsealed returns all of the payload but its fingerprint and signature, and the
// side of its symbol in modules.
func unsealed(st Stamp, w work, signer crypto.Signer) (payload.Payload, int, error) {
	p := payload.Payload{
		Test: st.Test, Issuer: st.Tenant, KeySeq: st.KeySeq, Reference: st.Reference, DocumentType: st.DocumentType,
		IssuedAt: st.IssuedAt, ExpiresAt: st.ExpiresAt, Status: st.StatusIndex, Fields: w.signed,
	}
	key, err := payload.KeyOf(signer.Public())
	if err != nil {
		return p, 0, fmt.Errorf("signing key of %s: %w", st.Tenant, err)
	}
	p.Algorithm = key.Algorithm()
	side, err := symbolSide(p)
	return p, side, err
}

// seal has the symbol of p drawn at a place that was chosen, and p sealed.
func (s *Service) seal(ctx context.Context, p payload.Payload, side int, at spot, how layout, w work, signer crypto.Signer) (finished, error) {
	sealed := false
	p.Plain = how.plain
	job := s.job(w, p.Reference, side)
	job.Anchor, job.Beneath, job.Over = at.anchor, how.beneath, how.over
	job.Seal = func(fingerprint [16]byte) (string, error) {
		p.Fingerprint = fingerprint
		if err := p.Seal(signer); err != nil {
			return "", err
		}
		raw, err := p.Append(nil)
		if err != nil {
			return "", err
		}
		sealed = true
		return payload.EncodeText(raw), nil
	}
	drawn, err := s.c.Stamper.Stamp(ctx, job)
	switch {
	case err != nil:
		return finished{}, err
	case !sealed:
		return finished{}, errNotSealed
	case len(drawn.Places) == 0:
		return finished{}, errNowhere
	}
	drawn.Warnings = append(drawn.Warnings, at.warnings...)
	done := finished{Drawn: drawn, payload: p, ground: at.ground, looked: at.looked, narrow: w.checkModule(drawn.Places, side)}
	done.pdf, err = s.c.Spool.Append(w.pdf, drawn.Revision)
	return done, err
}

// Errors of a stamper that breaks its contract.
var (
	errNotSealed = errors.New("the stamper drew a symbol without asking for its text")
	errNowhere   = errors.New("the stamper drew no symbol")
)

// look reads the finished stamp, grades it, and compares the pages with the original
// ones. It measures the ground under the stamp at the same time.
func (s *Service) look(ctx context.Context, done *finished, w work) error {
	raw, err := done.payload.Append(nil)
	if err != nil {
		return fmt.Errorf("encode payload: %w", err)
	}
	var ground, caveats, compare contain.Group // each of one, so that the errors are told apart
	if !done.looked {
		ground.Go("stamp-ground", func() (err error) {
			done.ground, err = s.groundOf(ctx, w.pdf.Section(), proved(done.Places))
			return err
		})
	}
	if !done.seen.known {
		caveats.Go("stamp-caveats", func() (err error) {
			done.seen.caveats, err = s.c.Readback.Caveats(ctx, done.pdf.Section())
			return err
		})
		compare.Go("stamp-compare", func() (err error) {
			done.seen.rendering, err = s.compare(ctx, w.pdf, done.pdf, done.Places, w.scanSafety().Rendering)
			return err
		})
	}
	var q readback.Request
	var readings []readback.Reading
	errRead := contain.Do("stamp-proof", func() (err error) {
		q, readings, err = s.prove(ctx, done.pdf, done.Places, done.Modules, payload.EncodeText(raw), w)
		return err
	})
	errGround, errCaveats, errCompare := ground.Wait(), caveats.Wait(), compare.Wait()
	if there := done.ground.stamps(); errGround == nil && len(there) > 0 {
		return &hidden{there}
	}
	if errRead == nil && errGround == nil {
		done.grade = gradeOf(done.Places, done.ground.ink, q, readings)
	}
	done.seen.known = true
	return cmp.Or(errCompare, errRead, errGround, errCaveats)
}

// tell adds the warnings that a finished stamp comes with.
func (f *finished) tell(w work) {
	f.Warnings = append(f.Warnings, w.collisionWarnings(f.ground)...)
	if warning := f.grade.warning(); warning != "" {
		f.Warnings = append(f.Warnings, warning)
	}
	for _, c := range f.seen.caveats {
		f.Warnings = append(f.Warnings, "who scans the document is told: "+c)
	}
	if r := f.seen.rendering; r != nil {
		f.Warnings = append(f.Warnings, r.warnings()...)
		for _, page := range r.Blank {
			if slices.Contains(f.Filled, page) {
				f.Warnings = append(f.Warnings, fmt.Sprintf("page %d has contents and shows nothing of them", page))
			}
		}
		r.Plain = f.payload.Plain
	}
}
