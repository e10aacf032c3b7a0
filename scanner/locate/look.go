package locate

import (
	"tcode/scanner/ecc200"
	"tcode/scanner/gray"
)

// A Look describes a candidate's appearance, to explain why it was not read.
type Look struct {
	Contrast  float64 // gray levels between the quiet zone and the finder pattern
	Sharpness float64 // contrast of the timing tracks against Contrast: 1 sharp, 0 a smear
	Quiet     float64 // share of the quiet zone, one module wide, that is paper
	Outside   bool    // a part of the symbol or its quiet zone lies outside the image
}

// LookAt measures c on img.
func LookAt(img *gray.Image, c *Candidate) Look {
	z := c.Size
	h, ok := gray.ToQuad(float64(z.Cols), float64(z.Rows), c.Corners)
	if !ok {
		return Look{}
	}
	var l Look
	at := func(x, y float64) float64 {
		p := h.Map(gray.Point{X: x, Y: y})
		if p.X < 0 || p.Y < 0 || p.X > float64(img.Width) || p.Y > float64(img.Height) {
			l.Outside = true
		}
		return img.Bilinear(p.X, p.Y)
	}
	var dark, tDark, tLight, light mean
	ring := make([]float64, 0, 2*(z.Rows+z.Cols))
	for i := range z.Rows {
		y := float64(i) + 0.5
		dark.add(at(0.5, y))
		ring = append(ring, at(-0.7, y), at(float64(z.Cols)+0.7, y))
		v := at(float64(z.Cols)-0.5, y)
		if z.Fixed(i, z.Cols-1) == ecc200.Dark {
			tDark.add(v)
		} else {
			tLight.add(v)
		}
	}
	for i := range z.Cols {
		x := float64(i) + 0.5
		dark.add(at(x, float64(z.Rows)-0.5))
		ring = append(ring, at(x, -0.7), at(x, float64(z.Rows)+0.7))
		v := at(x, 0.5)
		if z.Fixed(0, i) == ecc200.Dark {
			tDark.add(v)
		} else {
			tLight.add(v)
		}
	}
	for _, v := range ring {
		light.add(v)
	}
	l.Contrast = light.value() - dark.value()
	if l.Contrast > 1 {
		l.Sharpness = (tLight.value() - tDark.value()) / l.Contrast
	}
	paper := 0
	middle := (max(light.value(), tLight.value()) + dark.value()) / 2
	for _, v := range ring {
		if v > middle {
			paper++
		}
	}
	l.Quiet = float64(paper) / float64(len(ring))
	return l
}

type mean struct{ sum, n float64 }

func (m *mean) add(v float64)  { m.sum, m.n = m.sum+v, m.n+1 }
func (m *mean) value() float64 { return m.sum / max(m.n, 1) }
