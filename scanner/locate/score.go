package locate

import (
	"math"

	"tcode/scanner/ecc200"
	"tcode/scanner/gray"
)

// scorer measures how well fixed modules fit an image.
type scorer struct {
	img  *gray.Image
	mean *gray.Integral
	half float64 // gray levels from the local mean to full light or dark
	even bool    // img is flattened: mean and half are the same everywhere
}

func newScorer(img *gray.Image, mean *gray.Integral) *scorer {
	var h gray.Histogram
	h.Count(img, 1+min(img.Width, img.Height)/100)
	half := float64(h.Quantile(0.92)-h.Quantile(0.08)) * 0.4
	return &scorer{img: img, mean: mean, half: max(half, 4)}
}

// value returns the lightness of the image at p relative to the mean of its surroundings
// of radius r px: 1 light, -1 dark.
func (s *scorer) value(p gray.Point, r int) float64 {
	if s.even {
		return min(max((s.img.Bilinear(p.X, p.Y)-flatMiddle)/flatSpread, -1), 1)
	}
	x, y := int(p.X), int(p.Y)
	m := s.mean.Mean(gray.Rect{X0: x - r, Y0: y - r, X1: x + r + 1, Y1: y + r + 1})
	return min(max((s.img.Bilinear(p.X, p.Y)-m)/s.half, -1), 1)
}

// meanRadius returns the radius of the local mean for modules of px.
func meanRadius(px float64) int { return int(min(max(3.5*px, 6), 200)) }

// A probe is one place of the symbol with a known colour.
type probe struct {
	x, y   float64 // modules
	weight float64 // positive where it is light, negative where dark
}

// probes returns all fixed modules of size z and a ring of the quiet zone.
// taps is the number of samples of a module: 1 at its centre, or 4.
func probes(z ecc200.Size, taps int) []probe {
	var out []probe
	add := func(x, y, w float64) {
		if taps == 1 {
			out = append(out, probe{x, y, w})
			return
		}
		for _, d := range [4][2]float64{{-0.28, -0.28}, {0.28, -0.28}, {-0.28, 0.28}, {0.28, 0.28}} {
			out = append(out, probe{x + d[0], y + d[1], w / 4})
		}
	}
	for r := range z.Rows {
		for c := range z.Cols {
			switch z.Fixed(r, c) {
			case ecc200.Dark:
				add(float64(c)+0.5, float64(r)+0.5, -1)
			case ecc200.Light:
				add(float64(c)+0.5, float64(r)+0.5, 1)
			}
		}
	}
	// The quiet zone counts less: on real pages it is often not clean.
	const far, quiet = 0.7, 0.4
	for c := range z.Cols {
		out = append(out, probe{float64(c) + 0.5, -far, quiet}, probe{float64(c) + 0.5, float64(z.Rows) + far, quiet})
	}
	for r := range z.Rows {
		out = append(out, probe{-far, float64(r) + 0.5, quiet}, probe{float64(z.Cols) + far, float64(r) + 0.5, quiet})
	}
	return out
}

// fixed returns the weighted mean of the probes at q: 1 is perfect, 0 is chance.
func (s *scorer) fixed(z ecc200.Size, q [4]gray.Point, ps []probe, r int) float64 {
	h, ok := gray.ToQuad(float64(z.Cols), float64(z.Rows), q)
	if !ok {
		return -1
	}
	return s.on(&plan{h: h}, ps, r)
}

// on is fixed for modules at the places of m.
func (s *scorer) on(m *plan, ps []probe, r int) float64 {
	var sum, all float64
	for i := range ps {
		p := &ps[i]
		sum += p.weight * s.value(m.at(gray.Point{X: p.x, Y: p.y}), r)
		all += math.Abs(p.weight)
	}
	return sum / all
}
