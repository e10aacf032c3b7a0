package pdfstamp

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"tcode/offline/geometry"
	"tcode/offline/payload"
)

// survey lays the stamp out as pl says and at the nine anchors. It runs in the
// child.
func survey(pdf *file, pl Placement, r payload.Reference, side int) ([]Option, error) {
	doc, pages, err := chosen(pdf, pl, side)
	if err != nil {
		return nil, err
	}
	text, err := pl.Caption.letter(r)
	if err != nil {
		return nil, err
	}
	wanted, err := doc.option(pages, pl, side, text.block)
	if err != nil {
		return nil, err
	}
	var out []Option
	for _, c := range geometry.Anchors() {
		moved := pl
		moved.Anchor, moved.At = c, nil
		o, err := doc.option(pages, moved, side, text.block)
		if errors.Is(err, errNoRoom) || errors.Is(err, errNoTextRoom) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(append(out, wanted), o.sameAs) {
			out = append(out, o)
		}
	}
	slices.SortStableFunc(out, func(a, b Option) int {
		da, db := wanted.distance(a), wanted.distance(b)
		switch {
		case da < db-tiny:
			return -1
		case da > db+tiny:
			return 1
		}
		return 0
	})
	return append([]Option{wanted}, out...), nil
}

// option lays the stamp out on pages.
func (d *document) option(pages []*page, pl Placement, side int, text block) (Option, error) {
	o := Option{Placement: pl}
	for _, p := range pages {
		b, err := pl.layout(p, side, text)
		if err != nil {
			return Option{}, fmt.Errorf("page %d: %w", p.number, err)
		}
		b.place.Under = d.obstacles(p, b.place.Box)
		o.Places = append(o.Places, p.onEach(b.place)...)
	}
	slices.SortFunc(o.Places, byPage)
	return o, nil
}

// sameAs reports whether both options draw in the same places, to a millimetre:
// on a page without room the anchors hardly differ.
func (o Option) sameAs(p Option) bool {
	return slices.EqualFunc(o.Places, p.Places, func(a, b geometry.Place) bool {
		return math.Hypot(a.Box.X-b.Box.X, a.Box.Y-b.Box.Y) < 1
	})
}

// distance returns how far p lies from o on the first page, in mm.
func (o Option) distance(p Option) float64 {
	a, b := o.Places[0].Box, p.Places[0].Box
	return math.Hypot(a.X+a.Width/2-b.X-b.Width/2, a.Y+a.Height/2-b.Y-b.Height/2)
}
