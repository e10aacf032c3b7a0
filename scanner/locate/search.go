package locate

import (
	"cmp"
	"math"
	"slices"

	"tcode/scanner/ecc200"
	"tcode/scanner/gray"
)

const (
	minModule     = 1.1 // px, of the image at the size of the search
	minTiming     = 0.2 // score of the timing tracks from which a size is kept
	minConfidence = 2.0 // the same for the confidence
	sameCorner    = 0.6 // modules by which two equal candidates differ
)

// sureScore is the score of the timing tracks from which a candidate is worth reading
// before all others are known.
const sureScore = 0.85

const (
	// weakCorner is the share of the best corner's rating below which a corner is not tried.
	weakCorner = 0.45
	// weakOpposite is the sum of the covers of the two sides opposite a corner below which
	// they are no timing tracks, which have about a half each.
	weakOpposite = 0.3
)

// search returns the candidates of a box at the size of the search, best first, at most
// limit. If sure is not nil, search calls it with clear candidates as soon as it finds
// them, and ends when sure returns true.
func (f *Finder) search(img *gray.Image, limit int, sure func(*Candidate) bool) (out []Candidate, ended bool) {
	a, b := axes(f.edges(img, 1), f.view().square)
	segs := f.segments(img, [families]float64{a, b}, f.view())
	f.timer.reset(img, newScorer(img, &f.mean).half)
	all := corners(segs, f.view().corners)
	if f.Lone {
		all = lone(img, all)
	}
	for _, c := range all {
		if c.rating < weakCorner*all[0].rating || f.stopped() {
			break
		}
		for k := range c.of {
			if s := &segs[k][c.of[k]]; !s.polished {
				*s = f.polished(img, *s)
			}
		}
		c, ok := pair(&segs[0][c.of[0]], &segs[1][c.of[1]])
		if !ok {
			continue
		}
		if out, ended = f.sizesAt(img, &c, out, sure); ended {
			return nil, true
		}
	}
	slices.SortStableFunc(out, clearest)
	return distinct(out, limit), false
}

// edges fills dx and dy with the gradient of img and returns its directions, from every
// step-th pixel or fewer. step is odd.
func (f *Finder) edges(img *gray.Image, step int) (hist [90]float64) {
	n := img.Width * img.Height
	if cap(f.dx) < n {
		f.dx, f.dy = make([]int16, n), make([]int16, n)
	}
	f.dx, f.dy = f.dx[:n], f.dy[:n]
	gray.Gradient(img, f.dx, f.dy)
	return f.acc.directions(f.dx, f.dy, img.Width, step)
}

// segments returns the solid stretches of the strongest lines of both directions, after
// edges.
func (f *Finder) segments(img *gray.Image, dirs [families]float64, view *slant) (segs [families][]segment) {
	f.acc.fill(img, f.dx, f.dy, dirs, view)
	center := gray.Point{X: float64(img.Width) / 2, Y: float64(img.Height) / 2}
	for k := range segs {
		for _, l := range f.acc.peaks(k, view.lines, center, 2.5) {
			if s := f.measure(img, l); s.t1-s.t0 >= minArm*0.7 {
				segs[k] = append(segs[k], s)
			}
		}
	}
	return segs
}

// confidence weights a score by the number of modules behind it: chance reaches a score of
// about 1 / sqrt(modules).
func confidence(score float64, z ecc200.Size) float64 {
	return score * math.Sqrt(float64(z.Rows+z.Cols))
}

// clearest orders candidates, the clearest first.
func clearest(a, b Candidate) int {
	return cmp.Compare(confidence(b.Score, b.Size), confidence(a.Score, a.Size))
}

// distinct drops candidates that are the same as a better one.
func distinct(in []Candidate, limit int) []Candidate {
	var out []Candidate
	for _, c := range in {
		if !slices.ContainsFunc(out, c.same) {
			out = append(out, c)
		}
		if len(out) == limit {
			break
		}
	}
	return out
}

// same reports whether c and o are of one size and at one place.
func (c *Candidate) same(o Candidate) bool {
	if o.Size != c.Size {
		return false
	}
	var far float64
	for k := range c.Corners {
		far = max(far, c.Corners[k].Sub(o.Corners[k]).Len())
	}
	return far < sameCorner*c.Module()
}

