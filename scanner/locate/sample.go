package locate

import (
	"tcode/scanner/ecc200"
	"tcode/scanner/gray"
)

// windowModules is the radius, in modules, of the surroundings to which a module's
// lightness is compared (9 x 9: the best measured on pages).
const windowModules = 4

// Sample reads the modules of c from img: nine taps each over the middle half of the
// module, compared with the means of the light and of the dark modules around it.
func Sample(img *gray.Image, c *Candidate) (ecc200.Grid, bool) {
	m, ok := Measure(img, c)
	if !ok {
		return ecc200.Grid{}, false
	}
	return m.Grid(), true
}

// Modules are the gray values of the modules of a symbol.
type Modules struct {
	Size  ecc200.Size
	Value []float64 // gray levels, row-major
}

// Measure returns the gray values of the modules of c on img.
func Measure(img *gray.Image, c *Candidate) (Modules, bool) {
	h, ok := gray.ToQuad(float64(c.Size.Cols), float64(c.Size.Rows), c.Corners)
	if !ok {
		return Modules{}, false
	}
	return Modules{c.Size, measure(img, c.Size, &plan{h: h})}, true
}

// Grid separates dark modules from light ones; see [Classify].
func (m Modules) Grid() ecc200.Grid { return Classify(m.Size, m.Value) }

// Sharp is Grid for a blurred picture; see [Equalize].
func (m Modules) Sharp() ecc200.Grid { return Equalize(m.Size, m.Value) }

// measure returns the gray values of the modules at the places of m, row-major.
func measure(img *gray.Image, z ecc200.Size, m *plan) []float64 {
	v := make([]float64, z.Rows*z.Cols)
	for row := range z.Rows {
		for col := range z.Cols {
			var sum float64
			for _, dy := range [3]float64{0.27, 0.5, 0.73} {
				for _, dx := range [3]float64{0.27, 0.5, 0.73} {
					p := m.at(gray.Point{X: float64(col) + dx, Y: float64(row) + dy})
					sum += img.Bilinear(p.X, p.Y)
				}
			}
			v[row*z.Cols+col] = sum / 9
		}
	}
	return v
}

// Classify separates dark modules from light ones by their gray values v, row-major. A
// module's confidence is its distance from the threshold, 1 at the mean of its class
// around it.
func Classify(z ecc200.Size, v []float64) ecc200.Grid {
	g := ecc200.Grid{
		Rows: z.Rows, Cols: z.Cols,
		Dark: make([]bool, len(v)), Confidence: make([]float32, len(v)),
	}
	classify(z, v, g, nil)
	return g
}

// classify fills g. If seen is not nil, it writes the values into it, scaled so that the
// means of the classes around them are 1, light, and -1.
func classify(z ecc200.Size, v []float64, g ecc200.Grid, seen []float64) {
	sums := newModuleSums(z.Rows, z.Cols)
	sums.build(func(i int) (float64, float64) { return v[i], 1 })
	for i := range v {
		g.Dark[i] = v[i] < sums.mean(i)
	}
	dark, light := newModuleSums(z.Rows, z.Cols), sums
	// The mean lies off the middle where one class is rare: move the threshold half way
	// between the classes, twice.
	for range 2 {
		dark.build(func(i int) (float64, float64) {
			if g.Dark[i] {
				return v[i], 1
			}
			return 0, 0
		})
		light.build(func(i int) (float64, float64) {
			if g.Dark[i] {
				return 0, 0
			}
			return v[i], 1
		})
		for i := range v {
			lo, hi := dark.mean(i), light.mean(i)
			if hi-lo < 2 {
				g.Confidence[i] = 0
				continue
			}
			d := (v[i] - (lo+hi)/2) * 2 / (hi - lo)
			g.Dark[i] = d < 0
			if seen != nil {
				seen[i] = d
			}
			g.Confidence[i] = float32(min(max(d, -d), 1))
		}
	}
}

// moduleSums is an integral image over modules, with values and their weights.
type moduleSums struct {
	rows, cols int
	radius     int // of the surroundings, modules
	sum, n     []float64
}

func newModuleSums(rows, cols int) *moduleSums {
	k := (rows + 1) * (cols + 1)
	return &moduleSums{rows, cols, windowModules, make([]float64, k), make([]float64, k)}
}

func (m *moduleSums) build(value func(i int) (v, n float64)) {
	w := m.cols + 1
	for r := range m.rows {
		var s, n float64
		for c := range m.cols {
			v, k := value(r*m.cols + c)
			s, n = s+v, n+k
			m.sum[(r+1)*w+c+1] = m.sum[r*w+c+1] + s
			m.n[(r+1)*w+c+1] = m.n[r*w+c+1] + n
		}
	}
}

// mean returns the mean around module i.
func (m *moduleSums) mean(i int) float64 {
	r, c := i/m.cols, i%m.cols
	r0, r1 := max(r-m.radius, 0), min(r+m.radius+1, m.rows)
	c0, c1 := max(c-m.radius, 0), min(c+m.radius+1, m.cols)
	w := m.cols + 1
	box := func(t []float64) float64 { return t[r1*w+c1] - t[r0*w+c1] - t[r1*w+c0] + t[r0*w+c0] }
	n := box(m.n)
	if n == 0 {
		return 0
	}
	return box(m.sum) / n
}
