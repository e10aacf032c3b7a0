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

// engine renders one open file, in the child.
type engine interface {
	pages() int
	// page renders page n, from 0, into an image, whose memory it may use or replace. An image file has its own
	// resolution and size; other pages have at most maxPixels. The errors wrap a sentinel of this package.
	page(n int, dpi float64, maxPixels int, into *gray.Image) (drawn, error)
	close()
}

// drawn describes an image that an engine made.
type drawn struct {
	dpi      float64     // 0: not known
	shrunk   bool        // maxPixels made it smaller than requested, or than the file's image
	pictures []gray.Rect // px, boxes of images that stand on the page, the last drawn first; not all of them
}

// minDPI is the lowest resolution at which a large page is rendered.
const minDPI = 72

// server renders files in a child. openPDF opens a PDF with the child's engine; children that only decode images have none.
type server struct {
	openPDF func(file []byte) (renderer, error)
}

// serve renders one file.
func (s server) serve(c *sandbox.Conn) error {
	kind, data, err := c.Receive()
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err != nil {
		return err
	}
	k, l, ok := parseOpen(data)
	if kind != kindOpen || !ok {
		return fmt.Errorf("first frame of kind %d: %w", kind, sandbox.ErrProtocol)
	}
	kind, file, err := c.Receive()
	if errors.Is(err, io.EOF) {
		return nil // the parent could not read it
	}
	if err != nil {
		return err
	}
	if kind != kindFile {
		return fmt.Errorf("second frame of kind %d: %w", kind, sandbox.ErrProtocol)
	}
	e, err := s.open(k, l, file)
	if err != nil {
		return taskError(err)
	}
	defer e.close()
	switch n := e.pages(); {
	case n < 1:
		return taskError(&Error{Err: ErrDamaged, Detail: "it has no pages"})
	case n > l.MaxPages:
		return taskError(&Error{Err: ErrTooLarge, Detail: fmt.Sprintf("%d pages, the limit is %d", n, l.MaxPages)})
	default:
		if err := c.Send(kindOpened, binary.BigEndian.AppendUint32(nil, uint32(n))); err != nil {
			return err
		}
	}
	last := sheet{engine: e, limits: l, image: canvas}
	defer last.release()
	for {
		kind, data, err := c.Receive()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if v, ok := parseViewRequest(data); kind == kindView && ok {
			v.MaxPixels = min(v.MaxPixels, l.MaxPixels)
			if err := sendView(c, e, v); err != nil {
				return err
			}
			continue
		}
		r, ok := parseRequest(data)
		if kind != kindPage || !ok {
			return fmt.Errorf("frame of kind %d: %w", kind, sandbox.ErrProtocol)
		}
		if err := last.send(c, r); err != nil {
			return err
		}
	}
}

func (s server) open(k Kind, l Limits, file []byte) (engine, error) {
	switch k {
	case HEIC, AVIF:
		return openHEIF(k, file, l)
	case PNM:
		return openPNM(file, l)
	}
	if s.openPDF == nil {
		return nil, &Error{Err: ErrUnsupported}
	}
	switch k {
	case PDF:
		doc, err := s.openPDF(fromHeader(file))
		if err != nil {
			return nil, err
		}
		return &pdfEngine{doc: doc, limits: l}, nil
	case JP2:
		return openJP2(file, l, s.openPDF)
	case TIFF:
		return openTIFF(file, l)
	case PNG, JPEG, BMP, GIF, WebP:
		return openImage(k, file, l)
	}
	return nil, &Error{Err: ErrUnsupported}
}

// taskError names err's sentinel for the parent. An error without one is reported as damage, because decoders
// have many messages for it.
func taskError(err error) *sandbox.TaskError {
	if e, ok := errors.AsType[*Error](err); ok {
		return &sandbox.TaskError{Code: codeOf(e.Err), Message: e.Detail}
	}
	return &sandbox.TaskError{Code: codeOf(ErrDamaged), Message: err.Error()}
}

// fit returns the resolution at which a page of w x h points has at most maxPixels, as close to dpi as possible and
// not below lowest.
func fit(w, h, dpi, lowest float64, maxPixels int) (float64, error) {
	if !(w > 0 && h > 0) {
		return 0, errNoArea
	}
	// Two more pixels on each side: renderers round outwards, at both ends.
	pixels := func(dpi float64) float64 { return (w*dpi/72 + 2) * (h*dpi/72 + 2) }
	if p := pixels(dpi); p > float64(maxPixels) {
		dpi = math.Floor(dpi * math.Sqrt(float64(maxPixels)/p))
	}
	for dpi > lowest && pixels(dpi) > float64(maxPixels) {
		dpi-- // the rounded part does not shrink with the page
	}
	if dpi < lowest || pixels(dpi) > float64(maxPixels) {
		return 0, &Error{Err: ErrTooLarge, Detail: fmt.Sprintf("a page of %.4g x %.4g mm", w/72*25.4, h/72*25.4)}
	}
	return dpi, nil
}
