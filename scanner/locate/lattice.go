package locate

import (
	"math"

	"tcode/scanner/gray"
)

const (
	// latticeSigma is the standard deviation of the window, in modules, in which the grid of
	// modules counts as straight and even.
	latticeSigma = 2.2
	// latticeReach is the radius of the window in standard deviations.
	latticeReach = 2.0
	// latticeTurn is one turn of a phase.
	latticeTurn = 1 << 16
	phaseBits   = 8
)

// A lattice measures the grid of modules around a point by the phase of the edges: the edges of
// modules lie on the lines k . p = integer, whatever the modules are, so that the sum of
// exp(2 pi i k . p) over the edges is large only if k is the grid's frequency.
type lattice struct {
	w, h   int
	dx, dy []int16
	strong int // gradient from which a pixel counts
	most   int // gradient above which more does not count more

	cos, sin [1 << phaseBits]float32
	bell     []float32
}

// A cell is the grid at a point: the frequency of both families of lines, in lines per px along
// x and y, and how far the nearest crossing lies.
type cell struct {
	at  gray.Point
	k   [families]gray.Point
	off [families]float64 // of the nearest line from at, lines, -0.5 to 0.5
	// clear is the share of the edges that lie in step, 0 to 1.
	clear [families]float64
	edges float64 // sum of the edges in the window
}

func (l *lattice) reset(img *gray.Image, dx, dy []int16, strong int) {
	l.w, l.h, l.dx, l.dy = img.Width, img.Height, dx, dy
	l.strong, l.most = max(strong/2, 8), 2*strong
	if l.cos[0] == 0 {
		for i := range l.cos {
			sin, cos := math.Sincos(2 * math.Pi * (float64(i) + 0.5) / float64(len(l.cos)))
			l.cos[i], l.sin[i] = float32(cos), float32(sin)
		}
	}
}

// weigh measures the cell at c.at with the frequencies c.k, and improves them.
func (l *lattice) weigh(c *cell) {
	n := [families]gray.Point{}
	var pitch float64
	for k, f := range c.k {
		n[k] = f.Mul(1 / f.Len())
		pitch = max(pitch, 1/f.Len())
	}
	sigma := latticeSigma * pitch
	radius := int(latticeReach*sigma) + 1
	if cap(l.bell) < radius+2 {
		l.bell = make([]float32, 2*radius+2)
	}
	bell := l.bell[:radius+2]
	for i := range bell {
		bell[i] = float32(math.Exp(-float64(i*i) / (2 * sigma * sigma)))
	}
	cx, cy := int(c.at.X), int(c.at.Y)
	x0, x1 := max(cx-radius, 1), min(cx+radius+1, l.w-1)
	var re, im, all [families]float64
	var reX, imX, reY, imY [families]float64
	var step, start [families]int32
	n1x, n1y, n2x, n2y := int32(n[0].X*1024), int32(n[0].Y*1024), int32(n[1].X*1024), int32(n[1].Y*1024)
	for y := max(cy-radius, 1); y < min(cy+radius+1, l.h-1); y++ {
		wy := bell[max(y-cy, cy-y)]
		qy := float64(y) + 0.5 - c.at.Y
		for k, f := range c.k {
			start[k] = int32(math.Round((f.X*(float64(x0)+0.5-c.at.X) + f.Y*qy) * latticeTurn))
			step[k] = int32(math.Round(f.X * latticeTurn))
		}
		gx, gy := l.dx[y*l.w+x0:y*l.w+max(x1, x0)], l.dy[y*l.w+x0:y*l.w+max(x1, x0)]
		var rowRe, rowIm, rowAll, rowReX, rowImX [families]float32
		for i, ex := range gx {
			ey := gy[i]
			if abs16(ex)+abs16(ey) < l.strong {
				continue
			}
			a := (int32(ex)*n1x + int32(ey)*n1y) >> 10
			b := (int32(ex)*n2x + int32(ey)*n2y) >> 10
			a, b = max(a, -a), max(b, -b)
			k := 0
			if b > a {
				k, a, b = 1, b, a
			}
			w := float32(min(a-b, int32(l.most)))
			x := x0 + i
			w *= bell[max(x-cx, cx-x)]
			t := (start[k] + int32(i)*step[k]) >> (16 - phaseBits) & (1<<phaseBits - 1)
			r, s := w*l.cos[t], w*l.sin[t]
			q := float32(x) + 0.5 - float32(c.at.X)
			rowRe[k] += r
			rowIm[k] += s
			rowAll[k] += w
			rowReX[k] += r * q
			rowImX[k] += s * q
		}
		for k := range families {
			r, s := float64(rowRe[k]*wy), float64(rowIm[k]*wy)
			re[k], im[k], all[k] = re[k]+r, im[k]+s, all[k]+float64(rowAll[k]*wy)
			reX[k], imX[k] = reX[k]+float64(rowReX[k]*wy), imX[k]+float64(rowImX[k]*wy)
			reY[k], imY[k] = reY[k]+r*qy, imY[k]+s*qy
		}
	}
	c.edges = all[0] + all[1]
	for k := range families {
		power := re[k]*re[k] + im[k]*im[k]
		if power == 0 || all[k] == 0 {
			c.clear[k] = 0
			continue
		}
		c.clear[k] = math.Sqrt(power) / all[k]
		c.off[k] = math.Atan2(im[k], re[k]) / (2 * math.Pi)
		// The edges at q have the phase k.q - off; its slope is what k lacks. The slope is the
		// imaginary part of the moment, against the spread of the window.
		mx := (im[k]*reX[k] - re[k]*imX[k]) / power
		my := (im[k]*reY[k] - re[k]*imY[k]) / power
		d := gray.Point{X: mx, Y: my}.Mul(1 / (2 * math.Pi * sigma * sigma))
		if most := 0.15 * c.k[k].Len(); d.Len() > most {
			d = d.Mul(most / d.Len())
		}
		c.k[k] = c.k[k].Add(d)
	}
}

