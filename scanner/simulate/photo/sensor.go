package photo

import (
	"math"
	"math/rand/v2"

	"tcode/scanner/gray"
	"tcode/scanner/simulate"
)

// A Sensor describes a phone's sensor and its processing.
type Sensor struct {
	White     float64 // electrons at white: 5000 in daylight, 1000 indoors, 100 in the dark. Shot noise is their root
	Read      float64 // read noise, electrons; 2 to 4 in phones
	Demosaic  float64 // sigma of the blur of demosaicing, px; also joins the noise of neighbours
	Denoise   float64 // strength of the edge-preserving filter, multiples of the noise; 0: off
	Contrast  float64 // of the S-shaped tone curve over a gamma of 2.2, 0 to 1
	Sharpen   float64 // amount of the unsharp mask: 0.3 to 0.8 in most phones, 1.5 and more in some
	SharpenPx float64 // its sigma, px
	Quality   int     // of the JPEG, 1 to 100; 0: none
}

// develop turns light, 1 for white, into a picture.
func (s Sensor) develop(m *light, r *rand.Rand) (*gray.Image, error) {
	s.expose(m, r)
	m.blur(s.Demosaic)
	s.tone(m)
	if s.Denoise > 0 {
		const middle = 0.4 // light at which the filter knows the noise
		noise := math.Sqrt(middle/s.White+s.Read*s.Read/(s.White*s.White)) * math.Pow(middle, 1/2.2-1) / 2.2
		m.smoothen(s.Denoise * noise)
	}
	if s.Sharpen > 0 {
		m.sharpen(s.Sharpen, s.SharpenPx)
	}
	out := m.bytes()
	if s.Quality == 0 {
		return out, nil
	}
	return simulate.JPEG(out, s.Quality)
}

// expose adds the noise of the electrons and of their reading, and cuts at white.
func (s Sensor) expose(m *light, r *rand.Rand) {
	for i, v := range m.pix {
		e := float64(v) * s.White
		e += r.NormFloat64() * math.Sqrt(max(e, 0)+s.Read*s.Read)
		m.pix[i] = float32(min(max(e/s.White, 0), 1))
	}
}

// tone applies the gamma and the S-shaped curve.
func (s Sensor) tone(m *light) {
	var table [4097]float32
	for i := range table {
		v := math.Pow(float64(i)/4096, 1/2.2)
		table[i] = float32(v + s.Contrast*(smooth(0, 1, v)-v))
	}
	for i, v := range m.pix {
		m.pix[i] = table[int(min(max(v, 0), 1)*4096+0.5)]
	}
}

// smoothen is a bilateral filter over 5 x 5 pixels: neighbours count by their likeness,
// with the standard deviation sigma.
func (m *light) smoothen(sigma float64) {
	const steps = 1024
	var like [steps + 1]float32
	for i := range like {
		d := float64(i) / steps
		like[i] = float32(math.Exp(-d * d / (2 * sigma * sigma)))
	}
	from := m.clone()
	for y := range m.h {
		row := m.row(y)
		for x := range row {
			here := from.row(y)[x]
			var sum, weight float32
			for j := max(0, y-2); j <= min(m.h-1, y+2); j++ {
				for _, v := range from.row(j)[max(0, x-2):min(m.w, x+3)] {
					d := v - here
					if d < 0 {
						d = -d
					}
					k := like[int(d*steps)]
					sum += k * v
					weight += k
				}
			}
			row[x] = sum / weight
		}
	}
}

// sharpen adds amount times the difference to a blurred picture. Edges get halos.
func (m *light) sharpen(amount, sigma float64) {
	soft := m.clone()
	soft.blur(sigma)
	for i, v := range soft.pix {
		m.pix[i] += float32(amount) * (m.pix[i] - v)
	}
}
