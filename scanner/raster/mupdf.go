//go:build cgo

package raster

/*
#include <setjmp.h>
#include <stddef.h>
#include <stdlib.h>

// What is used of MuPDF 1.24, declared here because go-fitz gives its library to the linker but its headers to itself
// alone. fz_new_context_imp refuses a library of another version than the one named, so none of this can drift.
typedef struct fz_context fz_context;
typedef struct fz_stream fz_stream;
typedef struct fz_document fz_document;
typedef struct fz_page fz_page;
typedef struct fz_pixmap fz_pixmap;
typedef struct fz_device fz_device;
typedef struct fz_colorspace fz_colorspace;
typedef struct fz_separations fz_separations;
typedef struct fz_cookie fz_cookie;
typedef struct fz_document_handler fz_document_handler;
typedef struct { float x0, y0, x1, y1; } fz_rect;
typedef struct { int x0, y0, x1, y1; } fz_irect;
typedef struct { float a, b, c, d, e, f; } fz_matrix;

extern fz_document_handler pdf_document_handler, img_document_handler;

fz_context *fz_new_context_imp(const void *alloc, const void *locks, size_t max_store, const char *version);
void fz_drop_context(fz_context *);
void fz_disable_icc(fz_context *);
void fz_register_document_handler(fz_context *, const fz_document_handler *);
fz_stream *fz_open_memory(fz_context *, const unsigned char *, size_t);
void fz_drop_stream(fz_context *, fz_stream *);
fz_document *fz_open_document_with_stream(fz_context *, const char *magic, fz_stream *);
void fz_drop_document(fz_context *, fz_document *);
int fz_needs_password(fz_context *, fz_document *);
int fz_count_pages(fz_context *, fz_document *);
fz_page *fz_load_page(fz_context *, fz_document *, int);
void fz_drop_page(fz_context *, fz_page *);
fz_rect fz_bound_page(fz_context *, fz_page *);
fz_colorspace *fz_device_gray(fz_context *);
fz_pixmap *fz_new_pixmap_with_bbox_and_data(fz_context *, fz_colorspace *, fz_irect, fz_separations *, int alpha, unsigned char *);
void fz_clear_pixmap_with_value(fz_context *, fz_pixmap *, int);
void fz_drop_pixmap(fz_context *, fz_pixmap *);
fz_device *fz_new_draw_device(fz_context *, fz_matrix, fz_pixmap *);
void fz_enable_device_hints(fz_context *, fz_device *, int);
void fz_close_device(fz_context *, fz_device *);
void fz_drop_device(fz_context *, fz_device *);
void fz_run_page_contents(fz_context *, fz_page *, fz_device *, fz_matrix, fz_cookie *);

#if defined(_WIN32)
#define tc_setjmp(b) setjmp(b)
typedef jmp_buf tc_jmp_buf;
#else
#define tc_setjmp(b) sigsetjmp(b, 0)
typedef sigjmp_buf tc_jmp_buf;
#endif
tc_jmp_buf *fz_push_try(fz_context *);
int fz_do_try(fz_context *);
int fz_do_always(fz_context *);
int fz_do_catch(fz_context *);
#define fz_try(ctx) if (!tc_setjmp(*fz_push_try(ctx))) if (fz_do_try(ctx)) do
#define fz_always(ctx) while (0); if (fz_do_always(ctx)) do
#define fz_catch(ctx) while (0); if (fz_do_catch(ctx))

enum { tc_ok, tc_failed, tc_version, tc_password };

typedef struct {
	fz_context *ctx;
	fz_stream *stream;
	fz_document *doc;
	fz_page *page;
	int number; // of page
} tc_doc;

static void tc_close(tc_doc *d) {
	if (d->ctx) {
		fz_drop_page(d->ctx, d->page);
		fz_drop_document(d->ctx, d->doc);
		fz_drop_stream(d->ctx, d->stream);
		fz_drop_context(d->ctx);
	}
	free(d);
}

// tc_open opens data, which must stay where it is until tc_close. tiff: it is a TIFF file and not a PDF.
static int tc_open(tc_doc **out, const unsigned char *data, size_t len, int tiff, size_t store) {
	tc_doc *d = calloc(1, sizeof *d);
	volatile int password = 0;
	*out = d;
	if (!d)
		return tc_failed;
	d->number = -1;
	d->ctx = fz_new_context_imp(NULL, NULL, store, "1.24.9");
	if (!d->ctx)
		return tc_version;
	fz_try(d->ctx) {
		// Colours become gray by MuPDF's own weights; profiles cost time and change nothing that is read.
		fz_disable_icc(d->ctx);
		// A handler recognises files by content, whatever they are said to be: no other format must be.
		fz_register_document_handler(d->ctx, tiff ? &img_document_handler : &pdf_document_handler);
		d->stream = fz_open_memory(d->ctx, data, len);
		d->doc = fz_open_document_with_stream(d->ctx, tiff ? "image/tiff" : "application/pdf", d->stream);
		password = fz_needs_password(d->ctx, d->doc);
	}
	fz_catch(d->ctx)
		return tc_failed;
	return password ? tc_password : tc_ok;
}

static int tc_pages(tc_doc *d) {
	volatile int n = 0;
	fz_try(d->ctx)
		n = fz_count_pages(d->ctx, d->doc);
	fz_catch(d->ctx)
		return 0;
	return n;
}

// tc_bound loads page n, from 0, and gives its box in points.
static int tc_bound(tc_doc *d, int n, fz_rect *box) {
	fz_try(d->ctx) {
		if (d->number != n) {
			fz_drop_page(d->ctx, d->page);
			d->page = NULL;
			d->number = -1;
			d->page = fz_load_page(d->ctx, d->doc, n);
			d->number = n;
		}
		*box = fz_bound_page(d->ctx, d->page);
	}
	fz_catch(d->ctx)
		return tc_failed;
	return tc_ok;
}

// tc_draw draws the part of the page that tc_bound loaded last into pix, gray over white, a row after the other.
// box is in px at scale px per point.
static int tc_draw(tc_doc *d, float scale, fz_irect box, unsigned char *pix) {
	fz_pixmap *volatile map = NULL;
	fz_device *volatile dev = NULL;
	const fz_matrix identity = {1, 0, 0, 1, 0, 0}, zoom = {scale, 0, 0, scale, 0, 0};
	fz_try(d->ctx) {
		map = fz_new_pixmap_with_bbox_and_data(d->ctx, fz_device_gray(d->ctx), box, NULL, 0, pix);
		fz_clear_pixmap_with_value(d->ctx, map, 255);
		dev = fz_new_draw_device(d->ctx, zoom, map);
		fz_enable_device_hints(d->ctx, dev, 2); // FZ_NO_CACHE: a page is drawn once or twice
		fz_run_page_contents(d->ctx, d->page, dev, identity, NULL);
		fz_close_device(d->ctx, dev);
	}
	fz_always(d->ctx) {
		fz_drop_device(d->ctx, dev);
		fz_drop_pixmap(d->ctx, map);
	}
	fz_catch(d->ctx)
		return tc_failed;
	return tc_ok;
}
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

// openMuPDF opens file, which must not be changed until close.
func openMuPDF(file []byte, tiff bool) (*mupdf, error) {
	if len(file) == 0 {
		return nil, errMuPDF
	}
	m := new(mupdf)
	m.pin.Pin(&file[0])
	asTIFF := C.int(0)
	if tiff {
		asTIFF = 1
	}
	switch C.tc_open(&m.doc, (*C.uchar)(&file[0]), C.size_t(len(file)), asTIFF, storeBytes) {
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
	return box{float64(r.x0), float64(r.y0), float64(r.x1), float64(r.y1)}, nil
}

// pixels is the area that b covers at scale px per point, rounded outwards but for a thousandth, as MuPDF does.
func (b box) pixels(scale float64) (x0, y0, w, h int) {
	low := func(v float64) int { return int(math.Floor(float64(float32(v*scale)) + 0.001)) }
	high := func(v float64) int { return int(math.Ceil(float64(float32(v*scale)) - 0.001)) }
	x0, y0 = low(b.x0), low(b.y0)
	return x0, y0, high(b.x1) - x0, high(b.y1) - y0
}

// draw draws w x h px of the page that was loaded last into pix, gray over white; (x, y) is their top left corner in
// px at scale px per point.
func (m *mupdf) draw(scale float64, x, y, w, h int, pix []byte) error {
	if w < 1 || h < 1 || len(pix) < w*h {
		return errMuPDF
	}
	area := C.fz_irect{x0: C.int(x), y0: C.int(y), x1: C.int(x + w), y1: C.int(y + h)}
	if C.tc_draw(m.doc, C.float(scale), area, (*C.uchar)(unsafe.Pointer(&pix[0]))) != C.tc_ok {
		return errMuPDF
	}
	return nil
}
