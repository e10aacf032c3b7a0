package locate

import (
	"math"

	"tcode/scanner/gray"
)

const (
	seedRadius = 26 // px, of the window in which a mesh begins
	seedSigma  = 10 // px, the standard deviation of its weights
	seedReach  = 40 // px, more than its diagonal
	seedFine   = 4  // bins for a px
	seedEdges  = 60 // the least number of edges in it
	seedSquare = 14 // bins of 2 degrees by which the families may be out of square

	// Modules of pitchLow to pitchHigh px are looked for, in steps of a factor pitchStep.
	pitchLow, pitchHigh, pitchStep = 2.9, 6.6, 1.09
	// overtoneShare is the share of the clearness at a multiple of a frequency that the frequency must
	// have: the edges of a large module are also in step with parts of it.
	overtoneShare = 0.8
)

// A seeder finds the grid at a place where nothing is known.
type seeder struct {
	weights [seedRadius + 1]float32 // of the distance from the middle, px
	edges   []seedEdge
	across  [families][2 * seedReach * seedFine]float32 // edges by their place across the lines
}

// A seedEdge is a strong edge: its place from the middle of the window, px, and its gradient.
type seedEdge struct{ x, y, dx, dy int16 }

// start looks for the grid at p: two directions of edges, and for each the distance of the lines or a part of it, see
// [lattice.fundamental].
func (l *lattice) start(m *houghMap, rel *relief, p gray.Point) cell {
	c := cell{at: p}
	rel.around(p, seedRadius)
	hist := l.around(m, p)
	if len(l.seed.edges) < seedEdges {
		return c
	}
	a, b := axes(hist, seedSquare)
	for k, angle := range [families]float64{a, b} {
		sin, cos := math.Sincos(angle)
		c.k[k] = gray.Point{X: cos, Y: sin}
	}
	l.project(c.k)
	for k := range families {
		c.k[k] = c.k[k].Mul(1 / l.pitch(k))
	}
	for range 2 {
		rel.around(p, l.radius(&c))
		l.weigh(&c)
	}
	return c
}

// around keeps the strong edges around p, and returns their directions as [houghMap.directions] does.
func (l *lattice) around(m *houghMap, p gray.Point) (hist [90]float64) {
	s := &l.seed
	if s.weights[0] == 0 {
		for i := range s.weights {
			s.weights[i] = float32(math.Exp(-float64(i*i) / (2 * seedSigma * seedSigma)))
		}
	}
	s.edges = s.edges[:0]
	cx, cy := int(p.X), int(p.Y)
	for y := max(cy-seedRadius, 1); y < min(cy+seedRadius, l.h-1); y++ {
		for x := max(cx-seedRadius, 1); x < min(cx+seedRadius, l.w-1); x++ {
			i := y*l.w + x
			gx, gy := l.dx[i], l.dy[i]
			a := abs16(gx) + abs16(gy)
			if a < l.strong {
				continue
			}
			s.edges = append(s.edges, seedEdge{int16(x - cx), int16(y - cy), gx, gy})
			if straight(l.dx, l.dy, l.w, i, a) {
				a *= 8
			}
			hist[m.direction(gx, gy)] += float64(a)
		}
	}
	return hist
}

// project sums the edges of each family by their place across its lines, whose normals are n.
func (l *lattice) project(n [families]gray.Point) {
	s := &l.seed
	for k := range families {
		clear(s.across[k][:])
	}
	var nx, ny [families]float32
	for k := range families {
		nx[k], ny[k] = float32(n[k].X), float32(n[k].Y)
	}
	for _, e := range s.edges {
		dx, dy := float32(e.dx), float32(e.dy)
		a, b := dx*nx[0]+dy*ny[0], dx*nx[1]+dy*ny[1]
		a, b = max(a, -a), max(b, -b)
		k := 0
		if b > a {
			k, a, b = 1, b, a
		}
		w := min(a-b, float32(l.most)) * s.weights[max(e.x, -e.x)] * s.weights[max(e.y, -e.y)]
		s.across[k][int((float32(e.x)*nx[k]+float32(e.y)*ny[k]+seedReach)*seedFine)] += w
	}
}

// pitch returns the distance in px of lines of family k with which the most edges are in step.
func (l *lattice) pitch(k int) float64 {
	best, top := pitchLow, float32(-1)
	for pitch := pitchLow; pitch < pitchHigh; pitch *= pitchStep {
		step := int(oneTurn / (pitch * seedFine))
		var re, im float32
		for i, w := range l.seed.across[k] {
			t := i * step >> (16 - phaseBits) & (1<<phaseBits - 1)
			re += w * l.cos[t]
			im += w * l.sin[t]
		}
		if power := re*re + im*im; power > top {
			best, top = pitch, power
		}
	}
	return best
}

// fundamental takes a half or a third of the frequencies of c if the edges are in step with these, too.
func (l *lattice) fundamental(rel *relief, c *cell) {
	for _, by := range [2]float64{2, 3} {
		t := *c
		for k := range families {
			t.k[k] = c.k[k].Mul(1 / by)
		}
		rel.around(c.at, l.radius(&t))
		l.weigh(&t)
		l.weigh(&t)
		for k := range families {
			if t.clear[k] > overtoneShare*c.clear[k] && t.clear[k] > plainMesh.seed {
				c.k[k] = t.k[k]
			}
		}
		l.weigh(c)
	}
}
