package photo

import (
	"math"
	"math/rand/v2"

	"tcode/scanner/gray"
)

// Stretch returns the largest error of lengths and angles of small parts of a bent page.
func (s Shape) Stretch(r *rand.Rand) (worst float64) {
	page := s.newSurface(100, 150)
	for range 500 {
		pu, pv := partials(page, 210*r.Float64(), 297*r.Float64())
		worst = max(worst, math.Abs(pu.length()-1), math.Abs(pv.length()-1), math.Abs(pu.dot(pv)))
	}
	return worst
}

// At returns the place of a point of a page bent as s, whose symbol lies at (u0, v0).
func (s Shape) At(u0, v0, u, v float64) [3]float64 {
	p := s.newSurface(u0, v0).at(u, v)
	return [3]float64{p.x, p.y, p.z}
}

// ThereAndBack follows rays through random points of the picture to space and projects
// them back. It returns the largest error, px.
func (c Camera) ThereAndBack(r *rand.Rand) (worst float64) {
	p := c.pose()
	for range 500 {
		at := gray.Point{X: r.Float64() * float64(c.Width), Y: r.Float64() * float64(c.Height)}
		back := p.project(p.from.add(p.direction(at).mul(50 + 500*r.Float64())))
		worst = max(worst, back.Sub(at).Len())
	}
	return worst
}

// HitErrors looks at a bent page and returns the largest distance of grid points, and of the
// middles of smooth cells, from the place of the page that they are said to show, px.
func HitErrors(shape Shape, c Camera) (points, middles float64, seen int) {
	page, camera := shape.newSurface(100, 150), c.pose()
	s := look(page, 210, 297, camera)
	for j := range s.rows - 1 {
		for i := range s.cols - 1 {
			if even, _ := s.even(i, j); !even {
				continue
			}
			seen++
			a, b, c, d := s.hits[j*s.cols+i], s.hits[j*s.cols+i+1], s.hits[(j+1)*s.cols+i], s.hits[(j+1)*s.cols+i+1]
			at := gray.Point{X: float64(i * cell), Y: float64(j * cell)}
			points = max(points, camera.project(page.at(a.u, a.v)).Sub(at).Len())
			at = at.Add(gray.Point{X: cell / 2, Y: cell / 2})
			middles = max(middles, camera.project(page.at((a.u+b.u+c.u+d.u)/4, (a.v+b.v+c.v+d.v)/4)).Sub(at).Len())
		}
	}
	return points, middles, seen
}

// Lit returns the light at (u, v) of a flat page whose symbol lies at (100, 150).
func Lit(l Lamp, c Camera, u, v float64) (diffuse, mirrored float64) {
	return l.lit(Shape{}.newSurface(100, 150), c.pose(), u, v)
}

// MirrorPlace is the place of a lamp that a flat page mirrors at (u, v).
func MirrorPlace(c Camera, u, v, distance float64) [3]float64 {
	set := Settings{Camera: c}
	return set.mirror(Shape{}.newSurface(100, 150), u, v, distance)
}

// Disc and Path are kernels as weights by displacement.
func Disc(radius float64) map[[2]int]float64        { return weights(disc(radius)) }
func Path(length, angle float64) map[[2]int]float64 { return weights(path(length, angle)) }

func weights(kernel []tap) map[[2]int]float64 {
	out := map[[2]int]float64{}
	for _, t := range kernel {
		out[[2]int{t.dx, t.dy}] += float64(t.k)
	}
	return out
}

// Unsharp applies a lens to a point of light in the middle of dark and returns its sum after.
func Unsharp(l Lens) float64 {
	m := newLight(101, 81)
	m.row(40)[50] = 1
	l.apply(m)
	return m.sum()
}

func (m *light) sum() (sum float64) {
	for _, v := range m.pix {
		sum += float64(v)
	}
	return sum
}

// Exposed returns mean and variance of the electrons of an even light.
func Exposed(s Sensor, level float64) (mean, variance float64) {
	m := newLight(400, 400)
	for i := range m.pix {
		m.pix[i] = float32(level)
	}
	s.expose(m, rand.New(rand.NewPCG(3, 4)))
	var squares float64
	for _, v := range m.pix {
		mean += float64(v) * s.White
		squares += float64(v) * s.White * float64(v) * s.White
	}
	n := float64(len(m.pix))
	mean /= n
	return mean, squares/n - mean*mean
}

// Smoothened returns mean and variance of noise around 0.5 after the bilateral filter.
func Smoothened(noise, sigma float64) (mean, variance float64) {
	m := newLight(200, 200)
	r := rand.New(rand.NewPCG(5, 6))
	for i := range m.pix {
		m.pix[i] = float32(0.5 + noise*r.NormFloat64())
	}
	m.smoothen(sigma)
	mean = m.sum() / float64(len(m.pix))
	for _, v := range m.pix {
		variance += (float64(v) - mean) * (float64(v) - mean) / float64(len(m.pix))
	}
	return mean, variance
}

// ShownMean returns the mean light of a white page on a screen.
func ShownMean(c Screen, s Sheet) float64 {
	on := c.show(&s, 5, 5, 40, 40)
	const n = 60
	var sum float64
	for j := range 20 * n {
		for i := range 20 * n {
			sum += on.reflect(10+(float64(i)+0.5)*c.Pitch/n, 10+(float64(j)+0.5)*c.Pitch/n)
		}
	}
	return sum / (20 * n * 20 * n)
}

// InkArea returns the area of ink, mm², of a part of the sheet as printed, where the light that
// is lost is at least half of what full ink takes, and the mean reflectance of the part.
func InkArea(p Print, s Sheet, u0, v0, u1, v1, step float64) (area, mean float64) {
	at := s.newPart(u0, v0, u1, v1, step)
	m := p.run(&s, at)
	half := float32(p.Paper.White * (1 + p.Ink*p.Ink) / 2)
	for _, v := range m.pix {
		if v < half {
			area += step * step
		}
	}
	return area, m.sum() / float64(len(m.pix))
}

// GrainStats returns mean, variance and the correlation of neighbours of a grain.
func GrainStats(size float64) (mean, variance, next float64) {
	g := newGrain(rand.New(rand.NewPCG(1, 2)), size)
	for y := range grainSide {
		for x := range grainSide {
			mean += float64(g.at(x, y))
			variance += float64(g.at(x, y)) * float64(g.at(x, y))
			next += float64(g.at(x, y)) * float64(g.at(x+1, y))
		}
	}
	n := float64(grainSide * grainSide)
	return mean / n, variance / n, next / n
}
