package raster

import (
	"errors"
	"fmt"
	"image"

	"golang.org/x/image/tiff"

	"tcode/scanner/filekind"
	"tcode/scanner/gray"
	"tcode/scanner/picturefile"
	"tcode/scanner/tiffpage"
)

// tiffEngine is a TIFF file: a chain of directories, each of them a page.
type tiffEngine struct {
	file   []byte
	all    []tiffpage.Page
	limits Limits
}

func openTIFF(file []byte, l Limits) (engine, error) {
	order := picturefile.TIFFOrder(file)
	if order == nil {
		return nil, &Error{Err: ErrDamaged, Detail: "not a TIFF header"}
	}
	e := &tiffEngine{file: file, limits: l}
	seen := map[uint32]bool{}
	for next := order.Uint32(file[4:]); next != 0 && !seen[next]; {
		if len(e.all) > l.MaxPages {
			break // one more than the limit is enough for a refusal
		}
		seen[next] = true
		p, following, ok := tiffpage.At(file, order, next)
		if !ok {
			if len(e.all) == 0 {
				return nil, &Error{Err: ErrDamaged, Detail: "the TIFF directory lies outside of the file"}
			}
			break // the pages before it may be complete
		}
		if len(e.all) == 0 && p.Raw { // its first image is a small preview
			return nil, &Error{Err: ErrUnsupported, Detail: "it is a camera's raw file: " + filekind.AdviceRaw}
		}
		e.all = append(e.all, p)
		next = following
	}
	return e, nil
}

func (e *tiffEngine) pages() int { return len(e.all) }

func (e *tiffEngine) close() {}

func (e *tiffEngine) page(n int, _ float64, _ int, into *gray.Image) (drawn, error) {
	if n < 0 || n >= len(e.all) {
		return drawn{}, fmt.Errorf("page %d of %d", n+1, len(e.all))
	}
	p := e.all[n]
	if err := checkSize(image.Config{Width: p.Width, Height: p.Height}, e.limits); err != nil {
		return drawn{}, err
	}
	img, err := p.Decode(e.file)
	if err == nil {
		*into = *orient(toGray(img), p.Meta.Orientation)
		return drawn{dpi: p.Meta.Believed().DPI}, nil
	}
	variant := variantOf(err)
	if variant == nil {
		return drawn{}, err
	}
	// MuPDF reads more variants: JPEG inside of TIFF, CMYK, all kinds of fax.
	derr := drawImage(e.file, n, p.Width, p.Meta.DPI, e.limits, into)
	if errors.Is(derr, ErrUnsupported) {
		derr = variant
	}
	return drawn{dpi: p.Meta.Believed().DPI}, derr
}

// adviceTIFF is for variants of TIFF that are not read. It follows their names, because only these
// leave the child.
const adviceTIFF = ": save it as PDF or PNG"

// variantOf returns the error of a TIFF file that is of a variant which the decoder does not read; nil: it is none.
func variantOf(err error) *Error {
	u := tiff.UnsupportedError("")
	if errors.As(err, &u) {
		return &Error{Err: ErrUnsupported, Detail: "a TIFF with " + string(u) + adviceTIFF}
	}
	for _, v := range []error{tiffpage.ErrFax, tiffpage.ErrPlanes, tiffpage.ErrBitOrder} {
		if errors.Is(err, v) {
			return &Error{Err: ErrUnsupported, Detail: "a TIFF with " + v.Error() + adviceTIFF}
		}
	}
	return nil
}
