package stamp

import (
	"bytes"
	"context"
	"crypto"
	"errors"
	"fmt"
	"io"
	"slices"

	"tcode/offline/geometry"
	"tcode/offline/payload"
	"tcode/server/fault"
	"tcode/server/issue/placement"
)

// leastInk is the share of the box from which its ground counts as not empty: a
// comma in a box of 20 mm.
const leastInk = 0.001

// A Collision is something that shares ground with the stamp's box on one page.
type Collision struct {
	Page       int
	Kind       string // ink, or the kind of a [geometry.Obstacle]
	Name       string // of the obstacle; may be empty
	InkPercent float64
	Area       geometry.Rect // the box for ink, else where the obstacle is
}

// KindInk is the kind of a [Collision] with the page's own contents.
const KindInk = "ink"

// String returns a description of the ground.
func (c Collision) String() string {
	if c.Kind == KindInk {
		return fmt.Sprintf("page %d is not empty under the stamp (%.3g %% ink)", c.Page, c.InkPercent)
	}
	return fmt.Sprintf("page %d has %s where the stamp lies", c.Page, geometry.Obstacle{Kind: c.Kind, Name: c.Name})
}

// A ground holds the ink and the obstacles at the place of a stamp.
type ground struct {
	collisions []Collision
	ink        float64 // the largest share of a box that is not empty
}

// groundOf measures the pages of pdf, which is not stamped yet, under the boxes of
// places.
func (s *Service) groundOf(ctx context.Context, pdf *io.SectionReader, places []geometry.Place) (ground, error) {
	areas := make([]geometry.Area, len(places))
	for i, p := range places {
		areas[i] = geometry.Area{Page: p.Page, Rect: p.Box}
	}
	found, err := s.c.Readback.Ground(ctx, pdf, areas)
	if err != nil {
		return ground{}, notDrawn(err)
	}
	if len(found) != len(areas) {
		return ground{}, fmt.Errorf("%d of %d boxes were measured", len(found), len(areas))
	}
	var g ground
	for i, p := range places {
		g.ink = max(g.ink, found[i].Ink)
		if found[i].Ink >= leastInk {
			g.collisions = append(g.collisions, Collision{Page: p.Page, Kind: KindInk, InkPercent: percent(found[i].Ink), Area: p.Box})
		}
		known := map[string]bool{}
		for _, o := range p.Under {
			g.collisions = append(g.collisions, Collision{Page: p.Page, Kind: o.Kind, Name: o.Name, Area: o.Area})
			known[o.Name] = known[o.Name] || o.Kind == geometry.KindStamp
		}
		for _, symbol := range found[i].Symbols {
			if name, ok := stampOf(symbol.Text); ok && !known[name] {
				g.collisions = append(g.collisions, Collision{Page: p.Page, Kind: geometry.KindStamp, Name: name, Area: p.Box})
			}
		}
	}
	return g, nil
}

// stampOf returns the reference of the stamp whose symbol says text. It may have
// come to the page as a picture, of which the file says nothing.
func stampOf(text string) (reference string, ok bool) {
	raw, err := payload.DecodeText(text)
	if err != nil {
		return "", false
	}
	p, err := payload.Parse(raw)
	return p.Reference.String(), err == nil
}

// stamps returns the file's stamps among the obstacles.
func (g ground) stamps() []Collision {
	return slices.DeleteFunc(slices.Clone(g.collisions), func(c Collision) bool { return c.Kind != geometry.KindStamp })
}

// free reports whether places of pdf are free for a stamp, and returns the obstacles.
// It measures a few pages first: one that is not free is enough.
func (s *Service) free(ctx context.Context, pdf *io.SectionReader, places []geometry.Place) (ground, error) {
	for _, p := range places {
		if len(p.Under) > 0 {
			return s.groundOf(ctx, pdf, []geometry.Place{p})
		}
	}
	few := proved(places)
	g, err := s.groundOf(ctx, pdf, few)
	if err != nil || len(g.collisions) > 0 || len(few) == len(places) {
		return g, err
	}
	return s.groundOf(ctx, pdf, places)
}