// sizesAt adds the sizes whose border fits at corner c, for each of the likely places of
// the two opposite sides. It calls sure as search does.
func (f *Finder) sizesAt(img *gray.Image, c *corner, out []Candidate, sure func(*Candidate) bool) (all []Candidate, ended bool) {
	bottom, left := c.order()
	reach := f.view().reach
	for _, lengths := range c.lengths(bottom, left) {
		w, h := lengths[0], lengths[1]
		// The side opposite the bottom passes through the end of the left side.
		up, right := c.arms[left].Mul(h), c.arms[bottom].Mul(w)
		tops := f.opposite(img, bottom, &c.sides[bottom], c.at.Add(up), right, reach*h+2)
		rights := f.opposite(img, left, &c.sides[left], c.at.Add(right), up, reach*w+2)
		if f.covered(img, tops, c.at.Add(up), right)+f.covered(img, rights, c.at.Add(right), up) < weakOpposite {
			continue
		}
		far := c.at.Add(up).Add(right)
		for i := range tops {
			tops[i] = f.polish(img, tops[i], c.at.Add(up), far)
		}
		for i := range rights {
			rights[i] = f.polish(img, rights[i], c.at.Add(right), far)
		}
		for i := range tops {
			for j := range rights {
				quad, ok := quadOf(c, bottom, left, &tops[i], &rights[j])
				if !ok || !inside(quad, img) {
					continue
				}
				before := len(out)
				out = f.timer.sizesOf(quad, f.view().stretch, out)
				if sure != nil && showSure(out, before, sure) {
					return nil, true
				}
			}
		}
	}
	return out, false
}

// covered returns how much of the best of lines has edges, from p along span.
func (f *Finder) covered(img *gray.Image, lines []line, p, span gray.Point) (best float64) {
	for i := range lines {
		best = max(best, f.coverage(img, &lines[i], p, span))
	}
	return best
}

// showSure calls sure with the candidates from index before on that are clear and
// different from those before.
func showSure(all []Candidate, before int, sure func(*Candidate) bool) (ended bool) {
	for i := before; i < len(all); i++ {
		c := &all[i]
		if c.Score >= sureScore && c.Confidence() >= sureConfidence && !slices.ContainsFunc(all[:i], c.same) && sure(c) {
			return true
		}
	}
	return false
}

// inside reports whether every corner lies in the image or at most a tenth of its side
// outside: boxes have a margin.
func inside(q [4]gray.Point, img *gray.Image) bool {
	mx, my := 0.1*float64(img.Width), 0.1*float64(img.Height)
	for _, p := range q {
		if p.X < -mx || p.Y < -my || p.X > float64(img.Width)+mx || p.Y > float64(img.Height)+my {
			return false
		}
	}
	return true
}

// order returns which arm is the symbol's bottom and which its left side: the arm from which
// the other lies counter-clockwise on the screen is the bottom.
func (c *corner) order() (bottom, left int) {
	if c.arms[0].Cross(c.arms[1]) > 0 {
		return 1, 0
	}
	return 0, 1
}

// lengths returns the widths and heights to try: the measured ones, and squares of either
// length if they differ, as when ink lengthens or cuts a side.
func (c *corner) lengths(bottom, left int) [][2]float64 {
	w, h := c.length[bottom], c.length[left]
	out := [][2]float64{{w, h}}
	if long, short := max(w, h), min(w, h); long > 1.06*short {
		out = append(out, [2]float64{long, long}, [2]float64{short, short})
	}
	return out
}

// quadOf returns the symbol's corners in its own order.
func quadOf(c *corner, bottom, left int, top, right *line) (q [4]gray.Point, ok bool) {
	var ok0, ok1, ok2 bool
	q[3] = c.at
	q[0], ok0 = meet(&c.sides[left], top)
	q[2], ok1 = meet(&c.sides[bottom], right)
	q[1], ok2 = meet(top, right)
	if !ok0 || !ok1 || !ok2 {
		return q, false
	}
	for i := range q {
		a, b, d := q[i], q[(i+1)%4], q[(i+2)%4]
		if b.Sub(a).Cross(d.Sub(b)) <= 0 || b.Sub(a).Len() < minArm/2 {
			return q, false
		}
	}
	return q, true
}

// mirrored returns the corners of the symbol whose mirror image has corners q: left and
// bottom change places.
func mirrored(q [4]gray.Point) [4]gray.Point { return [4]gray.Point{q[2], q[1], q[0], q[3]} }

// sizesOf adds the best sizes for the symbol with these corners.
func (t *timer) sizesOf(q [4]gray.Point, stretch float64, out []Candidate) []Candidate {
	w := (q[1].Sub(q[0]).Len() + q[2].Sub(q[3]).Len()) / 2
	h := (q[3].Sub(q[0]).Len() + q[2].Sub(q[1]).Len()) / 2
	if h > 1.6*w {
		// No upright symbol is like this, except in a mirror.
		q = mirrored(q)
		w, h = h, w
	}
	unit, ok := gray.ToQuad(1, 1, q)
	if !ok {
		return out
	}
	first := len(out)
	for s := range ecc200.All {
		ratio := w / h * float64(s.Rows) / float64(s.Cols)
		if w < minModule*float64(s.Cols) || h < minModule*float64(s.Rows) || ratio > stretch || ratio < 1/stretch {
			continue
		}
		if score := t.timing(&s, &unit); score >= minTiming && confidence(score, s) >= minConfidence {
			out = append(out, Candidate{s, q, score})
		}
	}
	// Two sizes per place are enough: a wrong one falls out of step.
	slices.SortStableFunc(out[first:], clearest)
	return out[:min(len(out), first+2)]
}
