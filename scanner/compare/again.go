package compare

import (
	"context"
	"math"
	"slices"

	"tcode/offline/geometry"
	"tcode/scanner/gray"
	"tcode/scanner/raster"
)

// On pages whose outlines are the same in both engines ([Options.Strict]) a second look decides on differences that are in
// doubt: at twice the resolution. Engines
// place a glyph on whole pixels in one direction or in both. At twice the resolution such moves are half as large, and
// glyphs that have other shapes differ more.
const (
	doubtLimit  = 0.22 // score above which the second look is asked
	sureLimit   = 0.40 // score above which it is not
	againLimit  = 0.36 // score above which a window differs there
	strokeLimit = 0.30 // the same for very large strokes, at either resolution
	againDPI    = 2 * StrictDPI
	againMargin = 4.0 // mm around a part of a page
	mostAgain   = 256 // parts of a document; further ones stay differences
)

// doubt is a difference that the second look decides on.
type doubt struct {
	at    int // in Report.Differences
	page  int
	area  raster.Area
	files [2]input
}

// doubtful says whether a difference on a page that was compared strictly deserves a second look.
func (c *comparison) doubtful(page int, b Box) bool {
	n := len(c.report.Strict)
	return n > 0 && c.report.Strict[n-1] == page && b.Score <= sureLimit && len(c.doubts) < mostAgain
}

// around is r and what is around it, in points.
func around(r geometry.Rect) raster.Area {
	const point = 25.4 / 72
	x, y := max(0, r.X-againMargin), max(0, r.Y-againMargin)
	return raster.Area{
		X: x / point, Y: y / point,
		Width: (r.X + r.Width + againMargin - x) / point, Height: (r.Y + r.Height + againMargin - y) / point,
	}
}

// lookAgain removes the differences that are none at twice the resolution. What cannot be drawn again, or not before the
// time is over, stays a difference. No child is held meanwhile but the one that draws.
func (c *comparison) lookAgain(ctx context.Context) {
	if len(c.doubts) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, c.MaxTime/2)
	defer cancel()
	none := map[int]bool{}
	for first := 0; first < len(c.doubts); {
		end := first + 1
		for end < len(c.doubts) && c.doubts[end].files == c.doubts[first].files {
			end++
		}
		list := c.doubts[first:end]
		a, b := viewsOf(ctx, list, 0), viewsOf(ctx, list, 1)
		for i, d := range list {
			if a[i] != nil && b[i] != nil && !apart(a[i].Width, b[i].Width) && !apart(a[i].Height, b[i].Height) && len(again.images(a[i], b[i], againDPI)) == 0 {
				none[d.at] = true
			}
		}
		first = end
	}
	i := -1
	c.report.Differences = slices.DeleteFunc(c.report.Differences, func(Difference) bool { i++; return none[i] })
}

// viewsOf draws the parts of list with the engine of one side. A part that is not drawn at the full resolution is nil.
func viewsOf(ctx context.Context, list []doubt, side int) []*gray.Image {
	out := make([]*gray.Image, len(list))
	in := list[0].files[side]
	// An error leaves the rest nil.
	_ = in.Raster.OpenFrom(ctx, in.file, func(doc *raster.Document) error {
		for i, d := range list {
			v, err := doc.View(raster.ViewRequest{Page: d.page, DPI: againDPI, Area: d.area, MaxPixels: 2 * DefaultMaxPixels})
			if err != nil {
				return err
			}
			if math.Abs(v.DPI-againDPI) < 1 {
				out[i] = v.Gray()
			}
		}
		return nil
	})
	return out
}