// A spot is the place that was chosen for a stamp.
type spot struct {
	anchor   geometry.Anchor // as in a [Job]
	ground   ground
	looked   bool // ground is known
	warnings []string
}

// choose finds the stamp's place where the template has a policy on obstacles, or the
// file has stamps: the place of the template, or the next anchor that is free. The
// fault is PDF_NOT_STAMPABLE where none is. choose signs nothing and writes nothing.
func (s *Service) choose(ctx context.Context, w work, ref payload.Reference, side int) (spot, error) {
	if s.c.Readback == nil {
		return spot{}, errNoReadback
	}
	policy := w.scanSafety().Collision
	careless := policy != placement.CollisionReject && policy != placement.CollisionRelocate
	if careless {
		if brings, err := bringsStamp(w.pdf.Section()); err != nil || !brings {
			return spot{}, err
		}
	}
	options, err := s.c.Stamper.Survey(ctx, s.job(w, ref, side))
	if err != nil {
		return spot{}, err
	}
	if len(options) == 0 {
		return spot{}, fmt.Errorf("survey: no place at all")
	}
	if careless {
		first := stampsUnder(options[0].Places)
		if len(first) == 0 {
			return spot{}, nil
		}
		return s.offStamps(ctx, w, options, first)
	}
	if policy == placement.CollisionReject {
		options = options[:1]
	}
	var first []Collision
	for i, o := range options {
		if !w.wideEnough(o.Places) && i > 0 {
			continue
		}
		g, err := s.free(ctx, w.pdf.Section(), o.Places)
		if err != nil {
			return spot{}, err
		}
		if len(g.collisions) == 0 {
			out := spot{anchor: o.Anchor, ground: g, looked: true}
			if i > 0 {
				out.warnings = []string{movedTo(o, first)}
			}
			return out, nil
		}
		if i == 0 {
			first = g.collisions
		}
	}
	return spot{ground: ground{collisions: first}}, taken(first, policy)
}

// movedTo says where the stamp went, and why.
func movedTo(o Option, there []Collision) string {
	return fmt.Sprintf("the stamp was moved to %s: %s", o.Anchor, there[0])
}

// bringsStamp reports whether pdf may hold a TCode stamp: the dictionary of its
// image is never packed or encrypted.
func bringsStamp(pdf *io.SectionReader) (bool, error) {
	const key = "/TCode"
	buf := make([]byte, 64<<10)
	for at := int64(0); at < pdf.Size(); at += int64(len(buf) - len(key)) {
		n, err := pdf.ReadAt(buf, at)
		if bytes.Contains(buf[:n], []byte(key)) {
			return true, nil
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return false, fmt.Errorf("look for stamps: %w", err)
		}
	}
	return false, nil
}

// offStamps chooses the place of a stamp that would hide the stamps first where the
// template has it: the next anchor that is free, or has at least no stamp.
func (s *Service) offStamps(ctx context.Context, w work, options []Option, first []Collision) (spot, error) {
	var second *Option
	for _, o := range options[1:] {
		if !w.wideEnough(o.Places) || len(stampsUnder(o.Places)) > 0 {
			continue
		}
		g, err := s.free(ctx, w.pdf.Section(), o.Places)
		if err != nil {
			return spot{}, err
		}
		if len(g.collisions) == 0 {
			return spot{anchor: o.Anchor, ground: g, looked: true, warnings: []string{movedTo(o, first)}}, nil
		}
		if second == nil && len(g.stamps()) == 0 {
			second = &o
		}
	}
	if second == nil {
		return spot{ground: ground{collisions: first}}, taken(first, placement.CollisionRelocate)
	}
	return spot{anchor: second.Anchor, warnings: []string{movedTo(*second, first)}}, nil
}

