package locate

import (
	"math"

	"tcode/scanner/gray"
)

const (
	// latticeSigma is the standard deviation of the window, in modules, in which the grid of
	// modules counts as straight and even. bentSigma is the same for strong bends.
	latticeSigma, bentSigma = 2.2, 1.5
	// latticeReach is the radius of the window in standard deviations.
	latticeReach = 2.0
	// A module has pitchLeast to pitchMost px.
	pitchLeast, pitchMost = 1.5, 24.0
	// mostTurn is the largest correction of a frequency, as a share of it.
	mostTurn = 0.15

	oneTurn   = 1 << 16 // a whole turn of a phase
	phaseBits = 8       // of a phase in the tables
)

// A lattice measures the grid of modules around a point. The edges of modules lie on the lines
// k . p = integer of two frequencies k, whatever the modules are. So the sum of
// exp(2 pi i k . p) over the edges is large only if k is a frequency of the grid, and its
// phase is the place of the lines.
type lattice struct {
	w, h   int         // px, of the image
	dx, dy []int16     // its gradient
	sigma  float64     // of the window, modules
	strong int         // gradient from which a pixel counts
	most   int         // gradient above which more does not count more
	left   int         // px that may still be looked at; each window counts
	stop   func() bool // [Finder.Stop]

	cos, sin [1 << phaseBits]float32
	bell     []float32 // weights of the distance from the middle of a window, px
	seed     seeder
}

// over reports whether no more may be looked at.
func (l *lattice) over() bool {
	if l.left > 0 && l.stop != nil && l.stop() {
		l.left = 0
	}
	return l.left <= 0
}

// A cell is the grid at a point.
type cell struct {
	at    gray.Point
	k     [families]gray.Point // frequencies, lines per px along x and y
	off   [families]float64    // of the nearest line from at, -0.5 to 0.5 of the distance of lines
	clear [families]float64    // share of the edges that are in step, 0 to 1
	edges float64              // sum of the edges in the window
}

// clearness returns the clearness of the less clear family.
func (c *cell) clearness() float64 { return min(c.clear[0], c.clear[1]) }

// reset prepares l for an image of gradient dx and dy, which counts from strong on.
func (l *lattice) reset(img *gray.Image, dx, dy []int16, strong int) {
	l.w, l.h, l.dx, l.dy = img.Width, img.Height, dx, dy
	l.strong, l.most, l.sigma = max(strong/2, 8), 2*strong, latticeSigma
	if l.cos[0] != 0 {
		return
	}
	for i := range l.cos {
		sin, cos := math.Sincos(2 * math.Pi * (float64(i) + 0.5) / float64(len(l.cos)))
		l.cos[i], l.sin[i] = float32(cos), float32(sin)
	}
}

// inStep sums the edges of one family in a window, times exp(2 pi i k . p), and their moments.
type inStep struct {
	re, im, all        float64
	reX, imX, reY, imY float64
}

// rowInStep is inStep for a row.
type rowInStep struct{ re, im, all, reX, imX float32 }

// weigh measures c at c.at with the frequencies c.k, and corrects these.
func (l *lattice) weigh(c *cell) {
	var pitch float64
	var normal [families][2]int32 // of the lines, 1024 long
	for k, f := range c.k {
		long := f.Len()
		if !(long >= 1/pitchMost && long <= 1/pitchLeast) {
			c.clear = [families]float64{}
			return
		}
		pitch = max(pitch, 1/long)
		normal[k] = [2]int32{int32(f.X / long * 1024), int32(f.Y / long * 1024)}
	}
	sigma := l.sigma * pitch
	radius := int(latticeReach*sigma) + 1
	l.shape(radius, sigma)
	cx, cy := int(c.at.X), int(c.at.Y)
	x0, x1 := max(cx-radius, 1), min(cx+radius+1, l.w-1)
	l.left -= 4 * radius * radius
	var sums [families]inStep
	for y := max(cy-radius, 1); y < min(cy+radius+1, l.h-1) && x0 < x1; y++ {
		qy := float64(y) + 0.5 - c.at.Y
		rows := l.row(c, y, x0, x1, qy, &normal)
		weight := float64(l.bell[max(y-cy, cy-y)])
		for k := range rows {
			r, s := &rows[k], &sums[k]
			re, im := weight*float64(r.re), weight*float64(r.im)
			s.re, s.im, s.all = s.re+re, s.im+im, s.all+weight*float64(r.all)
			s.reX, s.imX = s.reX+weight*float64(r.reX), s.imX+weight*float64(r.imX)
			s.reY, s.imY = s.reY+re*qy, s.imY+im*qy
		}
	}
	c.edges = sums[0].all + sums[1].all
	for k := range sums {
		c.read(k, &sums[k], sigma)
	}
}