// steps returns the ways in px from one line to the next of both families.
func (c *cell) steps() (e [families]gray.Point, ok bool) {
	det := c.k[0].Cross(c.k[1])
	if math.Abs(det) < 0.25*c.k[0].Len()*c.k[1].Len() {
		return e, false
	}
	e[0] = gray.Point{X: c.k[1].Y, Y: -c.k[1].X}.Mul(1 / det)
	e[1] = gray.Point{X: -c.k[0].Y, Y: c.k[0].X}.Mul(1 / det)
	return e, true
}

const (
	pitchLow, pitchHigh = 2.9, 6.6 // px, a module at the level at which a mesh is grown
	pitchStep           = 1.09
)

// seed looks for the grid at p: two directions of edges, and for each the distance of the lines.
func (l *lattice) seed(m *houghMap, p gray.Point) cell {
	c := cell{at: p}
	var hist [90]float64
	const radius = 26
	x0, x1 := max(int(p.X)-radius, 1), min(int(p.X)+radius, l.w-1)
	for y := max(int(p.Y)-radius, 1); y < min(int(p.Y)+radius, l.h-1); y++ {
		for x := x0; x < x1; x++ {
			i := y*l.w + x
			a := abs16(l.dx[i]) + abs16(l.dy[i])
			if a < l.strong {
				continue
			}
			k := m.direction(l.dx[i], l.dy[i])
			if straight(l.dx, l.dy, l.w, i, a) {
				a *= 8
			}
			hist[k] += float64(a)
		}
	}
	a, b := axes(hist, 14)
	var best [families]float64
	for pitch := pitchLow; pitch < pitchHigh; pitch *= pitchStep {
		t := cell{at: p}
		for k, angle := range [families]float64{a, b} {
			sin, cos := math.Sincos(angle)
			t.k[k] = gray.Point{X: cos, Y: sin}.Mul(1 / pitch)
		}
		for range 2 {
			l.weigh(&t)
		}
		for k := range families {
			if t.clear[k] > best[k] {
				best[k], c.k[k] = t.clear[k], t.k[k]
			}
		}
	}
	for k := range families {
		if c.k[k] == (gray.Point{}) {
			return cell{at: p, k: [families]gray.Point{{X: 1}, {Y: 1}}}
		}
	}
	l.weigh(&c)
	return c
}
