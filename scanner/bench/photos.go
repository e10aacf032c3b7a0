package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"

	"tcode/scanner/bench/pages"
	"tcode/scanner/gray"
	"tcode/scanner/simulate"
	"tcode/scanner/simulate/photo"
)

// photoDPI is the resolution of the pages before they are printed. Printers make their own
// dots of them; symbols are drawn at the printer's resolution.
const photoDPI = 200

// photoFigures is the truth about a photograph, in a JSON file beside it.
type photoFigures struct {
	Class    string         `json:"class"`
	Text     string         `json:"text"`
	Side     int            `json:"side"` // modules
	ModuleMM float64        `json:"moduleMM"`
	ModulePx float64        `json:"modulePx"`
	Corners  [4]gray.Point  `json:"corners"` // px, the symbol's top left first
	Settings photo.Settings `json:"settings"`
}

// photos has all readers read photographs of stamped pages of every class.
func photos(ctx context.Context, o options, out io.Writer, p *teller) error {
	stock, err := pages.NewStock(ctx, pages.Config{PDFs: o.pdfs, Cache: o.cache, Seed: o.seed, Jobs: o.jobs, Tell: p.tell})
	if err != nil {
		return err
	}
	defer stock.Close()
	d := &drawn{title: fmt.Sprintf("PHOTOGRAPHS, seed %d, by class", o.seed), first: "class"}
	for k, class := range o.classes {
		d.groups = append(d.groups, class.Name)
		for i := range o.photos {
			r := rand.New(rand.NewPCG(o.seed, classSeed(class.Name, i)))
			symbol, text, err := pages.Stamp(r)
			if err != nil {
				return fmt.Errorf("stamp: %w", err)
			}
			page := k + i*len(o.classes)
			d.each = append(d.each, picture{
				id: fmt.Sprintf("%s-%03d", class.Name, i), group: class.Name, text: text,
				draw: func(ctx context.Context) (*gray.Image, bool, any, error) {
					m, err := stock.Page(ctx, page, photoDPI)
					if err != nil {
						return nil, false, nil, err
					}
					return take(m, class, symbol, text, r)
				},
			})
		}
	}
	return d.run(ctx, o, out, p)
}

// classSeed returns the second half of the seed of photograph i of a class.
func classSeed(name string, i int) uint64 {
	h := uint64(14695981039346656037)
	for _, c := range []byte(name) {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return h + uint64(i)
}

// take stamps a page and photographs it.
func take(page *gray.Image, class photo.Class, symbol simulate.Symbol, text string, r *rand.Rand) (*gray.Image, bool, any, error) {
	s := stamped(page, symbol, r)
	set := class.Settings(&s, r)
	shot, err := photo.Take(s, set)
	if err != nil {
		return nil, false, nil, err
	}
	figures := photoFigures{class.Name, text, symbol.Rows, s.Module, shot.ModulePx, shot.Corners, set}
	return shot.Image, pages.Ideal(shot.Image, symbol, shot.At), figures, nil
}

// stamped puts a symbol with modules of 0.3 to 0.6 mm on a page, four times in five in a
// corner.
func stamped(page *gray.Image, symbol simulate.Symbol, r *rand.Rand) photo.Sheet {
	between := func(lo, hi float64) float64 { return lo + r.Float64()*(hi-lo) }
	s := photo.Sheet{
		Page: page, DPI: photoDPI, Symbol: symbol, Module: between(0.3, 0.6), Turns: r.IntN(4), Quiet: float64(1 + r.IntN(3)),
	}
	side, margin := s.Module*float64(symbol.Rows), between(6, 15)
	u, v := float64(r.IntN(2)), float64(r.IntN(2))
	if r.IntN(5) == 0 {
		u, v = r.Float64(), r.Float64()
	}
	w, h := float64(page.Width)/photoDPI*25.4, float64(page.Height)/photoDPI*25.4
	s.X, s.Y = margin+u*(w-2*margin-side), margin+v*(h-2*margin-side)
	return s
}
