// Package proof examines stamped pages before they leave the gateway: is the symbol read back from a rendering, how bad may
// a scan of it be, what was there before, and how do other programs and scanners show the file.
//
//	PDF before ─▶ raster.View of the box ─▶ Ink: all that is not ground          hidden by a stamp
//	                       └─▶ where there is ink, 200 dpi ─▶ ReadImage ─▶ Ground: the symbols that reach into the box
//	PDF after  ─▶ raster.View at 300 dpi ─▶ ReadImage ─▶ text, contrast, quiet zone, errors corrected
//	                       └─▶ skew, 150 dpi and less, blur, noise, JPEG ─▶ ReadImage ─▶ the lowest dpi that is read
//	              raster.View at less, if scanners draw the page so ─▶ ReadImage ─▶ text
//	              raster.View in colour ─▶ Picture: PNG of the page, for people
//	before, after ─▶ package compare, with MuPDF and PDFium ─▶ Compare: changes, and differences between the engines
//	              ─▶ package caveat in a child process ─▶ Caveats: those that scanners add to their answer
//
// A program calls sandbox.Main with [Roles] first, then [NewReader]; package readback has the questions and answers. A
// [Prover] answers those about one page with one engine.
//
// Only the part of the page around the stamp is drawn, once, and the effects of printers and scanners are applied to its
// pixels. Annotations and form fields are drawn too: they cover a symbol for a scanner as they do for an eye.
// Everything is deterministic: the same file gives the same answer.
package proof

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"tcode/offline/geometry"
	"tcode/offline/host/awake"
	"tcode/scanner/raster"
)

// A Prover examines pages. It is safe for concurrent use. Files on a disk are never in the memory of this process:
// child processes map them (see [raster.Rasterizer.OpenFrom]).
type Prover struct{ raster *raster.Rasterizer }

// New returns a Prover that draws with r, which the caller closes.
func New(r *raster.Rasterizer) *Prover { return &Prover{raster: r} }

// maxPixels bounds one view: 80 mm at 600 dpi, or a large symbol at less than the requested resolution.
const maxPixels = 4_000_000

// Units of length.
const (
	mmPerInch = 25.4
	ptPerMM   = 72 / mmPerInch
)

// around returns r with margin mm around it, in points.
func around(r geometry.Rect, margin float64) raster.Area {
	return raster.Area{
		X: (r.X - margin) * ptPerMM, Y: (r.Y - margin) * ptPerMM,
		Width: (r.Width + 2*margin) * ptPerMM, Height: (r.Height + 2*margin) * ptPerMM,
	}
}

// ErrTooLong means that all pages of a file together take too long.
var ErrTooLong = errors.New("all pages together take too long")

// ErrPages means that a file has fewer pages than the caller claims: programs
// count them differently.
var ErrPages = errors.New("the file has no such page")

// farthest is the limit of the distance of an area from the corner of its page, in points: package raster draws no larger page.
const farthest = 1 << 20

// view draws a part of d. Its errors are those of package raster, and [ErrPages].
func view(d *raster.Document, r raster.ViewRequest) (raster.View, error) {
	if r.Page > d.Pages {
		return raster.View{}, fmt.Errorf("page %d of %d: %w", r.Page, d.Pages, ErrPages)
	}
	for _, v := range []float64{r.Area.X, r.Area.Y, r.Area.Width, r.Area.Height} {
		if !(math.Abs(v) <= farthest) { // the page has an absurd size, and the area is at its other end
			return raster.View{}, &raster.Error{Err: raster.ErrTooLarge, Page: r.Page, Detail: "the page's size is absurd"}
		}
	}
	return d.View(r)
}

// patience is how long all pages of a file may take, while this process runs, once there is a child for them: 500 that are drawn in an instant
// each do, 500 that are not do not.
const patience = 30 * time.Second

// goOn returns why the next page is not to be drawn, if so.
func goOn(ctx context.Context, drawing *awake.Stopwatch) error {
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case drawing.Elapsed() > patience:
		return ErrTooLong
	}
	return nil
}
