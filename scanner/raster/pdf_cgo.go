//go:build cgo && !nomupdf

package raster

import (
	"errors"
	"fmt"
	"math"

	"tcode/scanner/gray"
)

// DefaultEngine is the engine of a [Rasterizer] without [WithEngine]: MuPDF where it is linked, PDFium in builds
// without cgo.
const DefaultEngine = MuPDF

// storeBytes bounds MuPDF's cache of fonts and images. Pages are drawn once or twice, so a large cache
// brings little.
const storeBytes = 64 << 20

// mupdfBytes bounds the memory of MuPDF for decoded data and for groups of objects that it draws separately. The image of
// the page is not included.
const mupdfBytes = 256 << 20

func openMuPDFDocument(file []byte) (renderer, error) {
	doc, err := openMuPDF(file, false)
	switch {
	case errors.Is(err, errPassword):
		return nil, &Error{Err: ErrEncrypted}
	case errors.Is(err, errVersion):
		return nil, err
	case err != nil:
		return nil, damaged(err, "the PDF cannot be opened")
	}
	return doc, nil
}

// drawImage draws page n of an image file that the decoder does not know, at its own resolution: width px across and,
// if not 0, dpi from the file.
func drawImage(file []byte, n, width int, dpi float64, l Limits, into *gray.Image) error {
	doc, err := openMuPDF(file, true)
	if err != nil {
		return &Error{Err: ErrUnsupported}
	}
	e := &pdfEngine{doc: doc, limits: l}
	defer e.close()
	b, err := doc.load(n)
	if err != nil || !(b.x1-b.x0 >= 1 && b.x1-b.x0 <= maxPoints) || width < 1 || width > l.MaxPixels {
		return &Error{Err: ErrUnsupported}
	}
	// The box may be rounded; the file's own figure is better if the two agree.
	if native := 72 * float64(width) / (b.x1 - b.x0); math.Abs(native-dpi) > native/50 {
		dpi = native
	}
	made, err := e.page(n, dpi, l.MaxPixels, into)
	if err == nil && made.dpi < dpi {
		return &Error{Err: ErrTooLarge, Detail: fmt.Sprintf("an image %d pixels wide", width)}
	}
	return err
}
