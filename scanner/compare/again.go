package compare

import (
	"context"
	"math"
	"slices"

	"tcode/offline/geometry"
	"tcode/scanner/gray"
	"tcode/scanner/raster"
)

// On pages with the same outlines in both engines ([Options.Strict]) a second look, at twice the resolution, decides on
// doubtful differences. Engines place a glyph on whole pixels in one direction or in both. At twice the resolution such
// moves are half as large, and glyphs of other shapes differ more.
// glyphs that have other shapes differ more.
const (
	doubtLimit  = 0.22 // score above which the second look decides
	sureLimit   = 0.40 // score above which no second look is needed
	againLimit  = 0.36 // score above which a window differs there
	strokeLimit = 0.30 // the same for very large strokes, at either resolution
	againDPI    = 2 * StrictDPI
	againMargin = 4.0 // mm around a part of a page
	mostAgain   = 256 // parts of a document; the others remain differences
)

// doubt is a difference that the second look decides on.
type doubt struct {
	at    int // in Report.Differences
	page  int
	area  raster.Area
	files [2]input
}

// doubtful reports whether a difference on a page that was compared strictly needs a second look.
func (c *comparison) doubtful(page int, b Box) bool {
	n := len(c.report.Strict)
	return n > 0 && c.report.Strict[n-1] == page && b.Score <= sureLimit && len(c.doubts) < mostAgain
}

// around returns r with its surroundings, in points.
func around(r geometry.Rect) raster.Area {
	const point = 25.4 / 72
	x, y := max(0, r.X-againMargin), max(0, r.Y-againMargin)
	return raster.Area{
		X: x / point, Y: y / point,
		Width: (r.X + r.Width + againMargin - x) / point, Height: (r.Y + r.Height + againMargin - y) / point,
	}
}

// lookAgain removes the differences that disappear at twice the resolution. A difference remains if it cannot be drawn
// again, or not in time. Only the child that draws is in use meanwhile.
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

// viewsOf draws the parts of list with the engine of one side. It leaves nil for a part that is not drawn at the full
// resolution.
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
