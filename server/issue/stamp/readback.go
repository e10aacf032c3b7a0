package stamp

import (
	"context"
	"errors"
	"io"

	"tcode/offline/geometry"
	"tcode/scanner/readback"
)

// Readback reads PDFs as a scanner and as a person would; package tcode/scanner/proof
// implements it. Each PDF is a section of a file of the spool, as in a [Job]. An
// error that the file causes is a [readback.NotDrawnError].
type Readback interface {
	// Ground returns the ground of each area.
	Ground(ctx context.Context, pdf *io.SectionReader, areas []geometry.Area) ([]readback.Ground, error)
	// Read draws pdf and reads the symbol of each target of q, in their order. A
	// symbol that is not read is an answer, not an error.
	Read(ctx context.Context, pdf *io.SectionReader, q readback.Request) ([]readback.Reading, error)
	// Picture draws a page in colour.
	Picture(ctx context.Context, pdf *io.SectionReader, page int) (readback.Picture, error)
	// Compare draws a file before and after it is stamped with two engines.
	Compare(ctx context.Context, before, after *io.SectionReader, c readback.Comparison) (readback.Compared, error)
	// Caveats returns, in words for people, the reasons why the bytes of pdf alone
	// do not determine its appearance. Scanners add them to their answer on it.
	Caveats(ctx context.Context, pdf *io.SectionReader) ([]string, error)
}

// errNoReadback says that the [Config] has no reader. Stamps that are not read back
// are not delivered.
var errNoReadback = errors.New("no reader to read stamps back with")

// An Option is a way to place a stamp, and where it then lies.
type Option struct {
	Anchor geometry.Anchor  // as in a [Job]
	Places []geometry.Place // of each stamped page, ascending
}
