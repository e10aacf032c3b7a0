package raster

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"tcode/offline/host/sandbox"
	"tcode/scanner/gray"
)

// An Area is a part of a page in points, from its top left corner as it is shown, y downwards.
type Area struct{ X, Y, Width, Height float64 }

// ViewRequest requests a page of a PDF as people see it: with annotations and form fields. [Document.Look] leaves them
// out, because they are no part of the stamped file, and may have been added later.
type ViewRequest struct {
	Page int // from 1
	// DPI is 1 to 2400. A view that would have more than MaxPixels is drawn at a lower resolution.
	DPI       float64
	Area      Area // part of the page; zero: all of it
	Colour    bool // three bytes a pixel, red, green, blue; else one of gray
	MaxPixels int  // of the answer. 0: Limits.MaxPixels
}

// View is a drawn page, or a part of it.
type View struct {
	Width, Height int // px
	Colour        bool
	Pix           []byte  // Width*Height pixels, row by row
	DPI           float64 // as asked or lower

	X, Y                  int // px, where the view lies on the page
	PageWidth, PageHeight int // px, of the whole page at DPI
}

// Gray returns a view in gray as an image that shares its pixels.
func (v View) Gray() *gray.Image {
	return &gray.Image{Width: v.Width, Height: v.Height, Stride: v.Width, Pix: v.Pix}
}

// bytes returns the bytes of a pixel.
func (r ViewRequest) bytes() int {
	if r.Colour {
		return 3
	}
	return 1
}

// trusted is the size of a view, bytes, up to which memory is allocated before the pixels arrive: a child that dies
// must not cost more.
const trusted = 8 << 20

// View draws the part that r requests. Errors are as for [Document.Look]; an image file, or an area outside of
// the page, is [ErrUnsupported].
func (d *Document) View(r ViewRequest) (View, error) {
	if r.Page < 1 || r.Page > d.Pages || !(r.DPI >= 1 && r.DPI <= 2400) || !r.Area.sane() {
		return View{}, fmt.Errorf("view of page %d of %d at %g dpi: %w", r.Page, d.Pages, r.DPI, errors.ErrUnsupported)
	}
	if r.MaxPixels <= 0 || r.MaxPixels > d.maxPixels {
		r.MaxPixels = d.maxPixels
	}
	if err := d.conn.Send(kindView, r.append(nil)); err != nil {
		return View{}, err
	}
	kind, data, err := d.conn.Receive()
	switch {
	case errors.Is(err, io.EOF):
		return View{}, known(fmt.Errorf("no answer to a view of page %d: %w", r.Page, sandbox.ErrProtocol), 0)
	case err != nil:
		return View{}, known(err, 0)
	case kind == kindRefused:
		return View{}, known(parseRefused(data), r.Page)
	}
	h, ok := parseHeader(data)
	// The declared size of the page is not trusted: the page is drawn in part.
	if kind != kindHeader || !ok || !(h.dpi >= 1 && h.dpi <= r.DPI) || h.width < 1 || h.height < 1 || int64(h.width)*int64(h.height) > int64(r.MaxPixels) {
		return View{}, fmt.Errorf("header of a view: %w", sandbox.ErrProtocol)
	}
	var room []byte
	if size := h.width * h.height * r.bytes(); size <= trusted {
		room = make([]byte, size)
	}
	kind, pix, err := d.conn.ReceiveInto(room)
	if err != nil {
		return View{}, known(err, 0)
	}
	if kind != kindPixels || len(pix) != h.width*h.height*r.bytes() {
		return View{}, fmt.Errorf("pixels of a view: %w", sandbox.ErrProtocol)
	}
	return View{
		Width: h.width, Height: h.height, Colour: r.Colour, Pix: pix, DPI: h.dpi,
		X: h.x, Y: h.y, PageWidth: h.pageWidth, PageHeight: h.pageHeight,
	}, nil
}

func (a Area) numbers() []float64 { return []float64{a.X, a.Y, a.Width, a.Height} }

// sane reports whether all numbers of a are in the range for calculations.
func (a Area) sane() bool {
	for _, v := range a.numbers() {
		if !(math.Abs(v) <= 1<<20) {
			return false
		}
	}
	return a.Width >= 0 && a.Height >= 0
}

// append writes r for the child: page, pixels and colour as u32, the rest as float64.
func (r ViewRequest) append(b []byte) []byte {
	for _, v := range []int{r.Page, r.MaxPixels, r.bytes()} {
		b = binary.BigEndian.AppendUint32(b, uint32(v))
	}
	for _, v := range append([]float64{r.DPI}, r.Area.numbers()...) {
		b = binary.BigEndian.AppendUint64(b, math.Float64bits(v))
	}
	return b
}

func parseViewRequest(b []byte) (r ViewRequest, ok bool) {
	if len(b) != 3*4+5*8 {
		return r, false
	}
	u32 := func(i int) int { return int(binary.BigEndian.Uint32(b[4*i:])) }
	f64 := func(i int) float64 { return math.Float64frombits(binary.BigEndian.Uint64(b[12+8*i:])) }
	r = ViewRequest{Page: u32(0), MaxPixels: u32(1), Colour: u32(2) == 3, DPI: f64(0), Area: Area{f64(1), f64(2), f64(3), f64(4)}}
	return r, r.Page >= 1 && r.MaxPixels > 0 && r.Area.sane()
}

// A viewer is an engine that draws views.
type viewer interface {
	view(r ViewRequest) (View, error)
}

// sendView draws and sends the view that r requests, or the error.
func sendView(c *sandbox.Conn, e engine, r ViewRequest) error {
	v, err := View{}, error(&Error{Err: ErrUnsupported, Detail: "an image has no other view"})
	if draws, ok := e.(viewer); ok && r.Page <= e.pages() {
		v, err = draws.view(r)
	}
	if err != nil {
		te := taskError(err)
		return c.Send(kindRefused, appendRefused(te.Code, te.Message))
	}
	h := header{width: v.Width, height: v.Height, x: v.X, y: v.Y, pageWidth: v.PageWidth, pageHeight: v.PageHeight, parts: 1, drawn: drawn{dpi: v.DPI}}
	if err := c.Send(kindHeader, h.append(nil)); err != nil {
		return err
	}
	return c.Send(kindPixels, v.Pix)
}
