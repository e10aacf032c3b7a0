// Drawing with MuPDF: the C side of mupdf.go.

#ifndef TCODE_MUPDF_H
#define TCODE_MUPDF_H

#include <setjmp.h>
#include <stddef.h>
#include <stdlib.h>

// Declarations of the parts of MuPDF 1.24 in use: go-fitz links the library but does not export its headers.
// fz_new_context_imp refuses a library of another version than the named one, so the declarations cannot be out of date.
typedef struct fz_context fz_context;
typedef struct fz_stream fz_stream;
typedef struct fz_document fz_document;
typedef struct fz_page fz_page;
typedef struct fz_pixmap fz_pixmap;
typedef struct fz_colorspace fz_colorspace;
typedef struct fz_separations fz_separations;
typedef struct fz_cookie fz_cookie;
typedef struct fz_document_handler fz_document_handler;
typedef struct { float x0, y0, x1, y1; } fz_rect;
typedef struct { int x0, y0, x1, y1; } fz_irect;
typedef struct { float a, b, c, d, e, f; } fz_matrix;
typedef struct { unsigned char ri, bp, op, opm; } fz_color_params;
typedef struct fz_image fz_image;

typedef struct {
	void *user;
	void *(*malloc)(void *, size_t);
	void *(*realloc)(void *, void *, size_t);
	void (*free)(void *, void *);
} fz_alloc_context;

typedef struct fz_device fz_device;
struct fz_device { // its beginning
	int refs, hints, flags;
	void (*to_fill_text[11])(void); // close_device to ignore_text
	void (*fill_shade)(void);
	void (*fill_image)(fz_context *, fz_device *, fz_image *, fz_matrix, float alpha, fz_color_params);
	void (*fill_image_mask)(fz_context *, fz_device *, fz_image *, fz_matrix, fz_colorspace *, const float *color, float alpha, fz_color_params);
};

extern fz_document_handler pdf_document_handler, img_document_handler;

fz_context *fz_new_context_imp(const fz_alloc_context *alloc, const void *locks, size_t max_store, const char *version);
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
fz_rect fz_bound_page_box(fz_context *, fz_page *, int box); // 0: MediaBox, 1: CropBox
fz_colorspace *fz_device_gray(fz_context *);
fz_colorspace *fz_device_rgb(fz_context *);
fz_pixmap *fz_new_pixmap_with_bbox_and_data(fz_context *, fz_colorspace *, fz_irect, fz_separations *, int alpha, unsigned char *);
void fz_clear_pixmap_with_value(fz_context *, fz_pixmap *, int);
void fz_drop_pixmap(fz_context *, fz_pixmap *);
fz_device *fz_new_draw_device(fz_context *, fz_matrix, fz_pixmap *);
void fz_enable_device_hints(fz_context *, fz_device *, int);
void fz_close_device(fz_context *, fz_device *);
void fz_drop_device(fz_context *, fz_device *);
void fz_run_page_contents(fz_context *, fz_page *, fz_device *, fz_matrix, fz_cookie *);
void fz_run_page(fz_context *, fz_page *, fz_device *, fz_matrix, fz_cookie *); // with annotations and form fields

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

fz_rect fz_transform_rect(fz_rect, fz_matrix);

enum { tc_ok, tc_failed, tc_version, tc_password, tc_memory };

// Options of tc_draw: add the values.
enum { tc_colour = 1, tc_annotations = 2 };

typedef struct {
	fz_context *ctx;
	fz_stream *stream;
	fz_document *doc;
	fz_page *page;
	int number; // of page
	size_t used, most; // bytes of memory that MuPDF has, and may have
	size_t refused;    // bytes of the request that was refused last and not granted later; 0: none
} tc_doc;

// Each allocation of MuPDF has its length in front. 16 bytes keep the alignment of malloc, which adds as many.
enum { tc_head = 16, tc_each = 2 * tc_head };

// tc_realloc allocates memory, within the limit of the document. MuPDF passes it on to the decoders of JPEG 2000, JBIG2 and
// JPEG and to FreeType, so the limit counts for them too.
static void *tc_realloc(void *user, void *old, size_t n) {
	tc_doc *d = user;
	char *p = old ? (char *)old - tc_head : NULL;
	size_t had = p ? *(size_t *)p + tc_each : 0;
	char *q = NULL;
	if (n <= d->most && d->used - had + n + tc_each <= d->most)
		q = realloc(p, n + tc_head);
	if (!q) {
		d->refused = n + 1;
		return NULL;
	}
	p = q;
	if (d->refused == n + 1) // MuPDF freed memory and requested it again
		d->refused = 0;
	d->used = d->used - had + n + tc_each;
	*(size_t *)p = n;
	return p + tc_head;
}

static void *tc_malloc(void *user, size_t n) { return tc_realloc(user, NULL, n); }

static void tc_free(void *user, void *old) {
	if (!old)
		return;
	char *p = (char *)old - tc_head;
	((tc_doc *)user)->used -= *(size_t *)p + tc_each;
	free(p);
}

// tc_failure is the result of a call that failed.
static int tc_failure(tc_doc *d) {
	size_t refused = d->refused;
	d->refused = 0;
	return refused ? tc_memory : tc_failed;
}

static void tc_close(tc_doc *d) {
	if (d->ctx) {
		fz_drop_page(d->ctx, d->page);
		fz_drop_document(d->ctx, d->doc);
		fz_drop_stream(d->ctx, d->stream);
		fz_drop_context(d->ctx);
	}
	free(d);
}

