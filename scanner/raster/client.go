package raster

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"sync"
	"time"

	"tcode/offline/geometry"
	"tcode/offline/host/sandbox"
	"tcode/scanner/filekind"
	"tcode/scanner/gray"
)

// Defaults of [Limits].
const (
	DefaultMaxBytes  = 25 << 20
	DefaultMaxPages  = 500
	DefaultMaxPixels = geometry.MaxPixels
)

// Limits bound the rendering. Zero fields take the defaults.
type Limits struct {
	MaxBytes  int // of a file; at most 64 MiB, the size of a frame
	MaxPages  int // of a file
	MaxPixels int // of a page or image; at most DefaultMaxPixels
}

func (l Limits) withDefaults() Limits {
	if l.MaxBytes <= 0 {
		l.MaxBytes = DefaultMaxBytes
	}
	l.MaxBytes = min(l.MaxBytes, sandbox.MaxFrame)
	if l.MaxPages <= 0 {
		l.MaxPages = DefaultMaxPages
	}
	if l.MaxPixels <= 0 || l.MaxPixels > DefaultMaxPixels {
		l.MaxPixels = DefaultMaxPixels
	}
	return l
}

// Rasterizer renders files in the children of its pools. It is safe for concurrent use.
type Rasterizer struct {
	pool     *sandbox.Pool          // draws PDFs, and decodes the images that have no other pool
	pictures *sandbox.Pool          // decodes pictureKinds
	own      map[Kind]*sandbox.Pool // for kinds of images with children of their own
	limits   Limits
	engine   Engine
}

// New returns a Rasterizer with pools of its own, each of c.Size children at most, which start when a file needs them. New sets
// c.Role, c.Arg and c.SlowStart; a zero c is right for documents from outside. The caller must call Close.
func New(c sandbox.Config, l Limits, opts ...Option) *Rasterizer {
	o := options{engine: DefaultEngine}
	for _, set := range opts {
		set(&o)
	}
	arg := func(part string) func() string { // the folder is not made before a child needs it
		return sync.OnceValue(func() string { return o.prepareCache(c.Log, part) })
	}
	own := map[Kind]*sandbox.Pool{}
	for k := range heifKinds {
		c.Role, c.Arg, c.SlowStart = heifRole(k), arg(string(k)), nil
		own[k] = sandbox.NewPool(c)
	}
	c.Role, c.Arg, c.SlowStart = pictureRole, nil, nil
	pictures := sandbox.NewPool(c)
	c.Role, c.SlowStart = o.engine.role(), o.slow
	if o.engine == PDFium {
		c.Arg = arg("")
	}
	return &Rasterizer{pool: sandbox.NewPool(c), pictures: pictures, own: own, limits: l.withDefaults(), engine: o.engine}
}

// poolOf returns the pool whose children open files of kind k.
func (r *Rasterizer) poolOf(k Kind) *sandbox.Pool {
	if p := r.own[k]; p != nil {
		return p
	}
	if slices.Contains(pictureKinds, k) {
		return r.pictures
	}
	return r.pool
}

// Engine returns the engine that draws PDF pages.
func (r *Rasterizer) Engine() Engine { return r.engine }

// Close ends the children.
func (r *Rasterizer) Close() {
	r.pool.Close()
	for _, p := range r.own {
		p.Close()
	}
	r.pictures.Close()
}

// Protections returns a description of the children's restrictions; see [sandbox.Pool.Protections].
func (r *Rasterizer) Protections(ctx context.Context) (string, error) { return r.pool.Protections(ctx) }

// Usable returns why no page can be drawn now, see [sandbox.Pool.Usable].
func (r *Rasterizer) Usable(ctx context.Context, longest time.Duration) error {
	return r.pool.Usable(ctx, longest)
}

// Ready waits until a child is ready to take a file of kind k, and starts one if there is none. A caller that limits the time
// of a file then need not count the start, which compiles PDFium or a decoder the first time, or the wait for a busy child. The
// error is that of starting a child, or the cause of ctx.
func (r *Rasterizer) Ready(ctx context.Context, k Kind) error {
	if k == Unknown {
		return nil // Open refuses it without a child
	}
	_, err := r.poolOf(k).Protections(ctx)
	return err
}

// Document is an open file in a child. Its methods may be called by one goroutine at a time, and only during the use
// function.
type Document struct {
	Kind  Kind
	Pages int // 1 to Limits.MaxPages

	conn      *sandbox.Conn
	maxPixels int
}

