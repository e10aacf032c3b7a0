package locate

import "tcode/scanner/gray"

// hopeless are the scores below which further steps are useless: most candidates on text
// end here.
var hopeless = [3]float64{0.12, 0.2, 0.25}

// Refine moves the corners of c to the place where its fixed modules, inner borders
// included, fit best, and sets its Score. It uses the image at full resolution. It leaves
// a hopeless candidate early, with a low Score.
func (f *Finder) Refine(img *gray.Image, c *Candidate) {
	q := c.Corners
	px := c.Module()
	st, ok := f.stage(img, &q, px, false)
	if !ok {
		c.Score = -1
		return
	}
	sc, r := st.sc, st.radius
	px = st.px
	coarse := probes(c.Size, 1)
	score := sc.fixed(c.Size, q, coarse, r)
	for i, step := range []float64{0.5, 0.25, 0.12} {
		if score < hopeless[i] || f.stopped() {
			c.Score = score
			return
		}
		score = climb(&q, step*px, score, func() float64 { return sc.fixed(c.Size, q, coarse, r) })
	}
	fine := probes(c.Size, 4)
	score = climb(&q, 0.08*px, sc.fixed(c.Size, q, fine, r), func() float64 { return sc.fixed(c.Size, q, fine, r) })
	for i := range q {
		c.Corners[i] = st.out(q[i])
	}
	c.Score = score
}

// A candidate may reach beyond the image by beyond halves of its width and height, and by
// smallestBox px more. Symbols whose corners lie farther outside are not real, and the
// paper around them would cost memory.
const (
	beyond      = 3
	smallestBox = 64
)

// A stage is the part of an image around a candidate, prepared for scoring.
type stage struct {
	sc     *scorer
	off    gray.Point // of its corner in the image, px
	scale  float64    // px of the image for one of the stage
	px     float64    // a module of the candidate
	radius int        // of the local mean, px
}

// Large symbols are halved, as often as their surroundings have more than stagePixels and
// their modules more than stageModule px: more pixels give no more information and cost
// memory.
const (
	stagePixels = 1 << 18
	stageModule = 8
)

// out returns the place of a point of the stage in the image.
func (st *stage) out(p gray.Point) gray.Point { return p.Mul(st.scale).Add(st.off) }

// stage cuts the surroundings of q, the corners of a symbol of px per module, out of img,
// and moves q there; ok is false if q are no corners. With even, the contrast becomes the
// same everywhere, which saves time if the stage is scored often.
func (f *Finder) stage(img *gray.Image, q *[4]gray.Point, px float64, even bool) (stage, bool) {
	box := around(*q).Grow(int(3*px) + 6)
	if box.Clip(img.Width, img.Height).Empty() || box.X1-box.X0 > beyond*img.Width/2+smallestBox || box.Y1-box.Y0 > beyond*img.Height/2+smallestBox {
		return stage{}, false
	}
	crop := f.paper(img, box, &f.padded)
	st := stage{off: gray.Point{X: float64(box.X0), Y: float64(box.Y0)}, scale: 1, px: px}
	for turn := 0; crop.Width*crop.Height > stagePixels && st.px > stageModule; turn ^= 1 {
		gray.Halve(&f.near[turn], crop)
		crop, st.scale, st.px = &f.near[turn], st.scale*2, st.px/2
	}
	st.radius = meanRadius(st.px)
	for i := range q {
		q[i] = q[i].Sub(st.off).Mul(1 / st.scale)
	}
	if even {
		st.sc = &scorer{img: flatten(crop, st.radius), even: true}
		return st, true
	}
	f.mean.Build(crop)
	st.sc = newScorer(crop, &f.mean)
	return st, true
}

// climb moves one corner of q at a time by step px, in the directions of the sides, as
// long as the score that rate returns grows, for a few rounds.
func climb(q *[4]gray.Point, step, score float64, rate func() float64) float64 {
	for range 3 {
		moved := false
		for i := range q {
			along := q[(i+1)%4].Sub(q[i])
			across := q[(i+3)%4].Sub(q[i])
			for _, d := range [2]gray.Point{along, across} {
				n := d.Len()
				if n == 0 {
					return score
				}
				for _, sign := range [2]float64{1, -1} {
					old := q[i]
					q[i] = old.Add(d.Mul(sign * step / n))
					if s := rate(); s > score {
						score, moved = s, true
						break
					}
					q[i] = old
				}
			}
		}
		if !moved {
			break
		}
	}
	return score
}

// around returns the smallest pixel rectangle that holds q.
func around(q [4]gray.Point) gray.Rect {
	x0, y0, x1, y1 := q[0].X, q[0].Y, q[0].X, q[0].Y
	for _, p := range q[1:] {
		x0, y0, x1, y1 = min(x0, p.X), min(y0, p.Y), max(x1, p.X), max(y1, p.Y)
	}
	return gray.Rect{X0: int(x0) - 1, Y0: int(y0) - 1, X1: int(x1) + 2, Y1: int(y1) + 2}
}
