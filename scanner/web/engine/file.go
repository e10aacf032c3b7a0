package engine

import (
	"context"
	"errors"

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

// File judges a PDF from its bytes: no page is drawn. A file without a mark gets no verdict, and
// the advice to photograph the page. Errors: ErrTooLarge, ErrPicture, and those of the stores;
// then there is no verdict.
func (e *Engine) File(ctx context.Context, name string, data []byte, where wire.Context) (Answer, error) {
	if len(data) > MaxFile {
		return Answer{}, ErrTooLarge
	}
	if kind := filekind.Of(data); kind != filekind.PDF {
		return Answer{}, notPDF(kind, len(data))
	}
	e.turn.Lock()
	defer e.turn.Unlock()
	r := answer.Read(name, data, func() (*answer.Judge, error) { return e.judge(ctx) })
	r.WithoutPages(symbol.Reason{
		Code:    "no_mark",
		Message: "no TCode in the bytes of the file, and its pages are not drawn here",
		Advice:  "Photograph the page with the stamp.",
	})
	a, err := e.conclude(ctx, r, "file", where)
	if err == nil && !a.Findings[0].Found() {
		a.Undrawn = append(a.Undrawn, "pages")
	}
	return a, err
}
