package engine

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"tcode/scanner/answer"
	"tcode/scanner/gray"
	"tcode/scanner/pageimage"
	"tcode/scanner/symbol"
)

// Bounds of the reading of a PDF's pages.
const (
	firstDPI    = 150       // of the first look, as in package scanner
	firstPixels = 4_500_000 // of the first look
	partPixels  = firstPixels / 2
	partOverlap = 1.2 // inches
	pageBudget  = 5 * time.Second
	fileBudget  = 30 * time.Second // afterwards no other page begins
)

// pages reads the pages of a PDF that are pictures alone. It returns codes of what the other pages leave open. The error
// is that of ctx, or of the stores.
func (e *Engine) pages(ctx context.Context, r *answer.Reading, data []byte) (undrawn []string, err error) {
	leave := func(code string) {
		if !slices.Contains(undrawn, code) {
			undrawn = append(undrawn, code)
		}
	}
	doc, start := pageimage.Open(data), time.Now()
	if doc.Pages() == 0 {
		leave("pages")
	}
	for n := 1; n <= doc.Pages(); n++ {
		if time.Since(start) > fileBudget {
			leave("pages")
			break
		}
		page, err := doc.Show(ctx, n, e.cfg.Decode)
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case errors.Is(err, pageimage.ErrContents):
			leave("pages")
			continue
		case err != nil: // a decoder that fails cannot tell either
			leave("picture")
			continue
		}
		err = r.Page(answer.Page{Number: n, Count: doc.Pages(), DPI: page.DPI, Reading: readPage(ctx, page)})
		if err != nil {
			return nil, err
		}
	}
	if !r.Found() && len(undrawn) > 0 {
		r.WithoutPages(symbol.Reason{
			Code:    "no_mark",
			Message: "no TCode in the bytes of the file, and its pages are not drawn here",
			Advice:  "Photograph the page with the stamp.",
		})
	}
	return undrawn, nil
}

// readPage reads a page: made smaller first and then, if nothing was read, all of it in parts. Places and sizes are
// in px of the page.
func readPage(ctx context.Context, page pageimage.Shown) symbol.Reading {
	img := page.Image
	by := min(1, firstDPI/page.DPI, math.Sqrt(firstPixels/float64(img.Width*img.Height)))
	if by > 0.75 && img.Width*img.Height <= firstPixels {
		by = 1
	}
	w, h := max(1, int(float64(img.Width)*by)), max(1, int(float64(img.Height)*by))
	opt := symbol.Options{Budget: pageBudget, DPI: page.DPI * by}
	reading := symbol.ReadImage(ctx, pageimage.Shrink(img, w, h), opt)
	if len(reading.Symbols) > 0 || by == 1 {
		return enlarged(reading, 1/by)
	}
	opt.DPI = page.DPI
	overlap := min(int(partOverlap*page.DPI), img.Height/2)
	step := max(1, max(partPixels/img.Width, 2*overlap)-overlap)
	for y := 0; y < img.Height; y += step {
		part := img.Crop(gray.Rect{Y0: y, X1: img.Width, Y1: y + step + overlap})
		closer := symbol.ReadImage(ctx, part, opt)
		closer.Move(0, y)
		for _, s := range closer.Symbols {
			if !slices.ContainsFunc(reading.Symbols, func(o symbol.Symbol) bool { return o.Same(&s) }) {
				reading.Symbols = append(reading.Symbols, s)
			}
		}
		if y+step+overlap >= img.Height {
			break
		}
	}
	return reading
}

// enlarged returns a reading with places and sizes times by.
func enlarged(r symbol.Reading, by float64) symbol.Reading {
	for i := range r.Symbols {
		s := &r.Symbols[i]
		s.ModulePx *= by
		for c := range s.Corners {
			s.Corners[c] = [2]float64{s.Corners[c][0] * by, s.Corners[c][1] * by}
		}
	}
	return r
}