// Page is one rendered page, or a part of it.
type Page struct {
	Image *gray.Image // nil if only squares were sent
	// DPI of Image: as requested or lower for a page of a PDF, the file's own for an image, 0 if the file has
	// none.
	DPI  float64
	Took time.Duration // rendering or decoding in the child

	X, Y          int  // px, where Image lies on the page
	Width, Height int  // px, of the whole page
	Parts         int  // parts of the page at this resolution
	Shrunk        bool // MaxPixels made Image smaller than requested, or than the file's image

	// Pictures are the boxes, in px of Image, of some images that a PDF page draws, the last drawn first. The file can
	// choose them freely, so use them only to decide where to look first.
	Pictures []gray.Rect

	squares []Square // without Image
}

// Request asks for an image of a page.
type Request struct {
	Page int     // from 1
	DPI  float64 // for PDF pages, 1 to 2400; images have their own
	// MaxPixels of the answer. 0: Limits.MaxPixels.
	MaxPixels int
	// Part 0 requests the whole page: a page with more than MaxPixels is rendered at a lower resolution, or an image
	// made smaller by a whole number. Parts count from 1, overlap, and keep the page's resolution. Page.Parts is
	// their number, so request part 1 first.
	Part int
	// Squares requests only the pixels that [Page.Squares] returns, if there are any: a small part of all pixels. The
	// caller can request the rest at the same DPI without a second drawing.
	Squares bool
	Buffer  []byte // used for the pixels if it is large enough
}

// ask returns r for the child, with maxPixels.
func (r Request) ask(maxPixels int) request {
	ask := request{page: r.Page, part: r.Part, maxPixels: maxPixels, dpi: r.DPI}
	if r.Squares {
		ask.squares = 1
	}
	return ask
}

// Open opens file in a child and calls use with it. The child works on this file alone until use returns.
//
// The error is an [*Error] if the file cannot be rendered, one of package sandbox's if the child died of it or
// took too long, the cause of ctx, or the error of use.
func (r *Rasterizer) Open(ctx context.Context, file []byte, use func(*Document) error) error {
	send := func(c *sandbox.Conn) error { return c.Send(kindFile, file) }
	return r.open(ctx, file, int64(len(file)), send, use)
}

// OpenFrom is [Rasterizer.Open] for a PDF that need not be in memory: if file reads an [os.File] that was opened for
// reading only, the child maps that file (see [sandbox.Conn.SendFrom]). The file must not change until use has
// returned.
func (r *Rasterizer) OpenFrom(ctx context.Context, file *io.SectionReader, use func(*Document) error) error {
	head := make([]byte, min(file.Size(), filekind.HeadLen))
	if n, err := file.ReadAt(head, 0); n < len(head) {
		return fmt.Errorf("read the file: %w", err)
	}
	if len(head) > 0 && Sniff(head) != PDF {
		return &Error{Err: ErrUnsupported, Detail: "it is no PDF"}
	}
	send := func(c *sandbox.Conn) error { return c.SendFrom(kindFile, file) }
	return r.open(ctx, head, file.Size(), send, use)
}

// open opens a file of size bytes, which send sends. file is all of them, or the first ones of a PDF.
func (r *Rasterizer) open(
	ctx context.Context, file []byte, size int64,
	send func(*sandbox.Conn) error, use func(*Document) error,
) error {
	kind := Sniff(file)
	switch {
	case size == 0:
		return &Error{Err: ErrEmpty}
	case kind == Unknown:
		return unsupported(file)
	case r.own[kind] != nil && !hasHEIF:
		return &Error{Err: ErrUnsupported, Detail: "this program was built without a decoder of HEIC and AVIF", Advice: filekind.AdviceExport}
	case size > int64(r.limits.MaxBytes):
		return &Error{Err: ErrTooLarge, Detail: fmt.Sprintf("%d bytes, the limit is %d", size, r.limits.MaxBytes)}
	}
	err := r.poolOf(kind).Do(ctx, func(c *sandbox.Conn) error {
		if err := c.Send(kindOpen, openFrame(kind, r.limits)); err != nil {
			return err
		}
		if err := send(c); err != nil {
			return err
		}
		reply, data, err := c.Receive()
		if err != nil {
			return err
		}
		if reply != kindOpened || len(data) != 4 {
			return fmt.Errorf("answer to open: %w", sandbox.ErrProtocol)
		}
		d := &Document{Kind: kind, Pages: int(binary.BigEndian.Uint32(data)), conn: c, maxPixels: r.limits.MaxPixels}
		if d.Pages < 1 || d.Pages > r.limits.MaxPages {
			return fmt.Errorf("%d pages: %w", d.Pages, sandbox.ErrProtocol)
		}
		return use(d)
	})
	return known(err, 0)
}

