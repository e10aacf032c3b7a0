package compare

import (
	"cmp"
	"encoding/binary"
	"slices"

	"tcode/scanner/gray"
)

// The figures of the rule come from the table in README.md.
const (
	windowPoints = 6.75  // side of a window, points: about a glyph of ordinary text
	thinLimit    = 0.337 // score above which a window of thin strokes differs
	thickLimit   = 0.44  // the same for thick ones
	thin         = 0.68  // part of its contrast that a window of thin strokes keeps at half the resolution, at most
	thick        = 0.78  // the same for thick strokes, at least
	broad        = 0.65  // part of its contrast that a place of large glyphs keeps at a quarter of the resolution, at least
	huge         = 0.72  // the same for glyphs that half the resolution decides on
	largeLimit   = 0.37  // score above which large glyphs differ
	levels       = 2     // of lower resolutions
	early        = 0.30  // score that needs no better move
	maxGain      = 4.0   // between the darkness of the same stroke in two drawings
	trivial      = 16    // gray levels between two pixels that need no check
	faint        = 12    // contrast below which a window shows nothing, gray levels
	floor        = 24    // least contrast that a score is a part of, gray levels
	flat         = 64    // gray levels between two even areas
	maxBoxes     = 64    // for a page
)

// A Box is a part of two images that differs, px.
type Box struct {
	gray.Rect
	Score float64 // 0 to about 1, and more for more
}

// Images compares two drawings of the same page at dpi by two engines, and returns the differences: the 64 boxes with
// the highest scores. Outside of its own size, an image is white. See the package comment for the rule.
func Images(a, b *gray.Image, dpi float64) []Box { return tolerant.images(a, b, dpi) }

// A rule says how much two engines may differ.
type rule struct {
	thin, thick float64 // scores above which windows of thin and of thick strokes differ
	twice       bool    // a window of thick strokes differs only if it also does at half the resolution
	large       float64 // score above which large glyphs differ; very large ones must also differ at half the resolution
	huge        float64 // contrast that a place of glyphs keeps at a quarter of the resolution, from which half the resolution decides
	early       float64 // score that needs no better move
}

var (
	tolerant = rule{thin: thinLimit, thick: thickLimit, twice: true, large: largeLimit, huge: huge, early: early}
	// doubting is for engines that draw the same outlines, at [StrictDPI] or more; again decides, at twice that.
	doubting = rule{thin: doubtLimit, thick: doubtLimit, large: strokeLimit, huge: 0.85, early: doubtLimit}
	again    = rule{thin: againLimit, thick: againLimit, large: strokeLimit, huge: 0.85, early: againLimit}
)

func (r rule) images(a, b *gray.Image, dpi float64) []Box {
	n := max(5, int(windowPoints*dpi/72+0.5))
	step := n / 2
	w, h := max(a.Width, b.Width), max(a.Height, b.Height)
	pa, pb := newPlane(a, w, h, n, 1), newPlane(b, w, h, n, 1)
	c := &check{matcher: newMatcher(pa, pb, n), levels: levels, rule: r}
	g := newGrid(w, h, step)
	active := g.unequal(pa, pb, trivial)
	t := newTiles(c.matcher, step, g.cols)
	for y := range g.rows {
		for x := range g.cols {
			if touched(g, active, x, y, (n+step-1)/step) {
				t.look(x, y)
				g.score[y*g.cols+x] = c.looked(x*step, y*step)
			}
		}
	}
	return g.boxes(n)
}

// touched reports whether one of the k x k cells at x, y is active.
func touched(g *grid, active []bool, x, y, k int) bool {
	for r := y; r < min(y+k, g.rows); r++ {
		if slices.Contains(active[r*g.cols+x:r*g.cols+min(x+k, g.cols)], true) {
			return true
		}
	}
	return false
}

// check judges windows.
type check struct {
	*matcher
	rule
	levels int    // of lower resolutions that it may ask
	coarse *check // at half the resolution; nil until it is needed
}

// window returns the score of the window at x, y if it differs, or 0.
func (c *check) window(x, y int) float64 {
	c.look(x, y)
	return c.looked(x, y)
}

// looked is window for a window that look has read.
func (c *check) looked(x, y int) float64 {
	if c.even(x, y) >= flat {
		return 1
	}
	alone, s := c.alone(x, y), 1.0
	if !alone {
		s = c.shape(x, y)
	}
	if s == 0 || c.levels < levels {
		return s
	}
	k := c.stroke(x, y)
	if alone && k >= broad {
		s = c.shape(x, y)
	}
	if k >= broad && s <= c.large || k >= c.huge && !c.half().outline(c.halved(x, y)) {
		return 0
	}
	return s
}

// shape is window without the tests for even areas and for ink that is alone.
func (c *check) shape(x, y int) float64 {
	s := c.score(x, y, c.early)
	if s <= c.thin {
		return 0
	}
	k := c.thickness(x, y)
	if s <= c.thin+(c.thick-c.thin)*min(max((k-thin)/(thick-thin), 0), 1) {
		return 0
	}
	if c.twice && k >= thick && c.levels > 0 && c.half().window(c.halved(x, y)) == 0 {
		return 0
	}
	return min(s, 1)
}

// outline reports whether the window at x, y shows a different glyph of a large size.
func (c *check) outline(x, y int) bool {
	c.look(x, y)
	return c.even(x, y) >= flat || c.alone(x, y) || c.score(x, y, min(early, c.large)) > c.large
}

