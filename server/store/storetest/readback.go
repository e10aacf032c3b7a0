package storetest

import (
	"context"
	"io"

	"tcode/offline/geometry"
	"tcode/scanner/readback"
	"tcode/server/issue/stamp"
)

// place is where the stand-in stamps: one page of A4, 0.375 mm a module, at an
// anchor that is told by its y.
func place(job stamp.Job) geometry.Place {
	const module, quiet = 0.375, 2
	side := module * float64(job.Side)
	y := 10.0
	for i, a := range geometry.Anchors() {
		if job.Anchor == a {
			y = 20 + 25*float64(i)
		}
	}
	inner := geometry.Rect{X: 100, Y: y, Width: side, Height: side}
	outer := geometry.Rect{X: 100 - quiet*module, Y: y - quiet*module, Width: side + 2*quiet*module, Height: side + 2*quiet*module}
	return geometry.Place{Page: 1, PageMM: geometry.Size{Width: 210, Height: 297}, Box: outer, Quiet: outer, Symbol: inner, ModuleMM: module}
}

// Survey offers the job's place, then all nine anchors.
func (s Stamper) Survey(_ context.Context, job stamp.Job) ([]stamp.Option, error) {
	if s.Fault != nil {
		return nil, s.Fault
	}
	out := []stamp.Option{{Places: []geometry.Place{place(job)}}}
	for _, a := range geometry.Anchors() {
		job.Anchor = a
		out = append(out, stamp.Option{Anchor: a, Places: []geometry.Place{place(job)}})
	}
	return out, nil
}

// Readback stands in for the reader of PDFs: it takes every page for empty and
// every stamp for one that reads easily, unless its members say otherwise.
type Readback struct {
	Inked func(geometry.Area) float64                                       // nil: no ink
	Shows func(geometry.Area) []string                                      // texts of symbols; nil: none
	Sees  func(readback.Request, readback.Target) (readback.Reading, error) // nil: all is read
	Told  []string                                                          // caveats of every file
	// Compares answers for two engines; nil: they draw one page, and alike.
	Compares func(readback.Comparison) (readback.Compared, error)
}

var _ stamp.Readback = Readback{}

// Ground asks r.Inked and r.Shows.
func (r Readback) Ground(_ context.Context, _ *io.SectionReader, areas []geometry.Area) ([]readback.Ground, error) {
	out := make([]readback.Ground, len(areas))
	for i, a := range areas {
		if r.Inked != nil {
			out[i].Ink = r.Inked(a)
		}
		if r.Shows != nil {
			for _, text := range r.Shows(a) {
				out[i].Symbols = append(out[i].Symbols, readback.Found{Text: text})
			}
		}
	}
	return out, nil
}

// Read asks r.Sees.
func (r Readback) Read(_ context.Context, _ *io.SectionReader, q readback.Request) ([]readback.Reading, error) {
	out := make([]readback.Reading, 0, len(q.Targets))
	for _, at := range q.Targets {
		got := readback.Reading{Page: at.Page, Read: true, DPI: q.DPI, Contrast: 1, Correctable: 24, QuietModules: 4, ReadsAtDPI: 100}
		if r.Sees != nil {
			var err error
			if got, err = r.Sees(q, at); err != nil {
				return nil, err
			}
		}
		out = append(out, got)
	}
	return out, nil
}

// Picture is a PNG's first bytes.
func (Readback) Picture(context.Context, *io.SectionReader, int) (readback.Picture, error) {
	return readback.Picture{PNG: []byte("\x89PNG\r\n\x1a\n"), Width: 1, Height: 1, DPI: 150}, nil
}

// Compare asks r.Compares.
func (r Readback) Compare(_ context.Context, _, _ *io.SectionReader, c readback.Comparison) (readback.Compared, error) {
	if r.Compares != nil {
		return r.Compares(c)
	}
	return readback.Compared{Rendering: readback.Rendering{Engines: []string{"one", "two"}, Pages: 1, Compared: 1, Differences: []readback.Difference{}}}, nil
}

// Caveats returns r.Told.
func (r Readback) Caveats(context.Context, *io.SectionReader) ([]string, error) { return r.Told, nil }
