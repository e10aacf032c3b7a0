package stamp

import (
	"context"
	"crypto"
	"errors"
	"fmt"
	"sync"

	"tcode/offline/payload"
	"tcode/server/spool"
)

// A finished stamp is drawn, and has yet to be stored. Who has one closes its
// file.
type finished struct {
	Drawn
	pdf     *spool.File // the stamped file
	payload payload.Payload
	ground  ground
	looked  bool // ground is known
	grade   Grade
}

// stamp chooses the place, has the symbol drawn and the payload sealed over the
// finished file.
func (s *Service) stamp(ctx context.Context, st Stamp, w work, signer crypto.Signer) (finished, error) {
	p, side, err := unsealed(st, w, signer)
	if err != nil {
		return finished{}, err
	}
	if s.c.Proof == nil {
		return finished{}, errNoProof
	}
	at, err := s.choose(ctx, w, st.Reference, side)
	if err != nil {
		return finished{}, err
	}
	done, err := s.seal(ctx, p, side, at, w, signer)
	if err != nil {
		return finished{}, err
	}
	if err := w.checkModule(done.Places, side); err != nil {
		done.pdf.Close()
		return finished{}, err
	}
	return done, nil
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
func (s *Service) seal(ctx context.Context, p payload.Payload, side int, at spot, w work, signer crypto.Signer) (finished, error) {
	sealed := false
	drawn, err := s.c.Stamper.Stamp(ctx, Job{
		PDF: w.pdf.Section(), Reference: p.Reference, Placement: w.placement, Anchor: at.anchor, Side: side,
		Seal: func(fingerprint [16]byte) (string, error) {
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
		},
	})
	switch {
	case err != nil:
		return finished{}, err
	case !sealed:
		return finished{}, errNotSealed
	case len(drawn.Places) == 0:
		return finished{}, errNowhere
	}
	drawn.Warnings = append(drawn.Warnings, at.warnings...)
	done := finished{Drawn: drawn, payload: p, ground: at.ground, looked: at.looked}
	done.pdf, err = s.c.Spool.Append(w.pdf, drawn.Revision)
	return done, err
}

// What a stamper must not do.
var (
	errNotSealed = errors.New("the stamper drew a symbol without asking for its text")
	errNowhere   = errors.New("the stamper drew no symbol")
)

// look reads the finished stamp, whose symbol says text, and grades it. What
// was there before is measured at the same time.
func (s *Service) look(ctx context.Context, done *finished, text string, w work) error {
	var errGround, errCaveats error
	var wg sync.WaitGroup
	if !done.looked {
		wg.Go(func() { done.ground, errGround = s.groundOf(ctx, w.pdf.Section(), proved(done.Places)) })
	}
	var caveats []string
	wg.Go(func() { caveats, errCaveats = s.c.Proof.Caveats(ctx, done.pdf.Section()) })
	q, readings, errProof := s.prove(ctx, done.pdf, done.Places, text, w)
	wg.Wait()
	switch {
	case errProof != nil:
		return errProof
	case errGround != nil:
		return errGround
	case errCaveats != nil:
		return errCaveats
	}
	done.grade = gradeOf(done.Places, done.ground.ink, q, readings)
	done.Warnings = append(done.Warnings, w.collisionWarnings(done.ground)...)
	if warning := done.grade.warning(); warning != "" {
		done.Warnings = append(done.Warnings, warning)
	}
	for _, c := range caveats {
		done.Warnings = append(done.Warnings, "who scans the document is told: "+c)
	}
	return nil
}
