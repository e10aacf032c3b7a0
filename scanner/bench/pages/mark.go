package pages

import (
	"math"
	"math/rand/v2"

	"tcode/scanner/gray"
)

// A stroke is a pen line with round ends.
type stroke struct {
	a, b          gray.Point
	radius, level float64
	cover         float64
}

func (s stroke) at(p gray.Point) (cover, level float64) {
	d, v := s.b.Sub(s.a), p.Sub(s.a)
	t := 0.0
	if l := d.Dot(d); l > 0 {
		t = min(max(v.Dot(d)/l, 0), 1)
	}
	if v.Sub(d.Mul(t)).Len() <= s.radius {
		return s.cover, s.level
	}
	return 0, 0
}

func (s stroke) bounds() (lo, hi gray.Point) {
	return gray.Point{X: min(s.a.X, s.b.X) - s.radius, Y: min(s.a.Y, s.b.Y) - s.radius},
		gray.Point{X: max(s.a.X, s.b.X) + s.radius, Y: max(s.a.Y, s.b.Y) + s.radius}
}

// A ring is the stain of a cup: brown, darkest at its rims, with gaps.
type ring struct {
	center        gray.Point
	inner, outer  float64
	level, phase  float64
	strength, gap float64
}

func (c ring) at(p gray.Point) (cover, level float64) {
	d := p.Sub(c.center)
	r := d.Len()
	if r < c.inner*0.9 || r > c.outer*1.1 {
		return 0, 0
	}
	a := math.Atan2(d.Y, d.X)
	inner := c.inner * (1 + 0.03*math.Sin(3*a+c.phase))
	outer := c.outer * (1 + 0.02*math.Sin(5*a+2*c.phase))
	if r < inner || r > outer {
		return 0, 0
	}
	rim := min(r-inner, outer-r) / (outer - inner) // 0 at a rim, 0.5 in the middle
	k := c.strength * (0.55 + 0.45*math.Exp(-rim*12))
	return k * (1 - c.gap*max(0, math.Sin(2*a+c.phase))), c.level
}

func (c ring) bounds() (lo, hi gray.Point) {
	r := gray.Point{X: c.outer * 1.1, Y: c.outer * 1.1}
	return c.center.Sub(r), c.center.Add(r)
}

// target is the place of a symbol on its page, which marks hit.
type target struct {
	x, y, side float64 // px
	mm         float64 // px
}

// in returns the point at the share (u, v) of the symbol's sides.
func (t target) in(u, v float64) gray.Point { return gray.Point{X: t.x + u*t.side, Y: t.y + v*t.side} }

func between(r *rand.Rand, lo, hi float64) float64 { return lo + r.Float64()*(hi-lo) }

// crossed returns the damage of the field's comparison: two strokes of 0.5 mm, one over
// the left and right borders, one over the lower border, and a blob.
func crossed(t target, r *rand.Rand) []mark {
	pen := func(a, b gray.Point, radius float64) mark { return stroke{a, b, radius, 40, 1} }
	blob := t.in(between(r, 0.15, 0.85), between(r, 0.15, 0.85))
	return []mark{
		pen(t.in(-0.2, between(r, 0.1, 0.9)), t.in(1.2, between(r, 0.1, 0.9)), 0.25*t.mm),
		pen(t.in(between(r, 0.2, 0.8), between(r, 0.3, 0.6)), t.in(between(r, 0.2, 0.8), 1.3), 0.25*t.mm),
		pen(blob, blob, 0.07*t.side),
	}
}

// signed returns one to three pen strokes of 0.3 to 1 mm, straight or bent, that pass
// through the symbol anywhere.
func signed(t target, r *rand.Rand) (out []mark) {
	level := between(r, 20, 110)
	for range 1 + r.IntN(3) {
		a := 2 * math.Pi * r.Float64()
		dir := gray.Point{X: math.Cos(a), Y: math.Sin(a)}
		mid := t.in(between(r, 0.1, 0.9), between(r, 0.1, 0.9))
		reach, bow := t.side*between(r, 0.5, 1.2), t.side*between(r, -0.2, 0.2)
		radius := between(r, 0.15, 0.5) * t.mm
		at := func(k float64) gray.Point {
			return mid.Add(dir.Mul(reach * k)).Add(gray.Point{X: -dir.Y, Y: dir.X}.Mul(bow * (1 - k*k)))
		}
		for i := range 12 {
			out = append(out, stroke{at(float64(i)/6 - 1), at(float64(i+1)/6 - 1), radius, level, 0.95})
		}
	}
	return out
}

// stapled returns a staple, or the two holes of a removed one, across a corner of the
// symbol, and the holes of a puncher at the left border of the page.
func stapled(t target, r *rand.Rand, pageW, pageH float64) (out []mark) {
	at := t.in(between(r, -0.15, 1.15), between(r, -0.15, 1.15))
	a := between(r, -0.8, 0.8)
	half := gray.Point{X: math.Cos(a), Y: math.Sin(a)}.Mul(between(r, 5, 6) * t.mm)
	ends := [2]gray.Point{at.Sub(half), at.Add(half)}
	if r.IntN(2) == 0 {
		shade := gray.Point{X: 0.25 * t.mm, Y: 0.3 * t.mm}
		out = append(out, stroke{ends[0].Add(shade), ends[1].Add(shade), 0.3 * t.mm, 90, 0.5},
			stroke{ends[0], ends[1], 0.25 * t.mm, 175, 1})
	}
	for _, e := range ends {
		out = append(out, stroke{e, e, between(r, 0.4, 0.7) * t.mm, 25, 1})
	}
	for _, k := range []float64{-40, 40} {
		p := gray.Point{X: 12 * t.mm, Y: pageH/2 + k*t.mm}
		if p.X < pageW {
			out = append(out, stroke{p, p, 3 * t.mm, 30, 1})
		}
	}
	return out
}

// cup returns a coffee ring of 70 to 85 mm whose rim passes over the symbol.
func cup(t target, r *rand.Rand) []mark {
	outer := between(r, 35, 42) * t.mm
	hit, a := t.in(between(r, 0.2, 0.8), between(r, 0.2, 0.8)), 2*math.Pi*r.Float64()
	width := between(r, 2, 5) * t.mm
	centre := hit.Add(gray.Point{X: math.Cos(a), Y: math.Sin(a)}.Mul(outer - width/2))
	return []mark{ring{centre, outer - width, outer, between(r, 70, 130), 6 * r.Float64(), between(r, 0.45, 0.8), between(r, 0, 0.6)}}
}