// tc_open opens data, which must not move until tc_close. With image, it is an image file and not a PDF. MuPDF keeps
// store bytes of fonts and images, and has at most most bytes of memory.
static int tc_open(tc_doc **out, const unsigned char *data, size_t len, int image, size_t store, size_t most) {
	tc_doc *d = calloc(1, sizeof *d);
	volatile int password = 0;
	*out = d;
	if (!d)
		return tc_failed;
	d->number = -1;
	d->most = most;
	const fz_alloc_context alloc = {d, tc_malloc, tc_realloc, tc_free};
	d->ctx = fz_new_context_imp(&alloc, NULL, store, "1.24.9");
	if (!d->ctx)
		return tc_version;
	fz_try(d->ctx) {
		// Colours become gray by MuPDF's own weights; profiles cost time and do not change any result.
		fz_disable_icc(d->ctx);
		// Files are identified by their content, whatever their name is: only the intended handler is registered.
		fz_register_document_handler(d->ctx, image ? &img_document_handler : &pdf_document_handler);
		d->stream = fz_open_memory(d->ctx, data, len);
		d->doc = fz_open_document_with_stream(d->ctx, image ? "image/tiff" : "application/pdf", d->stream);
		password = fz_needs_password(d->ctx, d->doc);
	}
	fz_catch(d->ctx)
		return tc_failure(d);
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

// tc_bound loads page n, from 0, and returns its box in points.
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
		return tc_failure(d);
	return tc_ok;
}

// tc_media returns the MediaBox of the page that tc_bound loaded last, as tc_bound returns its box.
static int tc_media(tc_doc *d, fz_rect *box) {
	fz_try(d->ctx)
		*box = fz_bound_page_box(d->ctx, d->page, 0);
	fz_catch(d->ctx)
		return tc_failure(d);
	return tc_ok;
}

// The images that were drawn last, in points, in the order of drawing. One thread at a time draws a document, and
// several threads draw several documents.
enum { tc_max_images = 16 };
static _Thread_local struct {
	unsigned n; // drawn; the last tc_max_images of them are kept, image i at i % tc_max_images
	fz_rect at[tc_max_images];
	void (*fill_image)(fz_context *, fz_device *, fz_image *, fz_matrix, float, fz_color_params);
	void (*fill_image_mask)(fz_context *, fz_device *, fz_image *, fz_matrix, fz_colorspace *, const float *, float, fz_color_params);
} tc_images;

static void tc_note(fz_matrix ctm) {
	const fz_rect unit = {0, 0, 1, 1};
	tc_images.at[tc_images.n++ % tc_max_images] = fz_transform_rect(unit, ctm);
}

static void tc_fill_image(fz_context *ctx, fz_device *dev, fz_image *img, fz_matrix ctm, float alpha, fz_color_params p) {
	tc_note(ctm);
	tc_images.fill_image(ctx, dev, img, ctm, alpha, p);
}

static void tc_fill_image_mask(fz_context *ctx, fz_device *dev, fz_image *img, fz_matrix ctm, fz_colorspace *cs, const float *color, float alpha, fz_color_params p) {
	tc_note(ctm);
	tc_images.fill_image_mask(ctx, dev, img, ctm, cs, color, alpha, p);
}

// tc_image returns the i-th image counted from the one drawn last, or fails if there are fewer.
static int tc_image(unsigned i, fz_rect *at) {
	if (i >= tc_images.n || i >= tc_max_images)
		return tc_failed;
	*at = tc_images.at[(tc_images.n - 1 - i) % tc_max_images];
	return tc_ok;
}

// tc_draw draws the part of the page that tc_bound loaded last into pix, over white, a row after the other: one byte of
// gray a pixel, or three of red, green and blue. box is in px at scale px per point. tc_image returns the images of this call,
// so call both from one thread.
static int tc_draw(tc_doc *d, float scale, fz_irect box, int how, unsigned char *pix) {
	tc_images.n = 0;
	d->refused = 0;
	fz_pixmap *volatile map = NULL;
	fz_device *volatile dev = NULL;
	const fz_matrix identity = {1, 0, 0, 1, 0, 0}, zoom = {scale, 0, 0, scale, 0, 0};
	fz_try(d->ctx) {
		fz_colorspace *space = how & tc_colour ? fz_device_rgb(d->ctx) : fz_device_gray(d->ctx);
		map = fz_new_pixmap_with_bbox_and_data(d->ctx, space, box, NULL, 0, pix);
		fz_clear_pixmap_with_value(d->ctx, map, 255);
		dev = fz_new_draw_device(d->ctx, zoom, map);
		tc_images.fill_image = dev->fill_image;
		tc_images.fill_image_mask = dev->fill_image_mask;
		dev->fill_image = tc_fill_image;
		dev->fill_image_mask = tc_fill_image_mask;
		fz_enable_device_hints(d->ctx, dev, 2); // FZ_NO_CACHE: a page is drawn once or twice
		if (how & tc_annotations)
			fz_run_page(d->ctx, d->page, dev, identity, NULL);
		else
			fz_run_page_contents(d->ctx, d->page, dev, identity, NULL);
		fz_close_device(d->ctx, dev);
	}
	fz_always(d->ctx) {
		fz_drop_device(d->ctx, dev);
		fz_drop_pixmap(d->ctx, map);
	}
	fz_catch(d->ctx)
		return tc_failure(d);
	// MuPDF leaves out an image that it has no memory for.
	return d->refused ? tc_failure(d) : tc_ok;
}

#endif
