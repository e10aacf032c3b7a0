package locate

import "tcode/scanner/gray"

const (
	bendSides = 4 // top, right, bottom, left
	bendTerms = 2 // of a side in one direction: bow and wave

	bendMost  = 1.5  // modules by which a side may bow
	bendStep  = 0.25 // between the bows that are tried first
	bendStart = 2    // number of the best of them that are refined
	bendGain  = 0.02 // by which the score of curves must exceed that of straight sides
)

// A Bend is a candidate whose sides are curves, as on paper that does not lie flat.
// Between two opposite sides the curves change evenly (a Coons patch).
type Bend struct {
	Candidate
	// by is the deviation of each side from the straight line, modules: for each side its bow
	// across and along, then its wave across and along.
	by [bendSides][2 * bendTerms]float64
}

// plan returns the map of a bend.
func (b *Bend) plan() (plan, bool) {
	h, ok := gray.ToQuad(float64(b.Size.Cols), float64(b.Size.Rows), b.Corners)
	return plan{h: h, by: &b.by, w: 1 / float64(b.Size.Cols), t: 1 / float64(b.Size.Rows)}, ok
}

// A plan maps modules to px.
type plan struct {
	h    gray.Homography
	by   *[bendSides][2 * bendTerms]float64 // nil: straight
	w, t float64                            // 1/cols, 1/rows
}

// at returns the place in the image of the point p of the symbol, in modules.
func (m *plan) at(p gray.Point) gray.Point {
	if m.by == nil {
		return m.h.Map(p)
	}
	u, v := p.X*m.w, p.Y*m.t
	// The quiet zone continues the side's end.
	u1, v1 := min(max(u, 0), 1), min(max(v, 0), 1)
	bu, bv := 4*u1*(1-u1), 4*v1*(1-v1)
	wu, wv := bu*(1-2*u1)*2.6, bv*(1-2*v1)*2.6
	top, right, bottom, left := &m.by[0], &m.by[1], &m.by[2], &m.by[3]
	dx := (top[1]*bu+top[3]*wu)*(1-v) + (bottom[1]*bu+bottom[3]*wu)*v +
		(left[0]*bv+left[2]*wv)*(1-u) + (right[0]*bv+right[2]*wv)*u
	dy := (top[0]*bu+top[2]*wu)*(1-v) + (bottom[0]*bu+bottom[2]*wu)*v +
		(left[1]*bv+left[3]*wv)*(1-u) + (right[1]*bv+right[3]*wv)*u
	return m.h.Map(gray.Point{X: p.X + dx, Y: p.Y + dy})
}

// bent returns the weighted mean of the probes at b, 1 perfect, 0 by chance.
func (s *scorer) bent(b *Bend, ps []probe, r int) float64 {
	m, ok := b.plan()
	if !ok {
		return -1
	}
	return s.on(&m, ps, r)
}

// Bend fits curves to the sides of c, a candidate to which Refine gave a fair Score, on
// img. It returns false if curves fit hardly better.
func (f *Finder) Bend(img *gray.Image, c *Candidate) (Bend, bool) {
	b := Bend{Candidate: *c}
	px := b.Module()
	st, ok := f.stage(img, &b.Corners, px, true)
	if !ok {
		return b, false
	}
	px = st.px
	coarse := probes(b.Size, 1)
	b.Score = st.sc.bent(&b, coarse, st.radius)
	straight := b.Score
	best := b
	for _, s := range st.bows(b, coarse) {
		for _, step := range [3]float64{0.25, 0.12, 0.06} {
			if f.stopped() {
				break
			}
			st.follow(&s, coarse, step, step*px, step < 0.2)
		}
		if s.Score > best.Score {
			best = s
		}
	}
	if best.Score < straight+bendGain {
		return b, false
	}
	for i := range best.Corners {
		best.Corners[i] = st.out(best.Corners[i])
	}
	return best, true
}

// bows returns the best of b with a pair of opposite sides bowed alike: over the chord,
// evenly about the straight side, or touching it at some point, like a line fitted to a
// part of a curve.
func (st *stage) bows(b Bend, ps []probe) []Bend {
	w, h := float64(b.Size.Cols), float64(b.Size.Rows)
	m, ok := b.plan()
	if !ok {
		return nil
	}
	best := make([]Bend, 0, bendStart+1)
	for pair := range 2 {
		for bow := -bendMost; bow <= bendMost; bow += bendStep {
			for _, ends := range [7][2]float64{{0, 0}, {2.0 / 3, 2.0 / 3}, {0, 4}, {0.25, 2.25}, {1, 1}, {2.25, 0.25}, {4, 0}} {
				t := b
				t.by[pair][0], t.by[pair+2][0] = bow, bow
				first, last := -ends[0]*bow, -ends[1]*bow
				shifted := [4]gray.Point{{Y: first}, {X: w, Y: last}, {X: w, Y: h + last}, {Y: h + first}}
				if pair == 1 {
					shifted = [4]gray.Point{{X: first}, {X: w + first}, {X: w + last, Y: h}, {X: last, Y: h}}
				}
				for i, p := range shifted {
					t.Corners[i] = m.h.Map(p)
				}
				t.Score = st.sc.bent(&t, ps, st.radius)
				best = insertBend(best, t)
			}
		}
	}
	return best
}

// insertBend keeps the bendStart best bends, best first.
func insertBend(best []Bend, b Bend) []Bend {
	i := len(best)
	for i > 0 && best[i-1].Score < b.Score {
		i--
	}
	if i >= bendStart {
		return best
	}
	if len(best) < bendStart {
		best = append(best, Bend{})
	}
	copy(best[i+1:], best[i:])
	best[i] = b
	return best
}

// follow moves the corners by px and the curves by step modules, one at a time, as long as
// the score grows. With waves, it moves the waves as well as the bows.
func (st *stage) follow(b *Bend, ps []probe, step, px float64, waves bool) {
	terms := 2
	if waves {
		terms = 2 * bendTerms
	}
	for range 4 {
		before := b.Score
		b.Score = climb(&b.Corners, px, b.Score, func() float64 { return st.sc.bent(b, ps, st.radius) })
		for side := range b.by {
			for k := 0; k < terms; k += 2 {
				st.nudge(b, ps, step, &b.by[side][k])
				// Moves along a bar of the finder pattern do not show: the opposite side moves with it.
				if side < 2 {
					st.nudge(b, ps, step, &b.by[side][k+1], &b.by[side+2][k+1])
				}
			}
		}
		if b.Score <= before+1e-4 {
			return
		}
	}
}

// nudge moves the given figures of b together by step, up or down, if that improves the
// score.
func (st *stage) nudge(b *Bend, ps []probe, step float64, figures ...*float64) {
	move := func(d float64) {
		for _, v := range figures {
			*v += d
		}
	}
	for _, d := range [2]float64{step, -2 * step} {
		move(d)
		if s := st.sc.bent(b, ps, st.radius); s > b.Score {
			b.Score = s
			return
		}
	}
	move(step)
}

// Measure returns the gray values of the modules of b on img.
func (b *Bend) Measure(img *gray.Image) (Modules, bool) {
	m, ok := b.plan()
	if !ok {
		return Modules{}, false
	}
	return Modules{b.Size, measure(img, b.Size, &m)}, true
}
