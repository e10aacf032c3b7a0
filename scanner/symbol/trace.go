package symbol

import (
	"tcode/scanner/ecc200"
	"tcode/scanner/gray"
	"tcode/scanner/locate"
)

// A BoxKind says why a part of an image was searched.
type BoxKind string

// Kinds of boxes.
const (
	BoxTexture BoxKind = "texture" // has the texture of a symbol
	BoxPart    BoxKind = "part"    // dark parts that hang together
	BoxImage   BoxKind = "image"   // the whole of a small image
)

// A Trace is all that one call of [ReadImage] saw, for people who want to know
// the reasons for its result. See [Options.Watch].
type Trace struct {
	Page    int         // of the document, as in [Options]; 0: none
	DPI     float64     // of Image; 0: unknown
	Image   *gray.Image // the image that was read; after Watch returns the memory may be used for other pages
	Boxes   []TraceBox  // in the order of finding
	Tries   []TraceTry  // in the order of trying
	Reading Reading     // the result

	box int // index of the box that is being searched; -1: none
}

// A TraceBox is a part of the image that might hold a symbol.
type TraceBox struct {
	Kind       BoxKind
	Rect       gray.Rect          // px, before a margin was added
	Score      float64            // how much of one piece, see [locate.Likely]
	Order      int                // when it was searched, from 1; 0: never
	Candidates []locate.Candidate // results of the search, refined where that was worth it
}

// A TraceTry is a candidate whose modules were sampled.
type TraceTry struct {
	Candidate locate.Candidate
	Box       int         // index in [Trace.Boxes]; -1: none of them
	Grid      ecc200.Grid // as sampled
	Proven    []bool      // the error-free symbol, as in [Symbol]; nil: not read
	Err       error       // one of the errors of package ecc200; nil: read
}

// newTrace returns nil unless opt wants a trace. All methods take a nil trace
// and do nothing then.
func newTrace(img *gray.Image, opt *Options) *Trace {
	if opt.Watch == nil {
		return nil
	}
	return &Trace{Page: opt.Page, DPI: opt.DPI, Image: img, box: -1}
}

// found notes boxes that are about to be tried.
func (t *Trace) found(kind BoxKind, boxes []locate.Box) {
	if t == nil {
		return
	}
	for _, b := range boxes {
		t.Boxes = append(t.Boxes, TraceBox{Kind: kind, Rect: b.Rect, Score: b.Score})
	}
}

// search notes that box b, without its margin, is searched now.
func (t *Trace) search(b gray.Rect) {
	if t == nil {
		return
	}
	t.box = -1
	order := 1
	for i := range t.Boxes {
		if t.Boxes[i].Order > 0 {
			order++
		} else if t.Boxes[i].Rect == b && t.box < 0 {
			t.box = i
		}
	}
	if t.box < 0 {
		t.Boxes = append(t.Boxes, TraceBox{Kind: BoxImage, Rect: b})
		t.box = len(t.Boxes) - 1
	}
	t.Boxes[t.box].Order = order
}

// candidates notes the results of the search. The slice is kept: refining shows in it.
func (t *Trace) candidates(list []locate.Candidate) {
	if t != nil && t.box >= 0 {
		t.Boxes[t.box].Candidates = list
	}
}

// judged notes the result of Reed-Solomon for grid, sampled at c.
func (t *Trace) judged(c *locate.Candidate, grid ecc200.Grid, d *ecc200.Decoded, err error) {
	if t == nil {
		return
	}
	try := TraceTry{Candidate: *c, Box: -1, Grid: grid, Proven: d.Dark, Err: err}
	if t.box >= 0 && holds(t.Boxes[t.box].Rect, c.Center()) {
		try.Box = t.box
	}
	t.Tries = append(t.Tries, try)
}

// end passes the trace to Watch.
func (t *Trace) end(out Reading, opt *Options) {
	if t != nil {
		t.Reading = out
		opt.Watch(t)
	}
}

func holds(r gray.Rect, p gray.Point) bool {
	return p.X >= float64(r.X0) && p.X < float64(r.X1) && p.Y >= float64(r.Y0) && p.Y < float64(r.Y1)
}
