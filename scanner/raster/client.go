package raster

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"tcode/offline/sandbox"
	"tcode/scanner/gray"
)

// Defaults of [Limits], from DESIGN sections 10 and 11.
const (
	DefaultMaxBytes  = 25 << 20
	DefaultMaxPages  = 500
	DefaultMaxPixels = 60_000_000
)

// roleName is the sandbox role that renders.
const roleName = "raster"

// Limits bound what is rendered. Zero fields take the defaults.
type Limits struct {
	MaxBytes  int // of a file; at most 63 MiB, what fits a frame
	MaxPages  int // of a file
	MaxPixels int // of a page or image; at most DefaultMaxPixels
}

func (l Limits) withDefaults() Limits {
	if l.MaxBytes <= 0 {
		l.MaxBytes = DefaultMaxBytes
	}
	l.MaxBytes = min(l.MaxBytes, sandbox.MaxFrame-openHeader)
	if l.MaxPages <= 0 {
		l.MaxPages = DefaultMaxPages
	}
	if l.MaxPixels <= 0 || l.MaxPixels > DefaultMaxPixels {
		l.MaxPixels = DefaultMaxPixels
	}
	return l
}

// Rasterizer renders files in the children of a pool. It is safe for concurrent use.
type Rasterizer struct {
	pool   *sandbox.Pool
	limits Limits
}

// New returns a Rasterizer with a pool of its own. c.Role is set by New; a zero c is right for documents from outside.
// Close it.
func New(c sandbox.Config, l Limits) *Rasterizer {
	c.Role = roleName
	return &Rasterizer{pool: sandbox.NewPool(c), limits: l.withDefaults()}
}

// Close ends the children.
func (r *Rasterizer) Close() { r.pool.Close() }

// Protections says what restrains the children, see [sandbox.Pool.Protections].
func (r *Rasterizer) Protections(ctx context.Context) (string, error) { return r.pool.Protections(ctx) }

// Document is an open file in a child. Its methods may be called by one goroutine at a time, and only inside of use.
type Document struct {
	Kind  Kind
	Pages int // 1 to Limits.MaxPages

	conn      *sandbox.Conn
	maxPixels int
}

// Page is one rendered page.
type Page struct {
	Image *gray.Image
	// DPI of Image: as asked or lower for a page of a PDF, as the file says for an image, 0 when it says nothing.
	DPI  float64
	Took time.Duration // rendering or decoding in the child
}

// Open opens file in a child and calls use with it. The child is busy with this file alone until use returns.
//
// The error is an [*Error] when the file cannot be rendered, one of package sandbox's when the child died of it or
// took too long, the cause of ctx, or what use returned.
func (r *Rasterizer) Open(ctx context.Context, file []byte, use func(*Document) error) error {
	kind := Sniff(file)
	switch {
	case len(file) == 0:
		return &Error{Err: ErrEmpty}
	case kind == Unknown:
		return &Error{Err: ErrUnsupported, Detail: unsupportedDetail(file)}
	case len(file) > r.limits.MaxBytes:
		return &Error{Err: ErrTooLarge, Detail: fmt.Sprintf("%d bytes, the limit is %d", len(file), r.limits.MaxBytes)}
	}
	err := r.pool.Do(ctx, func(c *sandbox.Conn) error {
		if err := c.Send(kindOpen, appendOpen(kind, r.limits, file)); err != nil {
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

// known turns the child's own errors into this package's.
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
// Limits.MaxPixels is rendered at a lower resolution, but not below 72 dpi. Images come as they are.
//
// An [*Error] with a Page concerns this page alone and others may still be rendered; after any other error the
// document is lost.
func (d *Document) Page(n int, dpi float64) (Page, error) {
	if n < 1 || n > d.Pages || !(dpi >= 1 && dpi <= 2400) {
		return Page{}, fmt.Errorf("page %d of %d at %g dpi: %w", n, d.Pages, dpi, errors.ErrUnsupported)
	}
	if err := d.conn.Send(kindPage, appendPageRequest(n, dpi)); err != nil {
		return Page{}, err
	}
	kind, data, err := d.conn.Receive()
	if err != nil {
		if errors.Is(err, io.EOF) {
			err = fmt.Errorf("no answer to page %d: %w", n, sandbox.ErrProtocol)
		}
		return Page{}, known(err, 0)
	}
	switch kind {
	case kindRefused:
		return Page{}, known(parseRefused(data), n)
	case kindHeader:
		return d.pixels(data)
	}
	return Page{}, fmt.Errorf("answer to page %d: %w", n, sandbox.ErrProtocol)
}

// pixels receives the pixels that belong to a header.
func (d *Document) pixels(header []byte) (Page, error) {
	h, ok := parseHeader(header)
	if !ok || h.width < 1 || h.height < 1 || int64(h.width)*int64(h.height) > int64(d.maxPixels) {
		return Page{}, fmt.Errorf("page header: %w", sandbox.ErrProtocol)
	}
	kind, pix, err := d.conn.Receive()
	if err != nil {
		return Page{}, known(err, 0)
	}
	if kind != kindPixels || len(pix) != h.width*h.height {
		return Page{}, fmt.Errorf("pixels of a page: %w", sandbox.ErrProtocol)
	}
	return Page{
		Image: &gray.Image{Width: h.width, Height: h.height, Stride: h.width, Pix: pix},
		DPI:   saneDPI(h.dpi),
		Took:  h.took,
	}, nil
}

// saneDPI is 0 for resolutions no scanner has: image files often hold nonsense.
func saneDPI(dpi float64) float64 {
	if math.IsNaN(dpi) || dpi < 20 || dpi > 10_000 {
		return 0
	}
	return dpi
}
