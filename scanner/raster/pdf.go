//go:build cgo

package raster

import (
	"bytes"
	"errors"
	"fmt"
	"math"

	"tcode/scanner/gray"
)

// storeBytes bounds MuPDF's cache of fonts and images. Pages are drawn once or twice, so little of it pays.
const storeBytes = 64 << 20

// maxPoints is the largest page side in points that is believed: 14400 is ISO 32000-1's limit without UserUnit, and
// values far beyond overflow inside the renderer.
const maxPoints = 1 << 20

// believable says whether b is made of numbers that can be reckoned with.
func (b box) believable() bool {
	for _, v := range []float64{b.x0, b.y0, b.x1, b.y1} {
		if !(math.Abs(v) <= maxPoints) { // NaN too
			return false
		}
	}
	return true
}

// pdfEngine draws with MuPDF. Annotations are not drawn: they are no part of what was stamped.
type pdfEngine struct {
	doc    *mupdf
	limits Limits
}

func openPDF(file []byte, l Limits) (engine, error) {
	// What stands before the header belongs to no object.
	if i := bytes.Index(file, []byte("%PDF-")); i > 0 {
		file = file[i:]
	}
	doc, err := openMuPDF(file, false)
	switch {
	case errors.Is(err, errPassword):
		return nil, &Error{Err: ErrEncrypted}
	case errors.Is(err, errVersion):
		return nil, err
	case err != nil:
		return nil, &Error{Err: ErrDamaged, Detail: "the PDF cannot be opened"}
	}
	return &pdfEngine{doc: doc, limits: l}, nil
}

// drawImage draws page n of an image file that the decoder does not know, at its own resolution: width px across and,
// if not 0, dpi as the file says.
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
	// The box may be rounded; the file's own figure is better where the two agree.
	if native := 72 * float64(width) / (b.x1 - b.x0); math.Abs(native-dpi) > native/50 {
		dpi = native
	}
	made, err := e.page(n, dpi, l.MaxPixels, into)
	if err == nil && made.dpi < dpi {
		return &Error{Err: ErrTooLarge, Detail: fmt.Sprintf("an image %d pixels wide", width)}
	}
	return err
}

func (e *pdfEngine) pages() int { return e.doc.pages() }

func (e *pdfEngine) close() { e.doc.close() }

func (e *pdfEngine) page(n int, dpi float64, maxPixels int, into *gray.Image) (drawn, error) {
	b, err := e.doc.load(n)
	if err != nil {
		return drawn{}, &Error{Err: ErrDamaged, Detail: "the page cannot be loaded"}
	}
	if !b.believable() {
		return drawn{}, &Error{Err: ErrTooLarge, Detail: "the page's size is absurd"}
	}
	// A page that would be too large at the lowest resolution that is of use is refused, whatever is asked for now.
	w, h := b.x1-b.x0, b.y1-b.y0
	if dpi, err = fit(w, h, dpi, minDPI, e.limits.MaxPixels); err != nil {
		return drawn{}, err
	}
	within := dpi
	if dpi, err = fit(w, h, dpi, 1, maxPixels); err != nil {
		return drawn{}, err
	}
	x, y, pw, ph := b.pixels(dpi / 72)
	into.Reset(pw, ph)
	images, err := e.doc.draw(drawing{scale: dpi / 72, x: x, y: y, w: pw, h: ph}, into.Pix)
	if err != nil {
		return drawn{}, &Error{Err: ErrDamaged, Detail: "the page cannot be drawn"}
	}
	made := drawn{dpi: dpi, shrunk: dpi < within}
	for _, b := range images {
		if !b.believable() {
			continue
		}
		ix, iy, iw, ih := b.pixels(dpi / 72)
		r := gray.Rect{X0: ix - x, Y0: iy - y, X1: ix - x + iw, Y1: iy - y + ih}.Clip(pw, ph)
		if !r.Empty() {
			made.pictures = append(made.pictures, r)
		}
	}
	return made, nil
}

// view draws a part of a page with annotations and form fields.
func (e *pdfEngine) view(r ViewRequest) (View, error) {
	b, err := e.doc.load(r.Page - 1)
	if err != nil {
		return View{}, &Error{Err: ErrDamaged, Detail: "the page cannot be loaded"}
	}
	if !b.believable() {
		return View{}, &Error{Err: ErrTooLarge, Detail: "the page's size is absurd"}
	}
	// MuPDF shows all of a CropBox; what lies outside of the MediaBox is no part of the page (ISO 32000-1, 14.11.2.1).
	if m, err := e.doc.media(); err == nil && m.believable() {
		if in := (box{max(b.x0, m.x0), max(b.y0, m.y0), min(b.x1, m.x1), min(b.y1, m.y1)}); in.x1 > in.x0 && in.y1 > in.y0 {
			b = in
		}
	}
	part := b
	if r.Area != (Area{}) {
		part.x0, part.y0 = max(b.x0, b.x0+r.Area.X), max(b.y0, b.y0+r.Area.Y)
		part.x1, part.y1 = min(b.x1, b.x0+r.Area.X+r.Area.Width), min(b.y1, b.y0+r.Area.Y+r.Area.Height)
	}
	if !(part.x1 > part.x0 && part.y1 > part.y0) {
		return View{}, &Error{Err: ErrUnsupported, Detail: "nothing of the page lies in that area"}
	}
	dpi, err := fit(part.x1-part.x0, part.y1-part.y0, r.DPI, 1, r.MaxPixels)
	if err != nil {
		return View{}, err
	}
	v := View{Colour: r.Colour, DPI: dpi}
	px, py, pw, ph := b.pixels(dpi / 72)
	x, y, w, h := part.pixels(dpi / 72)
	v.Width, v.Height, v.X, v.Y, v.PageWidth, v.PageHeight = w, h, x-px, y-py, pw, ph
	v.Pix = make([]byte, w*h*r.bytes())
	if _, err := e.doc.draw(drawing{scale: dpi / 72, x: x, y: y, w: w, h: h, colour: r.Colour, annotations: true}, v.Pix); err != nil {
		return View{}, &Error{Err: ErrDamaged, Detail: "the page cannot be drawn"}
	}
	return v, nil
}
