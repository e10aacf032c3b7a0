package engine

import (
	"context"
	"errors"

	"tcode/offline/binding"
	"tcode/offline/contain"
	"tcode/scanner/answer"
	"tcode/scanner/filekind"
	"tcode/scanner/symbol"
	"tcode/sync/wire"
)

// MaxFile is the largest file in bytes that is judged.
const MaxFile = 25 << 20

var (
	// ErrTooLarge means that a file has more than MaxFile bytes.
	ErrTooLarge = errors.New("the file is larger than 25 MiB")
	// ErrPicture means that a file is no PDF: it must be decoded and read as a picture.
	ErrPicture = errors.New("the file is not a PDF")
)

// File judges a PDF from its bytes: no page is drawn. The stamps are those whose marks are in the bytes or, in a
// file without marks, those on pages that are pictures alone, such as scanned ones; they are compared as
// paper is. Errors: ErrTooLarge, ErrPicture, and those of the stores; then there is no verdict.
func (e *Engine) File(ctx context.Context, name string, data []byte, where wire.Context) (Answer, error) {
	if len(data) > MaxFile {
		return Answer{}, ErrTooLarge
	}
	if kind := filekind.Of(data); kind != filekind.PDF {
		return Answer{}, notPDF(kind, data)
	}
	e.turn.Lock()
	defer e.turn.Unlock()
	r := answer.Read(name, data, func() (*answer.Judge, error) { return e.judge(ctx) })
	var undrawn []string
	if len(binding.Marks(data)) > 0 {
		r.WithoutPages(symbol.Reason{})
	} else {
		var err error
		if undrawn, err = e.pages(ctx, r, data); err != nil {
			return Answer{}, err
		}
	}
	if contain.Seeded { // the engine is as short as can be
		contain.SeedItem("engine-document", name)
	}
	a, err := e.conclude(ctx, r, "file", where)
	a.Undrawn = append(a.Undrawn, undrawn...)
	return a, err
}
