package scanner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"tcode/offline/host/sandbox"
	"tcode/scanner/raster"
	"tcode/scanner/symbol"
)

// Page is the result of reading one page of a document.
type Page struct {
	Number, Count     int         // from 1; pages of the document
	Kind              raster.Kind // of the document
	WidthPx, HeightPx int         // of the page as it was read; 0 when it could not be rendered
	// Partial: a symbol was read at an image that looks like a stamp, and the rest of the page was not searched. Only
	// with StampOnly.
	Partial bool
	// DPI of the image that was read: corners and module sizes in px divided by it are inches. 0: not known, as for
	// photos.
	DPI float64
	// Reading of the last image of this page that was read. When the page could not be rendered its Reason's code
	// is one of the File constants.
	Reading symbol.Reading
	Raster  time.Duration // rendering or decoding, all resolutions together
	// Disputes are the differences between two engines. Only with BothEngines.
	Disputes []Dispute
}

// DocumentOptions steer [Scanner.Read]. The zero value reads every symbol of every page.
type DocumentOptions struct {
	// Image is for each page. Read sets its DPI and Clock; a zero Budget is the document's; Inverted is on for pictures, so it
	// matters for PDFs alone.
	Image symbol.Options
	// StampOnly reads the last page first, where stamps are, and stops at the first page with a symbol. Pages come
	// in that order, without the pages that were not searched. On a page of a PDF the images that could be stamps
	// are searched first, and nothing else if one is a stamp.
	StampOnly bool
	// BothEngines reads a PDF as each of two engines draws it. A page has the symbols that either shows, and Disputes
	// for those that only one shows. It takes twice the time, and StampOnly has no effect. It is [ErrOneEngine] in a build
	// with one engine.
	BothEngines bool
	// Progress, when not nil, is told each time one more page has been read and needs no other look. It is called by the caller's
	// goroutine, as yield is.
	Progress func(done, count int)
}

// draw reads the document as one engine draws it.
func (s *Scanner) draw(ctx context.Context, with *raster.Rasterizer, data []byte, opt DocumentOptions, yield func(Page) error) (*run, error) {
	inner, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	// The time for the start of a child does not count for the document. Open returns the error of the start.
	_ = with.Ready(ctx, raster.Sniff(data))
	r := &run{s: s, cfg: s.cfg, opt: opt, yield: yield}
	var stop func()
	r.time, stop = newMeter(inner, s.cfg, cancel)
	defer stop()
	err := with.Open(inner, data, func(d *raster.Document) error { return r.document(inner, d) })
	if r.long {
		debug.FreeOSMemory() // a long document is no measure for the next one
	}
	return r, err
}

// other returns the rasterizer with the other engine for PDFs, nil if this build has none or data is no PDF.
func (s *Scanner) other(data []byte) *raster.Rasterizer {
	if raster.Sniff(data) != raster.PDF {
		return nil
	}
	return s.second
}

// Read renders the document in data, whatever its name says it is, reads each page and yields the pages in their
// order. name is used in errors only. yield is called by the caller's goroutine; its error ends reading and is
// returned as it is.
//
// PDF pages are read at Config.FirstDPI, and again at Config.ThoroughDPI where something was seen but not read; when
// the whole document gave nothing, all of them, the last page first, until Config.ThoroughTime is over. Pages without a
// symbol may therefore be held back until that is known. A PDF that is damaged for one engine, and in which nothing was
// read, is read once more with the other one. A page or image of more than 4.5 megapixels is made smaller
// for the first look, and cut into overlapping parts for the closer one, so that memory stays bounded.
//
// The error is a [*DocumentError] when the document cannot be rendered, or when nothing was read and a page could not
// be rendered or not be searched everywhere: a page that was not seen is not a page without a symbol. Pages that were read are yielded before it. When
// ctx ends, it is ctx's cause.
func (s *Scanner) Read(ctx context.Context, name string, data []byte, opt DocumentOptions, yield func(Page) error) error {
	if opt.BothEngines && raster.Sniff(data) == raster.PDF {
		return s.readBoth(ctx, name, data, opt, yield)
	}
	r, err := s.draw(ctx, s.raster, data, opt, yield)
	if second := s.other(data); second != nil && ctx.Err() == nil && r.next == 0 && !r.read && errors.Is(cmp.Or(err, r.unseen), raster.ErrDamaged) {
		// A page that one engine cannot draw may be visible in programs with the other one.
		if r2, err2 := s.draw(ctx, second, data, opt, yield); r2.read || err2 == nil && r2.unseen == nil {
			r, err = r2, err2
		}
	}
	return r.conclude(ctx, name, err)
}

// conclude yields the pages that were held back, and returns the error of [Scanner.Read]. err is that of drawing.
func (r *run) conclude(ctx context.Context, name string, err error) error {
	if ctx.Err() == nil && (outOfTime(err) || errors.Is(err, sandbox.ErrTimeout)) && r.settleAll() {
		err = nil // a closer look takes too long: the first answer remains
	}
	if r.yieldErr != nil {
		return r.yieldErr
	}
	if ferr := r.flush(true); ferr != nil {
		return ferr
	}
	if ctx.Err() != nil && err != nil {
		return context.Cause(ctx)
	}
	if err == nil && !r.read {
		err = r.unseen
	}
	if n := r.left(); r.hung != nil && outOfTime(err) {
		err = r.hung
	} else if outOfTime(err) && n > 0 {
		err = fmt.Errorf("%w; %d of %d pages were not looked at", err, n, len(r.pages))
	}
	if err == nil {
		return nil
	}
	return documentError(name, err)
}
