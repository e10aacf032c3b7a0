package locate

import (
	"math"

	"tcode/scanner/ecc200"
)

const (
	equalRounds = 4 // of fitting the blur and deciding again
	equalWindow = 8 // radius in modules in which light and contrast count as even
	equalSweeps = 8 // over all modules in a round, before they are decided
)

// Equalize separates dark modules from light ones by gray values v, row-major, that
// neighbouring modules influence, as in a blurred picture. It fits the influence of a
// module on those around it and finds the modules that explain the values best, as a modem
// does with symbols that overlap in time.
func Equalize(z ecc200.Size, v []float64) ecc200.Grid {
	e := newEqualizer(z, v)
	for range equalRounds {
		if !e.fit() {
			break
		}
		e.light()
		if e.decide() == 0 {
			break
		}
	}
	return e.grid()
}

// equalizer works on a frame of modules with a ring of paper around it.
type equalizer struct {
	size   ecc200.Size
	stride int
	value  []float64 // gray levels, of the symbol alone
	m      []float64 // assumed module: 1 light, -1 dark
	x      []float64 // seen module, 1 and -1 at the means of the classes around
	sure   []bool    // fixed modules, which are known
	// x is about own*m + beside*(the four neighbours) + across*(the four at the
	// corners) + offset.
	own, beside, across, offset float64
}

func newEqualizer(z ecc200.Size, v []float64) *equalizer {
	g := ecc200.Grid{Rows: z.Rows, Cols: z.Cols, Dark: make([]bool, len(v)), Confidence: make([]float32, len(v))}
	seen := make([]float64, len(v))
	classify(z, v, g, seen)
	w := z.Cols + 2
	n := w * (z.Rows + 2)
	e := &equalizer{size: z, stride: w, value: v, m: make([]float64, n), x: make([]float64, n), sure: make([]bool, n)}
	for i := range e.m {
		e.m[i] = 1
	}
	for row := range z.Rows {
		for col := range z.Cols {
			at, i := (row+1)*w+col+1, row*z.Cols+col
			e.x[at] = seen[i]
			switch f := z.Fixed(row, col); {
			case f == ecc200.Dark:
				e.m[at], e.sure[at] = -1, true
			case f == ecc200.Light:
				e.sure[at] = true
			case g.Dark[i]:
				e.m[at] = -1
			}
		}
	}
	return e
}

// around returns the sums over the four direct neighbours of a module in the frame and
// over the four at its corners.
func (e *equalizer) around(t []float64, at int) (beside, across float64) {
	w := e.stride
	return t[at-1] + t[at+1] + t[at-w] + t[at+w], t[at-w-1] + t[at-w+1] + t[at+w-1] + t[at+w+1]
}

// each calls f for every module of the symbol.
func (e *equalizer) each(f func(at int)) {
	for row := range e.size.Rows {
		for col := range e.size.Cols {
			f((row+1)*e.stride + col + 1)
		}
	}
}

// fit finds the blur by least squares; it returns false if there is no plausible
// one.
func (e *equalizer) fit() bool {
	var a [4][5]float64 // normal equations
	e.each(func(at int) {
		beside, across := e.around(e.m, at)
		t := [5]float64{e.m[at], beside, across, 1, min(max(e.x[at], -3), 3)}
		for i := range 4 {
			for j := range 5 {
				a[i][j] += t[i] * t[j]
			}
		}
	})
	for i := range 4 {
		if a[i][i] < 1e-6 {
			return false
		}
		for j := range 4 {
			if j == i {
				continue
			}
			k := a[j][i] / a[i][i]
			for c := i; c < 5; c++ {
				a[j][c] -= k * a[i][c]
			}
		}
	}
	e.own, e.beside, e.across, e.offset = a[0][4]/a[0][0], a[1][4]/a[1][1], a[2][4]/a[2][2], a[3][4]/a[3][3]
	return e.own > 0.1
}

