package symbol

import (
	"context"
	"math"
	"sync"
	"time"

	"tcode/scanner/ecc200"
	"tcode/scanner/gray"
	"tcode/scanner/locate"
)

// Readers of a [Symbol].
const (
	ReaderOwn     = "own"
	ReaderGozxing = "gozxing"
)

// A Symbol is one Data Matrix ECC 200 symbol that was read without doubt.
type Symbol struct {
	// Text is the text of the symbol, as UTF-8. Its bytes are ISO 8859-1 unless the symbol names another character set
	// (ECI); ISO 8859-1, UTF-8 and ASCII are always known, others by [Options.Charset]. Bytes in a set that is not
	// known, or that are no text in it, stand as ISO 8859-1 too, and Guessed lists the number of that set. Text never has a
	// replacement character that is not in the symbol. FNC1 and ECI are no part of it; macros 05 and 06 are written out.
	Text      string
	Bytes     []byte // of Text, in the sets that the symbol names
	Symbology string // identifier of ISO/IEC 15424: "]d1", "]d2" for GS1 data; see [ecc200.Content]
	ECI       []int  // numbers of the sets that the symbol names, in order; nil: none
	Guessed   []int  // of those, the ones whose bytes are in Text as ISO 8859-1; nil: none

	Rows, Cols int // modules, finder included
	// Corners are the outer corners in px of the image that was read: of the
	// symbol's own top left, top right, bottom right and bottom left, where the
	// bars of the finder pattern are left and bottom.
	Corners         [4][2]float64
	ModulePx        float64 // mean module side, px
	CorrectedErrors int     // codewords that Reed-Solomon corrected at unknown places
	Erasures        int     // codewords given up as unreadable and restored
	Codewords       []byte  // data codewords, corrected, padding included
	Dark            []bool  // the error-free symbol, row-major, Rows*Cols, finder included, row 0 on top
	Reader          string  // ReaderOwn or ReaderGozxing
}

// say fills the members of s that content determines.
func (s *Symbol) say(content *ecc200.Content, others ecc200.Charset) {
	s.Bytes, s.Symbology, s.ECI = content.Bytes(), content.Symbology, content.Named
	s.Text, s.Guessed = content.Text(others)
}

// Same reports whether s and o are one symbol that was read twice: the same text
// with its middle at the same place.
func (s *Symbol) Same(o *Symbol) bool {
	if s.Text != o.Text {
		return false
	}
	a, b := s.Middle(), o.Middle()
	return math.Hypot(a.X-b.X, a.Y-b.Y) < float64(s.Rows)*s.ModulePx/2
}

// Middle returns the mean of the corners, px.
func (s *Symbol) Middle() (m gray.Point) {
	for _, c := range s.Corners {
		m.X, m.Y = m.X+c[0]/4, m.Y+c[1]/4
	}
	return m
}

// A Reason says why no symbol was read and what to do about it.
type Reason struct {
	Code    string // one of the Code constants
	Message string // the observation, with figures
	Advice  string // the next thing to try
	// Untried names the looks that the options left out and that may find a symbol: LookInverted, LookThorough.
	Untried []string
}

// Looks that [Options] leave out by default.
const (
	LookInverted = "inverted" // for light symbols on dark ground: Options.Inverted
	LookThorough = "thorough" // also where nothing resembles a symbol: Options.Thorough
)

// A Reading is the result for one image.
type Reading struct {
	Symbols []Symbol
	Reason  Reason        // zero when there are symbols
	Locate  time.Duration // finding boxes and grids
	Decode  time.Duration // sampling and error correction
}

// Move shifts the symbols of a part of a page to their places on the page, px.
func (r *Reading) Move(x, y int) {
	for i := range r.Symbols {
		for c := range r.Symbols[i].Corners {
			r.Symbols[i].Corners[c][0] += float64(x)
			r.Symbols[i].Corners[c][1] += float64(y)
		}
	}
}

// Options bound and steer [ReadImage]. The zero value reads everything.
type Options struct {
	MaxSymbols int           // stop after this number; zero: all
	Budget     time.Duration // time by Clock, in addition to ctx; zero: 5 s
	// Clock returns the time that counts against Budget, since any start. On a busy machine, processor time (package
	// tcode/offline/host/cputime) is a limit of work and wall time is not. ReadImage calls it often, in its own goroutine.
	// nil: wall time.
	Clock    func() time.Duration
	Inverted bool    // look for light symbols on dark ground too, when no dark one is found
	Thorough bool    // look everywhere and with all means, also where nothing resembles a symbol: many times the time
	DPI      float64 // resolution of the page, for the advice only; zero: unknown
	// Charset knows the character sets that need tables, such as charset.Decode; nil: none are known.
	Charset ecc200.Charset
	// ReadImage calls Watch, when not nil, at the end with all that it saw, in its
	// own goroutine; pages of a document may be read at the same time.
	Watch func(*Trace)

	Page int // of the document that img is of, for Watch; 0: none
}

// finders keeps the memory of finished reads for the next. It is larger than an
// image, and would be allocated and cleared each time.
var finders = sync.Pool{New: func() any { return new(locate.Finder) }}

// ReadImage finds and reads every Data Matrix ECC 200 symbol on img, a page or
// a photo. It never returns an error: the Reading's Reason says why a
// symbol was not read. It stops early, with its results so far, when ctx or its
// Budget ends.
func ReadImage(ctx context.Context, img *gray.Image, opt Options) Reading {
	if !img.Valid() || img.Width == 0 || img.Height == 0 {
		return Reading{Reason: reasonNoPixels}
	}
	if opt.Budget <= 0 {
		opt.Budget = defaultBudget
	}
	if opt.Clock == nil {
		start := time.Now()
		opt.Clock = func() time.Duration { return time.Since(start) }
	}
	r := reader{ctx: ctx, begin: opt.Clock(), opt: opt, img: img, finder: finders.Get().(*locate.Finder), trace: newTrace(img, &opt)}
	r.finder.Stop = r.over
	r.run()
	if len(r.symbols) == 0 && opt.Inverted && !r.over() {
		light := img.Clone()
		light.Invert()
		r.img, r.light, r.finder.Lone = light, true, true
		r.run()
	}
	out := Reading{Symbols: r.symbols, Locate: r.locate, Decode: r.decode}
	if len(out.Symbols) == 0 {
		out.Reason = r.reason()
		out.Reason.Untried = r.untried()
	}
	r.finder.Lone, r.finder.Stop = false, nil
	r.finder.Forget()
	finders.Put(r.finder)
	r.trace.end(out, &opt)
	return out
}