// half returns the check at half the resolution.
func (c *check) half() *check {
	if c.coarse == nil {
		c.coarse = &check{matcher: newMatcher(c.a.half(c.n), c.b.half(c.n), c.n), rule: c.rule, levels: c.levels - 1}
	}
	return c.coarse
}

// halved returns the place of the window at half the resolution with the window at x, y in its middle.
func (c *check) halved(x, y int) (int, int) {
	return max(x/2-c.n/4, 1-pad), max(y/2-c.n/4, 1-pad)
}

// thickness returns the part of its contrast that the window at x, y keeps at half the resolution: thicker strokes
// keep more. The drawing that keeps less counts.
func (c *check) thickness(x, y int) float64 {
	k, half := 1.0, c.half()
	for _, p := range [][2]*plane{{c.a, half.a}, {c.b, half.b}} {
		contrast := p[0].contrast(x, y, c.n)
		if contrast < faint {
			return 0
		}
		k = min(k, float64(p[1].contrast(x/2, y/2, c.n/2+1))/float64(contrast))
	}
	return k
}

// stroke returns the part of its contrast that the window at x, y, with a window's size around it, keeps at a quarter of
// the resolution. The drawing that keeps less counts.
func (c *check) stroke(x, y int) float64 {
	k, quarter := 1.0, c.half().half()
	for _, p := range [][2]*plane{{c.a, quarter.a}, {c.b, quarter.b}} {
		contrast := p[0].around(x-c.n, y-c.n, 3*c.n)
		if contrast < faint {
			return 0
		}
		k = min(k, float64(p[1].around((x-c.n)/4, (y-c.n)/4, 3*c.n/4+1))/float64(contrast))
	}
	return k
}

// alone reports whether the middle of the window at x, y, which look has read, has ink in one drawing, and nothing near it
// in the other.
func (c *check) alone(x, y int) bool {
	const around = 2
	n := c.n
	empty := func(ink *plane, inked, paper int) bool {
		if inked < 2*floor || paper*8 >= inked { // the middle has no more contrast than the window
			return false
		}
		contrast := ink.contrast(x+around, y+around, n-2*around)
		return contrast >= 2*floor && paper*8 < contrast
	}
	return empty(c.a, c.here.contrastA, c.here.contrastB) || empty(c.b, c.here.contrastB, c.here.contrastA)
}

// even returns the gray levels between the first pixels of the window at x, y, which look has read, if it is even in both
// drawings, or 0.
func (c *check) even(x, y int) float64 {
	if c.here.contrastA >= flat/4 || c.here.contrastB >= flat/4 {
		return 0
	}
	d := int(c.a.pix[c.a.at(x, y)]) - int(c.b.pix[c.b.at(x, y)])
	return float64(max(d, -d))
}

// grid holds scores for cells of step x step px.
type grid struct {
	w, h, step, cols, rows int
	score                  []float64
}

func newGrid(w, h, step int) *grid {
	g := &grid{w: w, h: h, step: step, cols: (w + step - 1) / step, rows: (h + step - 1) / step}
	g.score = make([]float64, g.cols*g.rows)
	return g
}

// unequal marks the cells that hold a pair of pixels at least levels apart.
func (g *grid) unequal(a, b *plane, levels int) []bool {
	out := make([]bool, g.cols*g.rows)
	for y := range g.h {
		ra, rb := a.pix[a.at(0, y):][:g.w:g.w], b.pix[b.at(0, y):][:g.w:g.w]
		cells := out[y/g.step*g.cols:][:g.cols:g.cols]
		for x := 0; x < g.w; {
			end := min(x+8, g.w)
			if end == x+8 && binary.LittleEndian.Uint64(ra[x:]) == binary.LittleEndian.Uint64(rb[x:]) {
				x = end
				continue
			}
			for ; x < end; x++ {
				if d := int(ra[x]) - int(rb[x]); d >= levels || -d >= levels {
					cells[x/g.step] = true
				}
			}
		}
	}
	return out
}

// boxes joins cells with a score that touch, each n px wide and high.
func (g *grid) boxes(n int) []Box {
	var out []Box
	var open []int
	for i := range g.score {
		if g.score[i] == 0 {
			continue
		}
		box := Box{Rect: gray.Rect{X0: g.w, Y0: g.h}}
		for open = append(open[:0], i); len(open) > 0; {
			k := open[len(open)-1]
			open = open[:len(open)-1]
			if g.score[k] == 0 {
				continue
			}
			x, y := k%g.cols, k/g.cols
			box.Score = max(box.Score, g.score[k])
			box.X0, box.Y0 = min(box.X0, x*g.step), min(box.Y0, y*g.step)
			box.X1, box.Y1 = max(box.X1, min(x*g.step+n, g.w)), max(box.Y1, min(y*g.step+n, g.h))
			g.score[k] = 0
			for r := max(0, y-2); r <= min(g.rows-1, y+2); r++ {
				for c := max(0, x-2); c <= min(g.cols-1, x+2); c++ {
					open = append(open, r*g.cols+c)
				}
			}
		}
		out = append(out, box)
	}
	slices.SortStableFunc(out, func(p, q Box) int { return cmp.Compare(q.Score, p.Score) })
	return out[:min(len(out), maxBoxes)]
}
