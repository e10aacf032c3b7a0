package sketch

import (
	"cmp"
	"fmt"
	"image"
	"image/color"
	"math"
	"slices"

	"tcode/scanner/ecc200"
	"tcode/scanner/gray"
	"tcode/scanner/locate"
	"tcode/scanner/symbol"
)

const (
	gridSide  = 640  // px of a grid's picture, about
	maxTries  = 6    // grids drawn for one attempt at a page
	unsure    = 0.3  // confidence below which a module is drawn as doubtful
	samePlace = 0.25 // part of a side by which candidates of one size differ
	minTry    = 0.3  // score from which an unread grid is drawn
)

// best returns the candidates of list for which wanted returns true, the best fit first,
// at most limit and no two of about the same size and place.
func best(list []locate.Candidate, limit int, wanted func(*locate.Candidate) bool) []locate.Candidate {
	slices.SortStableFunc(list, func(a, b locate.Candidate) int { return cmp.Compare(b.Score, a.Score) })
	var out []locate.Candidate
	for i := range list {
		c := &list[i]
		if wanted(c) && !slices.ContainsFunc(out, func(o locate.Candidate) bool { return alike(c, &o) }) && len(out) < limit {
			out = append(out, *c)
		}
	}
	return out
}

func alike(a, b *locate.Candidate) bool {
	return a.Size == b.Size && a.Center().Sub(b.Center()).Len() < samePlace*a.Module()*float64(a.Size.Rows)
}

// tries returns the indexes of the grids to draw: those that were read, then those that
// fit best.
func tries(t *symbol.Trace) []int {
	var order []int
	for i := range t.Tries {
		if t.Tries[i].Err == nil || t.Tries[i].Candidate.Score >= minTry {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		x, y := &t.Tries[a], &t.Tries[b]
		if (x.Err == nil) != (y.Err == nil) {
			if x.Err == nil {
				return -1
			}
			return 1
		}
		return cmp.Compare(y.Candidate.Score, x.Candidate.Score)
	})
	var out []int
	for _, i := range order {
		c := &t.Tries[i].Candidate
		seen := slices.ContainsFunc(out, func(o int) bool { return alike(c, &t.Tries[o].Candidate) })
		if !seen && len(out) < maxTries {
			out = append(out, i)
		}
	}
	return out
}

// counts are the numbers of modules of a grid by result.
type counts struct{ fixed, misfits, doubtful, corrected int }

func count(try *symbol.TraceTry) (n counts) {
	z := try.Candidate.Size
	for i, dark := range try.Grid.Dark {
		if m := z.Fixed(i/z.Cols, i%z.Cols); m != ecc200.Data {
			n.fixed++
			if dark != (m == ecc200.Dark) {
				n.misfits++
			}
		}
		if confidence(&try.Grid, i) < unsure {
			n.doubtful++
		}
		if try.Proven != nil && try.Proven[i] != dark {
			n.corrected++
		}
	}
	return n
}

func confidence(g *ecc200.Grid, i int) float64 {
	if g.Confidence == nil {
		return 1
	}
	return float64(g.Confidence[i])
}