// radius returns the radius of the window in which l measures c, px, with some room for a correction of its frequencies.
func (l *lattice) radius(c *cell) int {
	long := min(c.k[0].Len(), c.k[1].Len()) * (1 - mostTurn)
	return int(latticeReach*l.sigma/max(long, 1/pitchMost)) + 1
}

// shape fills bell with a Gaussian up to radius px.
func (l *lattice) shape(radius int, sigma float64) {
	if cap(l.bell) < radius+2 {
		l.bell = make([]float32, 2*radius+2)
	}
	l.bell = l.bell[:radius+2]
	for i := range l.bell {
		l.bell[i] = float32(math.Exp(-float64(i*i) / (2 * sigma * sigma)))
	}
}

// row sums the edges of row y from x0 to x1; qy is its distance from the middle.
func (l *lattice) row(c *cell, y, x0, x1 int, qy float64, normal *[families][2]int32) (out [families]rowInStep) {
	var start, step [families]int32
	for k, f := range c.k {
		start[k] = int32(math.Round((f.X*(float64(x0)+0.5-c.at.X) + f.Y*qy) * oneTurn))
		step[k] = int32(math.Round(f.X * oneTurn))
	}
	cx, left := int(c.at.X), float32(float64(x0)+0.5-c.at.X)
	gx := l.dx[y*l.w+x0 : y*l.w+x1]
	gy := l.dy[y*l.w+x0 : y*l.w+x1][:len(gx)]
	for i, ex := range gx {
		ey := gy[i]
		if abs16(ex)+abs16(ey) < l.strong {
			continue
		}
		// An edge belongs to the family whose normal it is closer to; corners belong to none.
		a := (int32(ex)*normal[0][0] + int32(ey)*normal[0][1]) >> 10
		b := (int32(ex)*normal[1][0] + int32(ey)*normal[1][1]) >> 10
		a, b = max(a, -a), max(b, -b)
		k := 0
		if b > a {
			k, a, b = 1, b, a
		}
		x := x0 + i
		w := float32(min(a-b, int32(l.most))) * l.bell[max(x-cx, cx-x)]
		t := (start[k] + int32(i)*step[k]) >> (16 - phaseBits) & (1<<phaseBits - 1)
		re, im, q := w*l.cos[t], w*l.sin[t], left+float32(i)
		s := &out[k]
		s.re, s.im, s.all = s.re+re, s.im+im, s.all+w
		s.reX, s.imX = s.reX+re*q, s.imX+im*q
	}
	return out
}

// read takes clearness, phase and the correction of the frequency of family k from its sums.
func (c *cell) read(k int, s *inStep, sigma float64) {
	power := s.re*s.re + s.im*s.im
	if power == 0 || s.all == 0 {
		c.clear[k] = 0
		return
	}
	c.clear[k] = math.Sqrt(power) / s.all
	c.off[k] = math.Atan2(s.im, s.re) / (2 * math.Pi)
	// If k is too low by d, the phase falls by 2 pi d . q with the distance q from the middle:
	// the imaginary part of the moment, divided by the sum, is that slope times the variance.
	slope := gray.Point{X: s.im*s.reX - s.re*s.imX, Y: s.im*s.reY - s.re*s.imY}
	d := slope.Mul(1 / (2 * math.Pi * sigma * sigma * power))
	if most := mostTurn * c.k[k].Len(); d.Len() > most {
		d = d.Mul(most / d.Len())
	}
	c.k[k] = c.k[k].Add(d)
}

// steps returns the ways in px from one line to the next of both families; ok is false if the
// families are nearly parallel.
func (c *cell) steps() (e [families]gray.Point, ok bool) {
	det := c.k[0].Cross(c.k[1])
	if math.Abs(det) < 0.25*c.k[0].Len()*c.k[1].Len() {
		return e, false
	}
	e[0] = gray.Point{X: c.k[1].Y, Y: -c.k[1].X}.Mul(1 / det)
	e[1] = gray.Point{X: -c.k[0].Y, Y: c.k[0].X}.Mul(1 / det)
	return e, true
}
