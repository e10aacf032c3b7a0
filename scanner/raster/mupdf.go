//go:build cgo

package raster

/*
#include "mupdf.h"
*/
import "C"

import (
	"errors"
	"math"
	"runtime"
	"unsafe"

	_ "github.com/gen2brain/go-fitz" // links MuPDF
)

var (
	errMuPDF    = errors.New("MuPDF cannot make sense of it")
	errPassword = errors.New("MuPDF wants a password")
	errVersion  = errors.New("MuPDF is not of the version that this package was written for")
)

// mupdf is one open document. Methods may be called by one goroutine at a time; errors inside of MuPDF are errors
// here, but hostile files may still end the process.
type mupdf struct {
	doc *C.tc_doc
	pin runtime.Pinner // of the file's bytes
}

// openMuPDF opens file, a PDF or an image, which must not be changed until close.
func openMuPDF(file []byte, image bool) (*mupdf, error) {
	if len(file) == 0 {
		return nil, errMuPDF
	}
	m := new(mupdf)
	m.pin.Pin(&file[0])
	asImage := C.int(0)
	if image {
		asImage = 1
	}
	switch C.tc_open(&m.doc, (*C.uchar)(&file[0]), C.size_t(len(file)), asImage, storeBytes) {
	case C.tc_ok:
		return m, nil
	case C.tc_password:
		m.close()
		return nil, errPassword
	case C.tc_version:
		m.close()
		return nil, errVersion
	}
	m.close()
	return nil, errMuPDF
}

func (m *mupdf) close() {
	if m.doc != nil {
		C.tc_close(m.doc)
		m.doc = nil
	}
	m.pin.Unpin()
}

func (m *mupdf) pages() int { return int(C.tc_pages(m.doc)) }

// box is the visible part of a page, in points, y downwards.
type box struct{ x0, y0, x1, y1 float64 }

// load loads page n, from 0, and gives its box.
func (m *mupdf) load(n int) (box, error) {
	var r C.fz_rect
	if C.tc_bound(m.doc, C.int(n), &r) != C.tc_ok {
		return box{}, errMuPDF
	}
	return boxOf(r), nil
}

// media gives the MediaBox of the page that was loaded last, in the same points as load.
func (m *mupdf) media() (box, error) {
	var r C.fz_rect
	if C.tc_media(m.doc, &r) != C.tc_ok {
		return box{}, errMuPDF
	}
	return boxOf(r), nil
}

// pixels is the area that b covers at scale px per point, rounded outwards but for a thousandth, as MuPDF does.
func (b box) pixels(scale float64) (x0, y0, w, h int) {
	low := func(v float64) int { return int(math.Floor(float64(float32(v*scale)) + 0.001)) }
	high := func(v float64) int { return int(math.Ceil(float64(float32(v*scale)) - 0.001)) }
	x0, y0 = low(b.x0), low(b.y0)
	return x0, y0, high(b.x1) - x0, high(b.y1) - y0
}

// drawing is what [mupdf.draw] is asked for.
type drawing struct {
	scale       float64 // px per point
	x, y, w, h  int     // px at that scale: the part of the page
	colour      bool    // three bytes a pixel instead of one
	annotations bool    // draw them and form fields too, as viewers do
}

// draw draws a part of the page that was loaded last into pix, over white. images are the boxes of the images that
// were drawn last, the last one first, a few at most.
func (m *mupdf) draw(d drawing, pix []byte) (images []box, err error) {
	bytes, how := 1, C.int(0)
	if d.colour {
		bytes, how = 3, C.tc_colour
	}
	if d.annotations {
		how += C.tc_annotations
	}
	if d.w < 1 || d.h < 1 || len(pix) < bytes*d.w*d.h {
		return nil, errMuPDF
	}
	runtime.LockOSThread() // images are kept by thread
	defer runtime.UnlockOSThread()
	area := C.fz_irect{x0: C.int(d.x), y0: C.int(d.y), x1: C.int(d.x + d.w), y1: C.int(d.y + d.h)}
	if C.tc_draw(m.doc, C.float(d.scale), area, how, (*C.uchar)(unsafe.Pointer(&pix[0]))) != C.tc_ok {
		return nil, errMuPDF
	}
	for i := range C.uint(C.tc_max_images) {
		var r C.fz_rect
		if C.tc_image(i, &r) != C.tc_ok {
			break
		}
		images = append(images, boxOf(r))
	}
	return images, nil
}

func boxOf(r C.fz_rect) box { return box{float64(r.x0), float64(r.y0), float64(r.x1), float64(r.y1)} }
