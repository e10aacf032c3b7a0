package storetest

import (
	"context"
	"io"

	"tcode/server/issue/placement"
	"tcode/server/issue/stamp"
)

// place returns the place at which the stand-in stamps: one page of A4, 0.375 mm a module,
// at an anchor given by its y.
func place(job stamp.Job) stamp.Place {
	const module, quiet = 0.375, 2
	side := module * float64(job.Side)
	y := 10.0
	for i, a := range placement.Anchors() {
		if job.Anchor == a {
			y = 20 + 25*float64(i)
		}
	}
	inner := stamp.Rect{X: 100, Y: y, Width: side, Height: side}
	outer := stamp.Rect{X: 100 - quiet*module, Y: y - quiet*module, Width: side + 2*quiet*module, Height: side + 2*quiet*module}
	return stamp.Place{Page: 1, Width: 210, Height: 297, Box: outer, Quiet: outer, Symbol: inner, ModuleMM: module}
}

// Survey offers the job's place, then all nine anchors.
func (s Stamper) Survey(_ context.Context, job stamp.Job) ([]stamp.Option, error) {
	if s.Fault != nil {
		return nil, s.Fault
	}
	out := []stamp.Option{{Places: []stamp.Place{place(job)}}}
	for _, a := range placement.Anchors() {
		job.Anchor = a
		out = append(out, stamp.Option{Anchor: a, Places: []stamp.Place{place(job)}})
	}
	return out, nil
}

// Proof is a stand-in for the reader of PDFs: it reports every page as empty and every
// stamp as easy to read, unless its members say otherwise.
type Proof struct {
	Inked func(stamp.Area) float64                                         // nil: no ink
	Shows func(stamp.Area) []string                                        // texts of symbols; nil: none
	Sees  func(stamp.ReadRequest, stamp.ReadTarget) (stamp.Reading, error) // nil: all is read
	Told  []string                                                         // caveats of every file
	// Compares is the result for two engines; nil: they draw one page, and draw it alike.
	Compares func(stamp.Comparison) (stamp.Compared, error)
}

var _ stamp.Proof = Proof{}

// Ground uses p.Inked and p.Shows.
func (p Proof) Ground(_ context.Context, _ *io.SectionReader, areas []stamp.Area) ([]stamp.Ground, error) {
	out := make([]stamp.Ground, len(areas))
	for i, a := range areas {
		if p.Inked != nil {
			out[i].Ink = p.Inked(a)
		}
		if p.Shows != nil {
			out[i].Symbols = p.Shows(a)
		}
	}
	return out, nil
}

// Read uses p.Sees.
func (p Proof) Read(_ context.Context, _ *io.SectionReader, q stamp.ReadRequest) ([]stamp.Reading, error) {
	out := make([]stamp.Reading, 0, len(q.Places))
	for _, at := range q.Places {
		r := stamp.Reading{Page: at.Page, Read: true, DPI: q.DPI, Contrast: 1, Correctable: 24, QuietModules: 4, ReadsAtDPI: 100}
		if p.Sees != nil {
			var err error
			if r, err = p.Sees(q, at); err != nil {
				return nil, err
			}
		}
		out = append(out, r)
	}
	return out, nil
}

// Picture returns a PNG's first bytes.
func (Proof) Picture(context.Context, *io.SectionReader, int) (stamp.Picture, error) {
	return stamp.Picture{PNG: []byte("\x89PNG\r\n\x1a\n"), Width: 1, Height: 1, DPI: 150}, nil
}

// Compare uses p.Compares.
func (p Proof) Compare(_ context.Context, _, _ *io.SectionReader, c stamp.Comparison) (stamp.Compared, error) {
	if p.Compares != nil {
		return p.Compares(c)
	}
	return stamp.Compared{Rendering: stamp.Rendering{Engines: []string{"one", "two"}, Pages: 1, Compared: 1, Differences: []stamp.Difference{}}}, nil
}

// Caveats returns p.Told.
func (p Proof) Caveats(context.Context, *io.SectionReader) ([]string, error) { return p.Told, nil }
