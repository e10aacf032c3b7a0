package locate

import (
	"cmp"
	"math"
	"slices"

	"tcode/scanner/gray"
)

const (
	solid  = 0.6 // share of a full edge at which a bar of the finder pattern continues
	minArm = 14  // px, at the size of the search
)

// A segment is the stretch of a line on which it is solid.
type segment struct {
	line
	dir    gray.Point // along the line
	t0, t1 float64    // where it starts and ends, p . dir
	cover  float64    // mean edge on it, 1 is full
	// polished means that the line was moved to the edges on it.
	polished bool
}

// measure walks along l and returns its best solid stretch: the one with the largest sum
// of edge strength above solid. Gaps and strokes reduce the sum by their length.
func (f *Finder) measure(img *gray.Image, l line) segment {
	w, h := img.Width, img.Height
	s := segment{line: l, dir: gray.Point{X: -l.normal.Y, Y: l.normal.X}}
	foot := l.normal.Mul(l.rho)
	lo, hi := clipLine(foot, s.dir, float64(w), float64(h))
	n := int(hi - lo)
	if n < minArm/2 {
		return s
	}
	edges := make([]float32, n)
	nx, ny := l.normal.X*l.sign, l.normal.Y*l.sign
	for i := range edges {
		p := foot.Add(s.dir.Mul(lo + float64(i) + 0.5))
		var best float64
		for _, off := range [3]float64{0, -1, 1} {
			x, y := int(p.X+off*l.normal.X), int(p.Y+off*l.normal.Y)
			if x < 0 || y < 0 || x >= w || y >= h {
				continue
			}
			best = max(best, nx*float64(f.dx[y*w+x])+ny*float64(f.dy[y*w+x]))
		}
		edges[i] = float32(best)
	}
	full := f.fullEdge(edges)
	var sum, top, start float64
	from := 0
	for i, e := range edges {
		sum += min(float64(e)/full, 1) - solid
		if sum < start {
			start, from = sum, i+1
		}
		if sum-start > top {
			top = sum - start
			s.t0, s.t1 = lo+float64(from), lo+float64(i+1)
		}
	}
	if s.t1 > s.t0 {
		s.cover = top/(s.t1-s.t0) + solid
	}
	return s
}

// polished returns s on its polished line.
func (f *Finder) polished(img *gray.Image, s segment) segment {
	foot := s.normal.Mul(s.rho)
	a, b := foot.Add(s.dir.Mul(s.t0)), foot.Add(s.dir.Mul(s.t1))
	s.line = f.polish(img, s.line, a, b)
	s.dir = gray.Point{X: -s.normal.Y, Y: s.normal.X}
	s.t0, s.t1 = a.Dot(s.dir), b.Dot(s.dir)
	s.polished = true
	return s
}

// fullEdge returns the edge of a bar of the finder pattern on this line: the strength that the
// best fifth reaches, limited by the full edge of the whole box.
func (f *Finder) fullEdge(edges []float32) float64 {
	var hist [64]int
	for _, e := range edges {
		hist[min(int(float64(e)/f.acc.typic*48), 63)]++
	}
	left, at := len(edges)/5, 63
	for ; at > 0; at-- {
		if left -= hist[at]; left < 0 {
			break
		}
	}
	return min(max(float64(at)/48, 0.3), 1) * f.acc.typic
}

// clipLine returns the range of t for which foot + t*dir lies in the image.
func clipLine(foot, dir gray.Point, w, h float64) (lo, hi float64) {
	lo, hi = math.Inf(-1), math.Inf(1)
	clip := func(p, d, top float64) {
		if math.Abs(d) < 1e-12 {
			if p < 0 || p > top {
				hi = lo
			}
			return
		}
		a, b := -p/d, (top-p)/d
		lo, hi = max(lo, min(a, b)), min(hi, max(a, b))
	}
	clip(foot.X, dir.X, w)
	clip(foot.Y, dir.Y, h)
	return lo, hi
}

// A corner is where the two bars of a finder pattern may meet.
type corner struct {
	at     gray.Point
	arms   [families]gray.Point // unit vectors along the two sides, away from the corner
	length [families]float64    // px
	sides  [families]line
	of     [families]int // the segments that form it
	rating float64
}

// corners pairs the solid stretches of both families and returns the best, at most limit.
func corners(segs [families][]segment, limit int) []corner {
	var out []corner
	for i := range segs[0] {
		for j := range segs[1] {
			if c, ok := pair(&segs[0][i], &segs[1][j]); ok {
				c.of = [families]int{i, j}
				out = append(out, c)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b corner) int { return cmp.Compare(b.rating, a.rating) })
	return out[:min(len(out), limit)]
}

// pair makes a corner of two stretches if both start near their crossing and each runs
// along the dark side of the other.
func pair(a, b *segment) (corner, bool) {
	at, ok := meet(&a.line, &b.line)
	if !ok {
		return corner{}, false
	}
	c := corner{at: at, sides: [families]line{a.line, b.line}}
	for k, s := range [families]*segment{a, b} {
		other := b
		if k == 1 {
			other = a
		}
		arm := s.dir
		from, to := s.t0-at.Dot(s.dir), s.t1-at.Dot(s.dir)
		if arm.Dot(other.inward()) < 0 {
			arm, from, to = arm.Mul(-1), -to, -from
		}
		// Ink that touches the corner may lengthen a side beyond it; a stroke may hide its
		// start.
		if to < minArm || from > 0.3*to+3 {
			return corner{}, false
		}
		c.arms[k], c.length[k] = arm, to
		c.rating += (to - max(from, 0)) * s.cover
	}
	long, short := max(c.length[0], c.length[1]), min(c.length[0], c.length[1])
	if long > 5*short {
		return corner{}, false
	}
	// Sides of similar length support each other.
	c.rating *= 0.5 + 0.5*short/long
	return c, true
}