// light finds the light and the contrast around each module from the blur of the assumed
// modules. It starts from the means of light and dark modules, which depend on how many of
// them have similar neighbours.
func (e *equalizer) light() {
	z := e.size
	p := make([]float64, len(e.value)) // values that are explained
	i := 0
	e.each(func(at int) {
		beside, across := e.around(e.m, at)
		p[i] = e.own*e.m[at] + e.beside*beside + e.across*across + e.offset
		i++
	})
	var sums [4]*moduleSums
	for k, f := range [4]func(i int) float64{
		func(i int) float64 { return p[i] },
		func(i int) float64 { return e.value[i] },
		func(i int) float64 { return p[i] * p[i] },
		func(i int) float64 { return p[i] * e.value[i] },
	} {
		sums[k] = newModuleSums(z.Rows, z.Cols)
		sums[k].radius = equalWindow
		sums[k].build(func(i int) (float64, float64) { return f(i), 1 })
	}
	i = 0
	e.each(func(at int) {
		mp, mv := sums[0].mean(i), sums[1].mean(i)
		if spread := sums[2].mean(i) - mp*mp; spread > 0.01 {
			if slope := (sums[3].mean(i) - mp*mv) / spread; slope > 1 {
				e.x[at] = mp + (e.value[i]-mv)/slope
			}
		}
		i++
	})
}

// residual returns the part of x that the assumed modules do not explain.
func (e *equalizer) residual() []float64 {
	r := make([]float64, len(e.x))
	e.each(func(at int) {
		beside, across := e.around(e.m, at)
		r[at] = min(max(e.x[at], -3), 3) - e.own*e.m[at] - e.beside*beside - e.across*across - e.offset
	})
	return r
}

// power returns the squared sum of a module's influence.
func (e *equalizer) power() float64 {
	return e.own*e.own + 4*e.beside*e.beside + 4*e.across*e.across
}

// gain returns how much better the assumed module at explains the values than its
// opposite, 1 for a perfect fit.
func (e *equalizer) gain(r []float64, at int, power float64) float64 {
	beside, across := e.around(r, at)
	return 1 + e.m[at]*(e.own*r[at]+e.beside*beside+e.across*across)/power
}

// decide assumes the modules that explain the values best and returns the number of
// changed ones. Modules may lie anywhere between light and dark until they have
// settled: then there is one best answer, and no two wrong modules compensate for each
// other.
func (e *equalizer) decide() int {
	before := append([]float64(nil), e.m...)
	r, power := e.residual(), e.power()
	for range equalSweeps {
		e.each(func(at int) {
			if !e.sure[at] {
				beside, across := e.around(r, at)
				d := (e.own*r[at] + e.beside*beside + e.across*across) / power
				e.move(r, at, min(max(e.m[at]+d, -1), 1))
			}
		})
	}
	changed := 0
	e.each(func(at int) {
		e.m[at] = math.Copysign(1, e.m[at])
		if e.m[at] != before[at] {
			changed++
		}
	})
	r = e.residual()
	e.each(func(at int) {
		if !e.sure[at] && e.gain(r, at, power) < 0 {
			e.move(r, at, -e.m[at])
		}
	})
	return changed
}

// move sets the assumed module at to v and updates the residual r.
func (e *equalizer) move(r []float64, at int, v float64) {
	d := e.m[at] - v
	e.m[at] = v
	w := e.stride
	r[at] += d * e.own
	for _, k := range [4]int{-1, 1, -w, w} {
		r[at+k] += d * e.beside
	}
	for _, k := range [4]int{-w - 1, -w + 1, w - 1, w + 1} {
		r[at+k] += d * e.across
	}
}

// grid returns the assumed modules, but the fixed ones as they are seen, given those
// around them: they must prove that there is a symbol.
func (e *equalizer) grid() ecc200.Grid {
	z := e.size
	g := ecc200.Grid{Rows: z.Rows, Cols: z.Cols, Dark: make([]bool, z.Rows*z.Cols), Confidence: make([]float32, z.Rows*z.Cols)}
	r, power := e.residual(), max(e.power(), 1e-6)
	i := 0
	e.each(func(at int) {
		gain := e.gain(r, at, power)
		g.Dark[i] = (e.m[at] < 0) == (gain >= 0)
		g.Confidence[i] = float32(min(math.Abs(gain), 1))
		i++
	})
	return g
}
