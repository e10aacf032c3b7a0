package photo

import (
	"math"

	"tcode/scanner/gray"
)

// A light is a picture of linear light, or any other values, row by row.
type light struct {
	w, h int
	pix  []float32
}

func newLight(w, h int) *light { return &light{w, h, make([]float32, w*h)} }

func (m *light) row(y int) []float32 { return m.pix[y*m.w : (y+1)*m.w : (y+1)*m.w] }

func (m *light) clone() *light { return &light{m.w, m.h, append([]float32(nil), m.pix...)} }

// blur convolves m in place with a Gaussian of sigma points. Beyond the borders, the
// border's values go on.
func (m *light) blur(sigma float64) {
	if sigma < 0.05 {
		return
	}
	radius := int(math.Ceil(3 * sigma))
	kernel := make([]float32, radius+1)
	var sum float64
	for i := range kernel {
		k := math.Exp(-float64(i*i) / (2 * sigma * sigma))
		kernel[i] = float32(k)
		sum += k
		if i > 0 {
			sum += k
		}
	}
	for i := range kernel {
		kernel[i] = float32(float64(kernel[i]) / sum)
	}
	line := make([]float32, m.w+2*radius)
	for y := range m.h {
		row := m.row(y)
		m.extend(line, row, radius)
		for x := range row {
			v := kernel[0] * line[x+radius]
			for i := 1; i <= radius; i++ {
				v += kernel[i] * (line[x+radius-i] + line[x+radius+i])
			}
			row[x] = v
		}
	}
	m.blurDown(kernel)
}

func (m *light) extend(line, row []float32, radius int) {
	copy(line[radius:], row)
	for i := range radius {
		line[i], line[radius+m.w+i] = row[0], row[m.w-1]
	}
}

// blurDown convolves the columns, a row at a time. It keeps the rows that it replaces as
// long as it needs them.
func (m *light) blurDown(kernel []float32) {
	radius := len(kernel) - 1
	kept := make([][]float32, 2*radius+1) // row y in kept[y mod len]
	at := func(y int) []float32 { return kept[((y%len(kept))+len(kept))%len(kept)] }
	for y := -radius; y < radius; y++ {
		kept[((y%len(kept))+len(kept))%len(kept)] = append([]float32(nil), m.row(min(max(y, 0), m.h-1))...)
	}
	for y := range m.h {
		last := (y + radius) % len(kept)
		kept[last] = append(kept[last][:0], m.row(min(y+radius, m.h-1))...)
		row := m.row(y)
		for x, v := range at(y) {
			row[x] = kernel[0] * v
		}
		for i := 1; i <= radius; i++ {
			k, above, below := kernel[i], at(y-i), at(y+i)
			for x := range row {
				row[x] += k * (above[x] + below[x])
			}
		}
	}
}

// bytes returns m with 8 bits for each value, 0 to 1 as 0 to 255.
func (m *light) bytes() *gray.Image {
	out := gray.New(m.w, m.h)
	for y := range m.h {
		row := out.Row(y)
		for x, v := range m.row(y) {
			row[x] = byte(min(max(v*255+0.5, 0), 255))
		}
	}
	return out
}
