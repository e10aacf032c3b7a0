//go:build cgo

package raster

import (
	"bytes"
	"errors"
	"fmt"
	"math"

	"github.com/gen2brain/go-fitz"

	"tcode/scanner/gray"
)

// storeBytes bounds MuPDF's cache of fonts and images. Pages are drawn once or twice, so little of it pays.
const storeBytes = 64 << 20

// maxPoints is the largest page side in points that is believed: 14400 is ISO 32000-1's limit without UserUnit, and
// values far beyond overflow inside the renderer.
const maxPoints = 1 << 20

// pdfEngine draws with MuPDF. What is known of go-fitz v1.24.15: RGB only, annotations are not drawn, a page that it
// cannot bound ends the process.
type pdfEngine struct {
	doc       *fitz.Document
	maxPixels int
}

func openPDF(file []byte, l Limits) (engine, error) {
	// go-fitz wants the header first; what stands before it belongs to no object.
	if i := bytes.Index(file, []byte("%PDF-")); i > 0 {
		file = file[i:]
	}
	fitz.MaxStore = storeBytes // read once per document; this process has one at a time
	doc, err := fitz.NewFromMemory(file)
	switch {
	case errors.Is(err, fitz.ErrNeedsPassword):
		return nil, &Error{Err: ErrEncrypted}
	case err != nil:
		return nil, &Error{Err: ErrDamaged, Detail: "the PDF cannot be opened"}
	}
	return &pdfEngine{doc: doc, maxPixels: l.MaxPixels}, nil
}

// drawTIFF draws page n of a TIFF that the decoder does not know, at its own resolution: width px across and, if not 0,
// dpi as the file says.
func drawTIFF(file []byte, n, width int, dpi float64, l Limits) (*gray.Image, error) {
	doc, err := fitz.NewFromMemory(file)
	if err != nil {
		return nil, &Error{Err: ErrUnsupported}
	}
	defer doc.Close()
	b, err := doc.Bound(n)
	if err != nil || b.Dx() < 1 || b.Dx() > maxPoints || width < 1 || width > l.MaxPixels {
		return nil, &Error{Err: ErrUnsupported}
	}
	// Bound is in whole points; the file's own figure is better where the two agree.
	if native := 72 * float64(width) / float64(b.Dx()); math.Abs(native-dpi) > native/50 {
		dpi = native
	}
	img, actual, err := (&pdfEngine{doc: doc, maxPixels: l.MaxPixels}).page(n, dpi)
	if err == nil && actual < dpi {
		return nil, &Error{Err: ErrTooLarge, Detail: fmt.Sprintf("an image %d pixels wide", width)}
	}
	return img, err
}

func (e *pdfEngine) pages() int { return e.doc.NumPage() }

func (e *pdfEngine) close() { _ = e.doc.Close() } // it has no other answer than nil

func (e *pdfEngine) page(n int, dpi float64) (*gray.Image, float64, error) {
	b, err := e.doc.Bound(n)
	if err != nil {
		return nil, 0, &Error{Err: ErrDamaged, Detail: "the page cannot be loaded"}
	}
	w, h := b.Dx(), b.Dy()
	if w < 0 || h < 0 || w > maxPoints || h > maxPoints {
		return nil, 0, &Error{Err: ErrTooLarge, Detail: "the page's size is absurd"}
	}
	// Bound cuts fractions off.
	dpi, err = fit(float64(w)+1, float64(h)+1, dpi, e.maxPixels)
	if err != nil {
		return nil, 0, err
	}
	rgba, err := e.doc.ImageDPI(n, dpi)
	if err != nil {
		return nil, 0, &Error{Err: ErrDamaged, Detail: "the page cannot be drawn"}
	}
	if rgba.Rect.Empty() || len(rgba.Pix) < 4*rgba.Rect.Dx()*rgba.Rect.Dy() {
		return nil, 0, &Error{Err: ErrDamaged, Detail: "the page has no area"}
	}
	return opaqueToGray(rgba), dpi, nil
}
