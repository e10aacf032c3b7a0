package stamp

import (
	"context"
	"errors"
	"io"

	"tcode/offline/geometry"
)

// Proof looks at PDFs as a scanner and as a person would. Package
// tcode/scanner/proof does, through an adapter that cmd hands in. Each PDF is a
// section of a file of the spool, as in a [Job].
type Proof interface {
	// Ground returns what stands in each area.
	Ground(ctx context.Context, pdf *io.SectionReader, areas []geometry.Area) ([]Ground, error)
	// Read draws pdf and reads the symbol at each place of q, in their order. A
	// symbol that is not read is an answer, not an error.
	Read(ctx context.Context, pdf *io.SectionReader, q ReadRequest) ([]Reading, error)
	// Picture draws a page in colour.
	Picture(ctx context.Context, pdf *io.SectionReader, page int) (Picture, error)
	// Compare draws a file before and after it is stamped with two engines.
	Compare(ctx context.Context, before, after *io.SectionReader, c Comparison) (Compared, error)
	// Caveats returns, in words for people, why the bytes of pdf alone do not
	// settle what it shows: what scanners add to their answer about it.
	Caveats(ctx context.Context, pdf *io.SectionReader) ([]string, error)
}

// NotDrawn is the error of a [Proof] where the file is to blame.
type NotDrawn struct {
	Reason string // in words, after "it": "is damaged"
	Err    error
}

func (e *NotDrawn) Error() string { return "the page cannot be drawn: " + e.Err.Error() }

func (e *NotDrawn) Unwrap() error { return e.Err }

// ErrNoProof says that the gateway was made without a reader. Stamps that
// nobody read back are not delivered, so there are none.
var ErrNoProof = errors.New("no reader to prove stamps with")

// A Ground is what stands in an area of a page.
type Ground struct {
	Ink     float64  // share of it, 0 to 1, that is not empty
	Symbols []string // texts of the Data Matrix symbols that reach into it, however they came there
}

// A ReadRequest is what is to be read back.
type ReadRequest struct {
	Text   string  // what the symbol must say, to the letter
	DPI    float64 // of the rendering
	Places []ReadTarget
}

// A ReadTarget is a symbol to look at.
type ReadTarget struct {
	Page    int // from 1
	Symbol  geometry.Rect
	Degrade bool // find the lowest resolution of a poor scan, too
}

// A Reading is what one [ReadTarget] gave. Members after Reason are zero where the
// symbol was not read.
type Reading struct {
	Page   int
	Read   bool
	Reason string // in words, why it was not read

	DPI                    float64 // of the rendering: as asked, or less for a large symbol
	Contrast               float64 // between dark and light modules, 0 to 1
	Corrected, Correctable int     // errors: that were corrected, and that can be
	QuietModules           float64 // free of ink around the symbol; 4 is the most that is looked for
	ReadsAtDPI             int     // lowest resolution of a poor scan; 0: none, or not asked for
}

// A Picture is a drawn page.
type Picture struct {
	PNG           []byte
	Width, Height int // px
	DPI           float64
}

// An Option is a way to place a stamp, and where it then lies.
type Option struct {
	Anchor geometry.Anchor  // as in a [Job]
	Places []geometry.Place // of each stamped page, ascending
}