// A hidden error says that a stamp, as it was placed, would hide others that only
// the picture of the page shows.
type hidden struct{ stamps []Collision }

func (h *hidden) Error() string { return "it hides another stamp: " + h.stamps[0].String() }

// settle finishes a stamp at the place that was chosen, or where that hides
// another stamp at one that does not. The fault is PDF_NOT_STAMPABLE where there
// is none; a stamp that is refused for its place or looks comes with the fault.
func (s *Service) settle(ctx context.Context, p payload.Payload, side int, at spot, w work, signer crypto.Signer) (finished, error) {
	done, err := s.finish(ctx, p, side, at, w, signer)
	hides, ok := errors.AsType[*hidden](err)
	if !ok {
		return done, err
	}
	options, err := s.c.Stamper.Survey(ctx, s.job(w, p.Reference, side))
	if err != nil {
		return done, err
	}
	if at, err = s.offStamps(ctx, w, options, hides.stamps); err != nil {
		return done, err
	}
	done.pdf.Close()
	if done, err = s.finish(ctx, p, side, at, w, signer); errors.As(err, &hides) {
		err = taken(hides.stamps, placement.CollisionRelocate)
	}
	return done, err
}

// stampsUnder returns the stamps of the file that places would hide.
func stampsUnder(places []geometry.Place) (out []Collision) {
	for _, p := range places {
		for _, o := range p.Under {
			if o.Kind == geometry.KindStamp {
				out = append(out, Collision{Page: p.Page, Kind: o.Kind, Name: o.Name, Area: o.Area})
			}
		}
	}
	return out
}

// taken is the fault of a page that has no room.
func taken(there []Collision, policy placement.Collision) error {
	message := fmt.Sprintf("the stamp's place is not free: %s", there[0])
	if policy == placement.CollisionRelocate {
		message += "; none of the nine anchors is free"
	}
	f := fault.New(fault.Rejected, fault.CodePDFNotStampable, "%s", message)
	for _, c := range there[:min(len(there), maxCollisionWarnings)] {
		f = f.WithField("pdf", "%s", c)
	}
	return f
}

// collisionWarnings returns the warnings on the ground under the stamp, where the
// template requests them.
func (w work) collisionWarnings(g ground) []string {
	if w.scanSafety().Collision == placement.CollisionAllow {
		return nil
	}
	var out []string
	for i, c := range g.collisions {
		if i == maxCollisionWarnings {
			return append(out, fmt.Sprintf("and %d more", len(g.collisions)-i))
		}
		out = append(out, c.String())
	}
	return out
}

// maxCollisionWarnings limits the warnings of a file of many pages.
const maxCollisionWarnings = 10

// wideEnough reports whether the modules at places are as wide as the template
// wants them.
func (w work) wideEnough(places []geometry.Place) bool {
	least := w.scanSafety().MinModuleMM
	for _, p := range places {
		if least != nil && p.ModuleMM < *least-1e-6 {
			return false
		}
	}
	return true
}

// checkModule is the fault of a symbol whose modules are narrower than the
// template allows.
func (w work) checkModule(places []geometry.Place, side int) error {
	if w.wideEnough(places) {
		return nil
	}
	least := *w.scanSafety().MinModuleMM
	for _, p := range places {
		if p.ModuleMM >= least-1e-6 {
			continue
		}
		f := fault.New(fault.Rejected, fault.CodeConfigurationMismatch,
			"a symbol of %d modules has modules of %.3g mm on page %d, the template wants %.3g mm", side, p.ModuleMM, p.Page, least)
		if len(w.signed) > 0 {
			f = f.WithField("fields", "make a symbol of %d modules, too large for the template's bounds; shorten them or sign fewer", side)
		}
		return f.WithField("placementTemplateId", "bounds the stamp to less than %d modules of %.3g mm take: %.3g mm with the quiet zone",
			side, least, least*(float64(side)+2*w.scanSafety().QuietZoneModules))
	}
	return nil
}
