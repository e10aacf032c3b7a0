package locate

import (
	"tcode/scanner/gray"
)

// hopeless are the scores below which no further step makes a symbol of a
// candidate: most candidates on text end here.
var hopeless = [3]float64{0.12, 0.2, 0.25}

// Refine moves the corners of c to where its fixed modules, inner borders
// included, fit best, and sets its Score. It looks at the image at full
// resolution. A candidate that can't be one is left half way, with a low Score.
func (f *Finder) Refine(img *gray.Image, c *Candidate) {
	q := c.Corners
	px := c.Module()
	margin := int(3*px) + 6
	box := around(q).Grow(margin)
	if box.Clip(img.Width, img.Height).Empty() || max(box.X1-box.X0, box.Y1-box.Y0) > 2*(img.Width+img.Height) {
		c.Score = -1
		return
	}
	crop := f.paper(img, box, &f.padded)
	off := gray.Point{X: float64(box.X0), Y: float64(box.Y0)}
	for i := range q {
		q[i] = q[i].Sub(off)
	}
	f.mean.Build(crop)
	sc := newScorer(crop, &f.mean)
	r := meanRadius(px)
	coarse := probes(c.Size, 1)
	score := sc.fixed(c.Size, q, coarse, r)
	for i, step := range []float64{0.5, 0.25, 0.12} {
		if score < hopeless[i] {
			c.Score = score
			return
		}
		score = climb(sc, c, &q, coarse, r, step*px, score)
	}
	fine := probes(c.Size, 4)
	score = climb(sc, c, &q, fine, r, 0.08*px, sc.fixed(c.Size, q, fine, r))
	for i := range q {
		c.Corners[i] = q[i].Add(off)
	}
	c.Score = score
}

// climb moves one corner at a time by step px, in the directions of the sides,
// as long as the score grows, for a few rounds.
func climb(sc *scorer, c *Candidate, q *[4]gray.Point, ps []probe, r int, step, score float64) float64 {
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
					if s := sc.fixed(c.Size, *q, ps, r); s > score {
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
