package pages

import (
	"fmt"
	"math"
	"math/rand/v2"

	"tcode/scanner/gray"
	"tcode/scanner/simulate"
)

// centre returns the centre of the symbol in the finished image, and the length of its
// side there, px.
func centre(b *base, v *view) (c gray.Point, side float64) {
	q := b.scene.corners(v)
	c = q[0].Add(q[1]).Add(q[2]).Add(q[3]).Mul(0.25)
	return c, (q[1].Sub(q[0]).Len() + q[3].Sub(q[0]).Len()) / 2
}

// curl bends the page in waves a few symbols long, so that the symbol's middle lies 0.4 to
// 1.2 modules off the straight grid. The light follows the bend.
func curl(b *base, r *rand.Rand) (shot, error) {
	v := b.scene.rotated(b.turn + between(r, -2, 2))
	_, side := centre(b, v)
	off := between(r, 0.4, 1.2)
	length := side * between(r, 4, 7)
	// The middle of a wave's crest lies height*(1-cos(pi side/length)) off its chord over side.
	height := off * b.scene.px / (1 - math.Cos(math.Pi*side/length))
	phase, across := r.Float64(), r.IntN(2) == 0
	v.bend = func(p gray.Point) gray.Point {
		if across {
			return gray.Point{X: p.X + 0.4*height*wave(p.X/length+phase+0.25), Y: p.Y + height*wave(p.X/length+phase)}
		}
		return gray.Point{X: p.X + height*wave(p.Y/length+phase), Y: p.Y + 0.4*height*wave(p.Y/length+phase+0.25)}
	}
	s := take(b, v)
	each(s.img, func(p gray.Point, g float64) float64 {
		at := p.X
		if !across {
			at = p.Y
		}
		return g * (0.9 + 0.1*wave(at/length+phase+0.25))
	})
	simulate.Blur(s.img, 0.5)
	s.param = fmt.Sprintf("%.1f modules in waves of %.1f symbols", off, length/side)
	return s, nil
}

// glare is the reflection of a lamp on glossy paper in a photo: a bright spot over a part
// of the symbol.
func glare(b *base, r *rand.Rand) (s shot, err error) {
	v := photo(b, r, 0.03)
	s = take(b, v)
	c, side := centre(b, v)
	a := 2 * math.Pi * r.Float64()
	at := c.Add(gray.Point{X: math.Cos(a), Y: math.Sin(a)}.Mul(side * between(r, 0.1, 0.8)))
	sigma, strength, squash := side*between(r, 0.25, 0.7), between(r, 0.6, 1), between(r, 0.5, 1)
	simulate.Blur(s.img, max(0.5, 0.15*b.scene.px))
	simulate.Contrast(s.img, 30, 205, 1)
	each(s.img, func(p gray.Point, g float64) float64 {
		d := p.Sub(at)
		return g + (265-g)*strength*bell(math.Hypot(d.X, d.Y/squash), sigma)
	})
	simulate.Noise(s.img, r, 4, 0)
	s.param = fmt.Sprintf("%.0f %% at %.1f symbols", 100*strength, at.Sub(c).Len()/side)
	s.img, err = simulate.JPEG(s.img, 80)
	return s, err
}

// shadow is a photo with the shadow of a hand or phone, its edge over the symbol.
func shadow(b *base, r *rand.Rand) (s shot, err error) {
	v := photo(b, r, 0.03)
	s = take(b, v)
	c, side := centre(b, v)
	simulate.Blur(s.img, max(0.5, 0.15*b.scene.px))
	simulate.Contrast(s.img, 25, 230, 1)
	for range 1 + r.IntN(2) {
		a := 2 * math.Pi * r.Float64()
		from := c.Add(gray.Point{X: between(r, -0.4, 0.4), Y: between(r, -0.4, 0.4)}.Mul(side))
		k, soft := between(r, 0.35, 0.65), side*between(r, 0.05, 0.5)
		simulate.Shadow(s.img, from, from.Add(gray.Point{X: math.Cos(a), Y: math.Sin(a)}), k, soft)
		s.param += fmt.Sprintf("to %.0f %% ", 100*k)
	}
	simulate.Noise(s.img, r, 4, 0)
	s.img, err = simulate.JPEG(s.img, 80)
	return s, err
}

// moire is a photo of a screen: two fine gratings beat with the pixels.
func moire(b *base, r *rand.Rand) (s shot, err error) {
	s = take(b, photo(b, r, 0.03))
	type grating struct{ x, y, strength, phase float64 }
	var g [2]grating
	for i := range g {
		a, period := 2*math.Pi*r.Float64(), between(r, 2.2, 7)
		g[i] = grating{math.Cos(a) / period, math.Sin(a) / period, between(r, 0.06, 0.18), r.Float64()}
		s.param += fmt.Sprintf("%.0f %% at %.1f px ", 100*g[i].strength, period)
	}
	simulate.Blur(s.img, 0.6)
	simulate.Contrast(s.img, 30, 215, 1)
	each(s.img, func(p gray.Point, v float64) float64 {
		k := 1.0
		for _, w := range g {
			k += w.strength * wave(p.X*w.x+p.Y*w.y+w.phase)
		}
		return v * k
	})
	simulate.Noise(s.img, r, 4, 0)
	s.img, err = simulate.JPEG(s.img, 75)
	return s, err
}
