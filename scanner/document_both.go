package scanner

import (
	"context"
	"errors"
	"maps"
	"slices"

	"tcode/scanner/raster"
	"tcode/scanner/symbol"
)

// ErrOneEngine is the error of DocumentOptions.BothEngines in a program that was built with one engine.
var ErrOneEngine = errors.New("this program was built without cgo and draws PDFs with PDFium alone")

// A Dispute is a symbol that one engine shows on a page and the other does not.
type Dispute struct {
	Shows raster.Engine
	Text  string // of the symbol; empty: the whole page, which the other engine cannot draw
	Why   string // the other engine cannot draw the page; empty with Text
}

// readBoth is Read with BothEngines: the pages of both engines become one list.
//
//	first engine ──pages─┐
//	                     ├─▶ symbols that either shows, disputes about the others ─▶ yield
//	other engine ──pages─┘
func (s *Scanner) readBoth(ctx context.Context, name string, data []byte, opt DocumentOptions, yield func(Page) error) error {
	if s.second == nil {
		return ErrOneEngine
	}
	opt.StampOnly = false
	engines := [2]*raster.Rasterizer{s.raster, s.second}
	var pages [2]map[int]Page
	var errs [2]error
	for i, with := range engines {
		pages[i] = map[int]Page{}
		r, err := s.draw(ctx, with, data, opt, func(p Page) error { pages[i][p.Number] = p; return nil })
		if errs[i] = r.conclude(ctx, name, err); ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	numbers := map[int]bool{}
	for _, list := range pages {
		for n := range list {
			numbers[n] = true
		}
	}
	seen := false
	for _, n := range slices.Sorted(maps.Keys(numbers)) {
		p := merge(side{pages[0][n], engines[0].Engine(), errs[0]}, side{pages[1][n], engines[1].Engine(), errs[1]})
		seen = seen || len(p.Reading.Symbols) > 0
		if err := yield(p); err != nil {
			return err
		}
	}
	if errs[0] == nil || errs[1] == nil || seen {
		return nil
	}
	return errs[0]
}

// A side is the result of one engine for a page: the zero Page if the engine did not yield it.
type side struct {
	Page
	engine raster.Engine
	err    error // of the document
}

func (s side) drawn() bool { return s.WidthPx > 0 }

// why says why the page was not drawn.
func (s side) why() string {
	if de, ok := errors.AsType[*DocumentError](s.err); ok && s.Number == 0 {
		return de.Message
	}
	if s.Number == 0 {
		return "it finds no such page"
	}
	return s.Reading.Reason.Message
}

// only returns the symbols of s that other does not show.
func (s side) only(other side) (list []symbol.Symbol) {
	for _, sym := range s.Reading.Symbols {
		if !slices.ContainsFunc(other.Reading.Symbols, func(o symbol.Symbol) bool { return o.Text == sym.Text }) {
			list = append(list, sym)
		}
	}
	return list
}

// merge makes one page of the results of two engines.
func merge(a, b side) Page {
	if !a.drawn() {
		a, b = b, a
	}
	switch {
	case !a.drawn() && a.Number == 0:
		return b.Page
	case !a.drawn():
		return a.Page
	case !b.drawn():
		a.Disputes = append(a.Disputes, Dispute{Shows: a.engine, Why: b.why()})
		return a.Page
	}
	for _, sym := range a.only(b) {
		a.Disputes = append(a.Disputes, Dispute{Shows: a.engine, Text: sym.Text})
	}
	for _, sym := range b.only(a) {
		a.Disputes = append(a.Disputes, Dispute{Shows: b.engine, Text: sym.Text})
		for c := range sym.Corners { // in the pixels of a
			sym.Corners[c][0] *= float64(a.WidthPx) / float64(b.WidthPx)
			sym.Corners[c][1] *= float64(a.HeightPx) / float64(b.HeightPx)
		}
		a.Reading.Symbols = append(a.Reading.Symbols, sym)
		a.Reading.Reason = symbol.Reason{}
	}
	a.Raster += b.Raster
	a.Reading.Locate += b.Reading.Locate
	a.Reading.Decode += b.Reading.Decode
	return a.Page
}
