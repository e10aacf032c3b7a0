package compare

import (
	"context"
	"math"
	"slices"
	"time"

	"tcode/offline/geometry"
	"tcode/scanner/gray"
	"tcode/scanner/raster"
)

// On pages with the same outlines in both engines ([Options.Strict]) a second look, at twice the resolution, decides on
// doubtful differences. Engines place a glyph on whole pixels in one direction or in both. At twice the resolution such
// moves are half as large, and glyphs of other shapes differ more.
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

// lookAgain removes the differences that disappear at twice the resolution. A difference remains if it
// cannot be drawn again. If there is no time for that, the page was not compared. Only the child that
// draws is in use meanwhile.
func (c *comparison) lookAgain(ctx context.Context) {
	if len(c.doubts) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, againWall*c.MaxTime)
	defer cancel()
	none, open := map[int]bool{}, map[int]bool{}
	for first := 0; first < len(c.doubts); {
		end := first + 1
		for end < len(c.doubts) && c.doubts[end].files == c.doubts[first].files {
			end++
		}
		list := c.doubts[first:end]
		a, b := viewsOf(ctx, list, 0, c.MaxTime/2), viewsOf(ctx, list, 1, c.MaxTime/2)
		for i, d := range list {
			none[d.at] = a[i].image != nil && b[i].image != nil && alike(a[i].image, b[i].image)
			open[d.at] = a[i].late || b[i].late
		}
		first = end
	}
	c.decide(none, open)
}

// againWall is the wall time for the second look, in times of all pages: processors may be busy.
const againWall = 8

func alike(a, b *gray.Image) bool {
	return !apart(a.Width, b.Width) && !apart(a.Height, b.Height) && len(again.images(a, b, againDPI)) == 0
}

// decide removes the differences of none. A page whose only differences are in open was not compared.
func (c *comparison) decide(none, open map[int]bool) {
	late, sure := map[int]bool{}, map[int]bool{}
	for i, d := range c.report.Differences {
		late[d.Page] = late[d.Page] || open[i]
		sure[d.Page] = sure[d.Page] || !open[i] && !none[i]
	}
	i := -1
	c.report.Differences = slices.DeleteFunc(c.report.Differences, func(d Difference) bool {
		i++
		return none[i] || open[i] && !sure[d.Page]
	})
	left := func(page int) bool { return late[page] && !sure[page] }
	for _, page := range c.report.Compared {
		if left(page) {
			c.report.skip(page, "there was no time for a second look")
		}
	}
	c.report.Compared = slices.DeleteFunc(c.report.Compared, left)
	c.report.Strict = slices.DeleteFunc(c.report.Strict, left)
}

// A part is one that was drawn again.
type part struct {
	image *gray.Image // nil: it was not drawn at the full resolution
	late  bool        // there was no time for it
}

// viewsOf draws the parts of list with the engine of one side, in a processor time of limit.
func viewsOf(ctx context.Context, list []doubt, side int, limit time.Duration) []part {
	out := make([]part, len(list))
	in := list[0].files[side]
	done := 0
	err := in.Raster.OpenFrom(ctx, in.file, func(doc *raster.Document) error {
		for i, d := range list {
			if doc.CPUTime() > limit {
				return errLate
			}
			v, err := doc.View(raster.ViewRequest{Page: d.page, DPI: againDPI, Area: d.area, MaxPixels: 2 * DefaultMaxPixels})
			if err != nil {
				return err
			}
			done++
			if math.Abs(v.DPI-againDPI) < 1 {
				out[i].image = v.Gray()
			}
		}
		return nil
	})
	for i := done; i < len(out); i++ {
		out[i].late = ctx.Err() != nil || outside(err)
	}
	return out
}
