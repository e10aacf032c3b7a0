package engine

import (
	"context"
	"errors"
	"fmt"

	"tcode/scanner/answer"
	"tcode/scanner/filekind"
	"tcode/scanner/picturefile"
	"tcode/scanner/symbol"
	"tcode/scanner/web/engine/still"
	"tcode/sync/wire"
)

// Bounds of a still.
const (
	MaxStill       = 50 << 20   // bytes of a picture file
	mostStill      = 60_000_000 // px
	mostStillSide  = 12_000     // px
	unnamedPicture = "photo"
)

// Sources of an [Answer] about a still.
const (
	SourcePhoto = "photo"
	SourceFile  = "file"
)

// A DocumentError says why a document could not be read, in words for its owner. Code is one of those of tcode-scan.
type DocumentError struct {
	Code    string // empty, unsupported, damaged, too_large, timeout or crashed
	Message string
	Advice  string
	Err     error // nil: there is no cause below
}

func (e *DocumentError) Error() string { return e.Message }

func (e *DocumentError) Unwrap() error { return e.Err }

// A Decoded is a picture that its decoder holds until Close.
type Decoded interface {
	still.Picture
	Close()
}

// A Still is a picture that is not decoded yet.
type Still struct {
	Name   string // of the file; empty: it has none
	Source string // SourcePhoto or SourceFile
	File   []byte // all bytes, unless Size is above MaxStill; nil: pixels without a file
	Size   int64  // bytes of the file
	// Decode decodes the picture, turned as its file says. Its error means that the file is damaged, or of a kind that the decoder
	// does not know.
	Decode func(context.Context) (Decoded, error)
}

// Still reads a picture and judges the TCodes on it. Errors: [ErrTooLarge], a [*DocumentError], and those of the stores; then
// there is no verdict. A picture without a TCode is no error.
func (e *Engine) Still(ctx context.Context, s Still, where wire.Context) (Answer, error) {
	kind, err := s.check()
	if err != nil {
		return Answer{}, err
	}
	e.turn.Lock()
	defer e.turn.Unlock()
	seen, err := s.read(ctx, kind)
	if err != nil {
		return Answer{}, err
	}
	name := s.Name
	if name == "" {
		name = unnamedPicture
	}
	r := answer.Read(name, s.File, func() (*answer.Judge, error) { return e.judge(ctx) })
	if err := r.Page(answer.Page{Number: 1, Count: 1, DPI: seen.DPI, Reading: seen.Reading}); err != nil {
		return Answer{}, err
	}
	return e.conclude(ctx, r, s.Source, where)
}

// notPDF says why a file is not judged as a PDF.
func notPDF(kind filekind.Kind, file []byte) error {
	switch {
	case len(file) == 0:
		return errEmpty
	case IsPicture(kind):
		return &DocumentError{"unsupported", "the picture is not decoded", "open it as a picture", ErrPicture}
	}
	return unsupported(kind, file)
}

var errEmpty = &DocumentError{"empty", "the file is empty", "transfer the file again", nil}

// adviceSmaller is for pictures above a bound.
const adviceSmaller = "send the page with the stamp alone, at 300 dpi and normal size"

// check looks at the bytes of the file, before anything is decoded.
func (s Still) check() (filekind.Kind, error) {
	if s.File == nil && s.Size == 0 {
		return filekind.Unknown, nil
	}
	kind := filekind.Of(s.File)
	switch {
	case s.Size > MaxStill:
		return kind, &DocumentError{"too_large", "too large: a picture file of more than 50 MiB", adviceSmaller, ErrTooLarge}
	case len(s.File) == 0:
		return kind, errEmpty
	case !IsPicture(kind):
		return kind, unsupported(kind, s.File)
	}
	if w, h, ok := picturefile.Size(kind, s.File); ok {
		return kind, checkSize(w, h)
	}
	return kind, nil
}

// IsPicture reports whether files of this kind are decoded as pictures.
func IsPicture(kind filekind.Kind) bool { return kind != filekind.Unknown && kind != filekind.PDF }

// unsupported is the error about a file that is not judged. file may be nil if its kind is known.
func unsupported(kind filekind.Kind, file []byte) error {
	message := "not a PDF or a supported image"
	if name, _ := filekind.Foreign(file); name != "" && kind == filekind.Unknown {
		message += ": it is " + name
	}
	if kind == filekind.PDF {
		return &DocumentError{"unsupported", "a PDF is no picture", "open it as a file", nil}
	}
	if kind != filekind.Unknown {
		message += fmt.Sprintf(": this browser does not decode %s files", kind)
	}
	return &DocumentError{"unsupported", message, "send a PDF, PNG, JPEG or WebP file, or take a photo of the page", nil}
}

func checkSize(w, h int) error {
	switch {
	case w < 1 || h < 1:
		return &DocumentError{"damaged", "damaged: the image has no area", "transfer the file again", nil}
	case w > mostStillSide || h > mostStillSide || w*h > mostStill:
		message := fmt.Sprintf("too large: an image of %d x %d pixels, the limit is 60 million pixels and 12,000 pixels a side", w, h)
		return &DocumentError{"too_large", message, adviceSmaller, ErrTooLarge}
	}
	return nil
}

// read decodes the picture and searches it.
func (s Still) read(ctx context.Context, kind filekind.Kind) (still.Result, error) {
	picture, err := s.Decode(ctx)
	if err != nil && ctx.Err() != nil {
		return still.Result{}, context.Cause(ctx)
	}
	if err != nil {
		return still.Result{}, undecoded(kind, err)
	}
	defer picture.Close()
	if err := checkSize(picture.Size()); err != nil {
		return still.Result{}, err
	}
	// A camera sees signs and screens too, which have light symbols on dark ground.
	result, err := still.Read(ctx, picture, picturefile.MetaOf(kind, s.File).DPI, symbol.Options{Inverted: true})
	switch {
	case errors.Is(err, still.ErrTime):
		return result, &DocumentError{"timeout", err.Error(), "send the part with the stamp alone", err}
	case errors.Is(err, still.ErrReader):
		return result, &DocumentError{"crashed", err.Error(), "take the photo again from another distance", err}
	case err != nil && ctx.Err() == nil:
		return result, undecoded(kind, err)
	}
	return result, err
}

// common are the kinds that every browser decodes: such a file is damaged if one does not.
var common = map[filekind.Kind]bool{filekind.PNG: true, filekind.JPEG: true, filekind.GIF: true, filekind.BMP: true, filekind.WebP: true}

// undecoded says why the browser gave no pixels.
func undecoded(kind filekind.Kind, cause error) error {
	if kind != filekind.Unknown && !common[kind] {
		return unsupported(kind, nil)
	}
	return &DocumentError{
		"damaged", fmt.Sprintf("damaged: the browser cannot decode it (%v)", cause),
		"transfer the file again, or open it in a viewer and save it anew", cause,
	}
}
