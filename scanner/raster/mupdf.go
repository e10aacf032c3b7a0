//go:build cgo && !nomupdf

package raster

/*
#include "mupdf.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	_ "github.com/gen2brain/go-fitz" // links MuPDF
)

var (
	errMuPDF    = errors.New("MuPDF cannot read it")
	errPassword = errors.New("MuPDF wants a password")
	errMemory   = &Error{Err: ErrTooLarge, Detail: fmt.Sprintf("MuPDF needs more than %d MiB of memory", mupdfBytes>>20)}
	errVersion  = errors.New("MuPDF is not of the version that this package was written for")
)

// mupdf is one open document. Methods may be called by one goroutine at a time. Errors inside of MuPDF become Go
// errors, but hostile files may still end the process.
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
	switch C.tc_open(&m.doc, (*C.uchar)(&file[0]), C.size_t(len(file)), asImage, storeBytes, mupdfBytes) {
	case C.tc_ok:
		return m, nil
	case C.tc_password:
		m.close()
		return nil, errPassword
	case C.tc_version:
		m.close()
		return nil, errVersion
	case C.tc_memory:
		m.close()
		return nil, errMemory
	}
	m.close()
	return nil, errMuPDF
}

// failure returns the error of a call that returned code; nil means success.
func failure(code C.int) error {
	switch code {
	case C.tc_ok:
		return nil
	case C.tc_memory:
		return errMemory
	}
	return errMuPDF
}

func (m *mupdf) close() {
	if m.doc != nil {
		C.tc_close(m.doc)
		m.doc = nil
	}
	m.pin.Unpin()
}

func (m *mupdf) pages() int { return int(C.tc_pages(m.doc)) }

// load loads page n, from 0, and returns its box.
func (m *mupdf) load(n int) (box, error) {
	var r C.fz_rect
	if err := failure(C.tc_bound(m.doc, C.int(n), &r)); err != nil {
		return box{}, err
	}
	return boxOf(r), nil
}

// media returns the MediaBox of the loaded page, in the same points as load.
func (m *mupdf) media() (box, error) {
	var r C.fz_rect
	if C.tc_media(m.doc, &r) != C.tc_ok {
		return box{}, errMuPDF
	}
	return boxOf(r), nil
}

// visible clips b to the MediaBox: MuPDF shows all of a CropBox, but the area outside of the MediaBox is no part of the
// page (ISO 32000-1, 14.11.2.1).
func (m *mupdf) visible(b box) box {
	if m, err := m.media(); err == nil && m.believable() {
		if in := (box{max(b.x0, m.x0), max(b.y0, m.y0), min(b.x1, m.x1), min(b.y1, m.y1)}); in.x1 > in.x0 && in.y1 > in.y0 {
			return in
		}
	}
	return b
}

// draw draws a part of the loaded page into pix, over white. images are the boxes of the images that were drawn
// last, the last one first, a few at most.
func (m *mupdf) draw(d drawing, pix []byte) (images []box, err error) {
	how := C.int(0)
	if d.colour {
		how = C.tc_colour
	}
	if d.annotations {
		how += C.tc_annotations
	}
	if d.w < 1 || d.h < 1 || len(pix) < d.bytes()*d.w*d.h {
		return nil, errMuPDF
	}
	runtime.LockOSThread() // images are kept by thread
	defer runtime.UnlockOSThread()
	area := C.fz_irect{x0: C.int(d.x), y0: C.int(d.y), x1: C.int(d.x + d.w), y1: C.int(d.y + d.h)}
	if err := failure(C.tc_draw(m.doc, C.float(d.scale), area, how, (*C.uchar)(unsafe.Pointer(&pix[0])))); err != nil {
		return nil, err
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
