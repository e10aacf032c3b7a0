package raster

import (
	"bytes"
	"errors"

	"tcode/offline/host/sandbox"
	"tcode/scanner/gray"
)

// A renderer draws the pages of one open PDF. Its methods are called by one goroutine at a time. An error that is
// not an [*Error] means damage.
type renderer interface {
	pages() int
	// load loads page n, from 0, and returns its box: the CropBox with UserUnit and rotation applied.
	load(n int) (box, error)
	// visible returns the part of the loaded page's box that viewers show.
	visible(b box) box
	// draw draws a part of the loaded page into pix, over white. images are the boxes of the images that were drawn
	// last, the last one first, a few at most.
	draw(d drawing, pix []byte) (images []box, err error)
	close()
}

// pdfEngine draws with a renderer. A page is drawn without annotations, because they are no part of the stamped file. A
// view includes them.
type pdfEngine struct {
	doc    renderer
	limits Limits
}

// fromHeader cuts off the bytes before the header of a PDF: they belong to no object.
func fromHeader(file []byte) []byte { return file[max(0, bytes.Index(file, []byte("%PDF-"))):] }

func (e *pdfEngine) pages() int { return e.doc.pages() }

func (e *pdfEngine) close() { e.doc.close() }

func (e *pdfEngine) page(n int, dpi float64, maxPixels int, into *gray.Image) (drawn, error) {
	b, err := e.doc.load(n)
	if err != nil {
		return drawn{}, damaged(err, "the page cannot be loaded")
	}
	if !b.believable() {
		return drawn{}, errAbsurd
	}
	// A page that is too large even at the lowest useful resolution is refused, whatever resolution is requested
	// now.
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
	images, err := e.draw(drawing{scale: dpi / 72, x: x, y: y, w: pw, h: ph}, into.Pix)
	if err != nil {
		return drawn{}, damaged(err, "the page cannot be drawn")
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

// bandPixels bounds the pixels of one drawing. A larger part is drawn in horizontal bands, so that objects that an engine
// draws separately, such as transparent groups, take no more memory than a band does.
const bandPixels = 12 << 20

// draw calls the renderer's draw for each band.
func (e *pdfEngine) draw(d drawing, pix []byte) (images []box, err error) {
	rows := max(1, bandPixels/max(1, d.w))
	for y := 0; y < d.h; y += rows {
		band := d
		band.y, band.h = d.y+y, min(rows, d.h-y)
		if images, err = e.doc.draw(band, pix[y*d.w*d.bytes():]); err != nil {
			return nil, err
		}
	}
	return images, nil // each band contains all of them
}

// view draws a part of a page with annotations and form fields.
func (e *pdfEngine) view(r ViewRequest) (View, error) {
	b, err := e.doc.load(r.Page - 1)
	if err != nil {
		return View{}, damaged(err, "the page cannot be loaded")
	}
	if !b.believable() {
		return View{}, errAbsurd
	}
	b = e.doc.visible(b)
	if !(b.x1 > b.x0 && b.y1 > b.y0) {
		return View{}, errNoArea
	}
	part := b
	if r.Area != (Area{}) {
		part.x0, part.y0 = max(b.x0, b.x0+r.Area.X), max(b.y0, b.y0+r.Area.Y)
		part.x1, part.y1 = min(b.x1, b.x0+r.Area.X+r.Area.Width), min(b.y1, b.y0+r.Area.Y+r.Area.Height)
	}
	if !(part.x1 > part.x0 && part.y1 > part.y0) {
		return View{}, &Error{Err: ErrUnsupported, Detail: "nothing of the page lies in that area"}
	}
	dpi, err := fit(part.x1-part.x0, part.y1-part.y0, r.DPI, 1, min(r.MaxPixels, sandbox.MaxFrame/r.bytes()))
	if err != nil {
		return View{}, err
	}
	v := View{Colour: r.Colour, DPI: dpi}
	px, py, pw, ph := b.pixels(dpi / 72)
	x, y, w, h := part.pixels(dpi / 72)
	v.Width, v.Height, v.X, v.Y, v.PageWidth, v.PageHeight = w, h, x-px, y-py, pw, ph
	v.Pix = make([]byte, w*h*r.bytes())
	if _, err := e.draw(drawing{scale: dpi / 72, x: x, y: y, w: w, h: h, colour: r.Colour, annotations: true}, v.Pix); err != nil {
		return View{}, damaged(err, "the page cannot be drawn")
	}
	return v, nil
}

// damaged returns err if it is an [*Error] with a Detail, else damage with these words.
func damaged(err error, words string) error {
	if e, ok := errors.AsType[*Error](err); ok && e.Detail != "" {
		return e
	}
	return &Error{Err: ErrDamaged, Detail: words}
}