// grid draws one try: the image with the sampled places, and next to it the modules that
// the reader saw.
func grid(t *symbol.Trace, try *symbol.TraceTry, title string) canvas {
	c := &try.Candidate
	z := c.Size
	cell := min(max(gridSide/(max(z.Rows, z.Cols)+4), 4), 28)
	scale := float64(cell) / max(c.Module(), 0.1)
	x0, y0, x1, y1 := bounds(c)
	margin := 2 * c.Module()
	from := gray.Point{X: x0 - margin, Y: y0 - margin}
	lw, lh := int((x1-x0+2*margin)*scale)+1, int((y1-y0+2*margin)*scale)+1
	rw, rh := (z.Cols+4)*cell, (z.Rows+4)*cell
	width := max(lw+rw+pad, 620)
	lines, keys := gridLegend(try, title, width-2*pad)
	top := legendHeight(lines, keys) + lineHeight
	out := newCanvas(width, top+max(lh, rh))
	out.legend(pad, pad, lines, keys)
	out.text(pad, top-lineHeight, "the picture, with the sampled places", faint)
	out.text(lw+pad, top-lineHeight, "the modules as taken, upright", faint)
	out.picture(t.Image, 0, top, lw, lh, from, scale, 0.15)
	at := func(p gray.Point) gray.Point {
		return p.Sub(from).Mul(scale).Add(gray.Point{Y: float64(top)})
	}
	out.quad(corners(c.Corners, at), 1, violet)
	if h, ok := gray.ToQuad(float64(z.Cols), float64(z.Rows), c.Corners); ok {
		for i := range try.Grid.Dark {
			p := h.Map(gray.Point{X: float64(i%z.Cols) + 0.5, Y: float64(i/z.Cols) + 0.5})
			out.dot(at(p), max(float64(cell)/5, 1.2), dotInk(&try.Grid, i))
		}
	}
	out.modules(try, lw+pad+2*cell, top+2*cell, cell)
	return out
}

func dotInk(g *ecc200.Grid, i int) color.RGBA {
	switch {
	case confidence(g, i) < unsure:
		return magenta
	case g.Dark[i]:
		return blue
	}
	return cyan
}

// modules draws the grid upright, cells of the given side.
func (c canvas) modules(try *symbol.TraceTry, x, y, cell int) {
	z, g := try.Candidate.Size, &try.Grid
	for i, dark := range g.Dark {
		r := image.Rect(x+i%z.Cols*cell, y+i/z.Cols*cell, x+(i%z.Cols+1)*cell, y+(i/z.Cols+1)*cell)
		c.fill(r, cellInk(dark, confidence(g, i)))
		inner := r.Inset(max(cell/4, 1))
		m := z.Fixed(i/z.Cols, i%z.Cols)
		switch {
		case m != ecc200.Data && dark != (m == ecc200.Dark):
			c.fill(inner, red)
		case try.Proven != nil && try.Proven[i] != dark:
			c.fill(inner, orange)
		case confidence(g, i) < unsure:
			c.fill(inner, magenta)
		}
	}
	c.frame(float64(x-1), float64(y-1), float64(x+z.Cols*cell), float64(y+z.Rows*cell), 1, 0, faint)
}

// cellInk returns black or white, grayer for less certain modules.
func cellInk(dark bool, sure float64) color.RGBA {
	v := 140 + 115*sure
	if dark {
		v = 115 - 115*sure
	}
	return shade(v, 0)
}

func bounds(c *locate.Candidate) (x0, y0, x1, y1 float64) {
	x0, y0, x1, y1 = math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for _, p := range c.Corners {
		x0, y0, x1, y1 = min(x0, p.X), min(y0, p.Y), max(x1, p.X), max(y1, p.Y)
	}
	return x0, y0, x1, y1
}

func gridLegend(try *symbol.TraceTry, title string, width int) (lines []string, keys []key) {
	c, n := &try.Candidate, count(try)
	outcome := "read"
	if try.Err != nil {
		outcome = "not read: " + try.Err.Error()
	}
	lines = append(lines, title)
	lines = append(lines, wrap(fmt.Sprintf("%dx%d modules of %.1f px, fit %.2f; %s", c.Size.Rows, c.Size.Cols, c.Module(), c.Score, outcome), width)...)
	keys = []key{
		{blue, "dot", "taken as dark"},
		{cyan, "dot", "taken as light"},
		{magenta, "dot", fmt.Sprintf("doubtful, less than %.0f %% sure: %d of %d; given up first. On the right: the grayer, the less sure", 100*unsure, n.doubtful, len(try.Grid.Dark))},
		{red, "cell", fmt.Sprintf("a module of the finder or timing pattern that is not as it must be: %d of %d", n.misfits, n.fixed)},
	}
	if try.Proven != nil {
		keys = append(keys, key{orange, "cell", fmt.Sprintf("a module that error correction turned round: %d", n.corrected)})
	}
	return lines, keys
}
