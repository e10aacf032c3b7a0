package proof

import (
	"context"
	"errors"
	"io"
	"time"

	"tcode/offline/geometry"
	"tcode/offline/host/awake"
	"tcode/scanner/gray"
	"tcode/scanner/locate"
	"tcode/scanner/raster"
	"tcode/scanner/readback"
	"tcode/scanner/symbol"
)

const (
	// symbolReach is the distance around an area in which symbols are searched that reach into it, in mm.
	symbolReach = 25
	// symbolDPI is the resolution of that look: modules of 0.2 mm have 1.6 px.
	symbolDPI = 200
	// symbolInk is the share of ink from which an area may hold a part of a symbol: a strip of a fortieth of it.
	symbolInk = 0.01
	// symbolBudget is the processor time for one look. Finding nothing on a page of text takes longest.
	symbolBudget = 250 * time.Millisecond
)

// Ground examines areas of pdf. It does no more than [Prover.Ink] for those with next to no ink. An area
// outside its page is empty. Errors are those of package raster, [ErrPages], [ErrTooLong] and the cause of ctx.
func (p *Prover) Ground(ctx context.Context, pdf *io.SectionReader, areas []geometry.Area) ([]readback.Ground, error) {
	return p.grounds(ctx, pdf, areas, true)
}

// grounds examines areas, and searches for symbols in them if symbols is set.
func (p *Prover) grounds(ctx context.Context, pdf *io.SectionReader, areas []geometry.Area, symbols bool) ([]readback.Ground, error) {
	out := make([]readback.Ground, len(areas))
	if len(areas) == 0 {
		return out, nil
	}
	err := p.raster.OpenFrom(ctx, pdf, func(d *raster.Document) error {
		drawing := awake.Start()
		defer drawing.Stop()
		for i, a := range areas {
			if err := goOn(ctx, drawing); err != nil {
				return err
			}
			v, err := view(d, raster.ViewRequest{Page: a.Page, DPI: inkDPI, Area: around(a.Rect, 0), MaxPixels: maxPixels})
			if errors.Is(err, raster.ErrUnsupported) {
				continue // beside the page
			}
			if err != nil {
				return err
			}
			if out[i].Ink = inkOf(v.Gray()); !symbols || out[i].Ink < symbolInk {
				continue
			}
			if out[i].Symbols, err = symbolsIn(ctx, d, a); err != nil {
				return err
			}
		}
		return nil
	})
	return out, err
}

// symbolsIn returns the symbols that reach into a.
func symbolsIn(ctx context.Context, d *raster.Document, a geometry.Area) (out []readback.Found, err error) {
	v, err := view(d, raster.ViewRequest{Page: a.Page, DPI: symbolDPI, Area: around(a.Rect, symbolReach), MaxPixels: maxPixels})
	if err != nil {
		return nil, err
	}
	mm := mmPerInch / v.DPI
	box := func(x, y, width, height float64) geometry.Rect { // of px of v
		return geometry.Rect{X: (x + float64(v.X)) * mm, Y: (y + float64(v.Y)) * mm, Width: width * mm, Height: height * mm}
	}
	where := likely(v.Gray(), func(b gray.Rect) bool {
		return box(float64(b.X0), float64(b.Y0), float64(b.X1-b.X0), float64(b.Y1-b.Y0)).Meets(a.Rect)
	})
	if where.Empty() {
		return nil, nil
	}
	got := look(ctx, v.Gray().Crop(where), symbol.Options{Budget: symbolBudget, DPI: v.DPI})
	for i := range got.Symbols {
		s := &got.Symbols[i]
		x0, y0, x1, y1 := boxOf(s)
		at := box(x0+float64(where.X0), y0+float64(where.Y0), x1-x0, y1-y0)
		if at.Meets(a.Rect) {
			out = append(out, readback.Found{Text: s.Text, At: at})
		}
	}
	return out, context.Cause(ctx)
}

// likely returns the part of img that holds all that looks like a symbol and matters, with paper around it. Most text
// does not look like one, and reading it takes ten times as long as detecting that.
func likely(img *gray.Image, matters func(gray.Rect) bool) (all gray.Rect) {
	var f locate.Finder
	add := func(b gray.Rect, score float64) {
		b = b.Grow(max((b.X1-b.X0)/6, (b.Y1-b.Y0)/6, 12))
		switch {
		case score < locate.Likely || !matters(b):
		case all.Empty():
			all = b
		default:
			all = gray.Rect{X0: min(all.X0, b.X0), Y0: min(all.Y0, b.Y0), X1: max(all.X1, b.X1), Y1: max(all.Y1, b.Y1)}
		}
	}
	for _, b := range f.Boxes(img) {
		add(b.Rect, f.Whole(img, b.Grow(max((b.X1-b.X0)/12, (b.Y1-b.Y0)/12, 6))))
	}
	for _, b := range f.Components(img) {
		add(b.Rect, b.Score)
	}
	return all.Clip(img.Width, img.Height)
}