// known converts the child's own errors to this package's.
func known(err error, page int) error {
	te, ok := errors.AsType[*sandbox.TaskError](err)
	if !ok {
		return err
	}
	e, ok := codes[te.Code]
	if !ok {
		return err
	}
	return &Error{Err: e, Page: page, Detail: te.Message}
}

// Page renders page n, from 1. dpi is for PDF pages, between 1 and 2400: a page that would be larger than
// Limits.MaxPixels is rendered at a lower resolution, but not below 72 dpi. Images keep their resolution. Errors are
// as for [Document.Look].
func (d *Document) Page(n int, dpi float64) (Page, error) { return d.Look(Request{Page: n, DPI: dpi}) }

// Look renders the page or part that r requests.
//
// An [*Error] with a Page concerns this page alone and others may still be rendered; after any other error the
// document is lost. A page that would be larger than Limits.MaxPixels is rendered at a lower resolution, and gives
// an error if that is below 72 dpi.
func (d *Document) Look(r Request) (Page, error) {
	if r.Page < 1 || r.Page > d.Pages || !(r.DPI >= 1 && r.DPI <= 2400) || r.Part < 0 {
		return Page{}, fmt.Errorf("page %d of %d, part %d, at %g dpi: %w", r.Page, d.Pages, r.Part, r.DPI, errors.ErrUnsupported)
	}
	if r.MaxPixels <= 0 || r.MaxPixels > d.maxPixels {
		r.MaxPixels = d.maxPixels
	}
	if err := d.conn.Send(kindPage, r.ask(r.MaxPixels).append(nil)); err != nil {
		return Page{}, err
	}
	kind, data, err := d.conn.Receive()
	if err != nil {
		if errors.Is(err, io.EOF) {
			err = fmt.Errorf("no answer to page %d: %w", r.Page, sandbox.ErrProtocol)
		}
		return Page{}, known(err, 0)
	}
	switch kind {
	case kindRefused:
		return Page{}, known(parseRefused(data), r.Page)
	case kindHeader:
		return d.pixels(data, r)
	}
	return Page{}, fmt.Errorf("answer to page %d: %w", r.Page, sandbox.ErrProtocol)
}

// Done tells the child that there are no more requests, so that it ends its work on the file while the caller continues.
// Calling it is optional.
func (d *Document) Done() error { return d.conn.Finish() }

// CPUTime returns the processor time that the child has used for this file so far; see [sandbox.Conn.CPUTime]. Other goroutines
// may call it.
func (d *Document) CPUTime() time.Duration { return d.conn.CPUTime() }

// pixels receives the pixels that belong to a header.
func (d *Document) pixels(data []byte, r Request) (Page, error) {
	h, ok := parseHeader(data)
	if !ok || !h.plausible(r.MaxPixels, d.maxPixels) {
		return Page{}, fmt.Errorf("page header: %w", sandbox.ErrProtocol)
	}
	kind, pix, err := d.conn.ReceiveInto(r.Buffer)
	if err != nil {
		return Page{}, known(err, 0)
	}
	part := h.less&lessSquares != 0
	if kind != kindPixels || part && !r.Squares || !part && len(pix) != h.width*h.height {
		return Page{}, fmt.Errorf("pixels of a page: %w", sandbox.ErrProtocol)
	}
	p := Page{
		DPI: saneDPI(h.dpi), Took: h.took,
		X: h.x, Y: h.y, Width: h.pageWidth, Height: h.pageHeight, Parts: h.parts, Shrunk: h.shrunk, Pictures: h.pictures,
	}
	if part {
		p.squares, err = takeSquares(h, pix)
		return p, err
	}
	p.Image = &gray.Image{Width: h.width, Height: h.height, Stride: h.width, Pix: pix}
	return p, nil
}

// saneDPI returns 0 for resolutions that no scanner has: image files often hold nonsense.
func saneDPI(dpi float64) float64 {
	if math.IsNaN(dpi) || dpi < 20 || dpi > 10_000 {
		return 0
	}
	return dpi
}
