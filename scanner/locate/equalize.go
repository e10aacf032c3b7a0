package locate

import "tcode/scanner/ecc200"

const (
	equalRounds = 4 // of fitting the blur and deciding again
	equalSweeps = 3 // over all modules in a round
)

// Equalize tells dark modules from light ones by gray values v, row-major, in
// which neighbours have run into one another, as in a blurred picture. It fits
// how much of a module shows in those beside it and looks for the modules that
// explain the values best, as a modem does with symbols that overlap in time.
func Equalize(z ecc200.Size, v []float64) ecc200.Grid {
	e := newEqualizer(z, v)
	for range equalRounds {
		if !e.fit() {
			break
		}
		changed := 0
		for range equalSweeps {
			n := e.sweep()
			changed += n
			if n == 0 {
				break
			}
		}
		if changed == 0 {
			break
		}
	}
	return e.grid()
}

// equalizer works on a frame of modules that has a ring of paper around it.
type equalizer struct {
	size   ecc200.Size
	stride int
	m      []float64 // what each module is taken for: 1 light, -1 dark
	x      []float64 // what is seen of it, 1 and -1 at the means of the classes around
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
	e := &equalizer{size: z, stride: w, m: make([]float64, n), x: make([]float64, n), sure: make([]bool, n)}
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

// around returns the sums of the four neighbours of a frame's module and of the
// four at its corners.
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

// fit finds the blur by least squares; ok is false when there is none that
// makes sense.
func (e *equalizer) fit() bool {
	var a [4][5]float64 // normal equations
	e.each(func(at int) {
		beside, across := e.around(e.m, at)
		t := [5]float64{e.m[at], beside, across, 1, min(max(e.x[at], -2), 2)}
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

// residual returns what of x the modules as they are taken leave unexplained.
func (e *equalizer) residual() []float64 {
	r := make([]float64, len(e.x))
	e.each(func(at int) {
		beside, across := e.around(e.m, at)
		r[at] = min(max(e.x[at], -2), 2) - e.own*e.m[at] - e.beside*beside - e.across*across - e.offset
	})
	return r
}

// power is how much a module shows in all, squared.
func (e *equalizer) power() float64 {
	return e.own*e.own + 4*e.beside*e.beside + 4*e.across*e.across
}

// gain returns how much better the module at explains the values as it is taken
// than as its opposite, 1 for a perfect fit.
func (e *equalizer) gain(r []float64, at int, power float64) float64 {
	beside, across := e.around(r, at)
	return 1 + e.m[at]*(e.own*r[at]+e.beside*beside+e.across*across)/power
}

// sweep takes modules for their opposite where that explains the values better,
// and returns how many.
func (e *equalizer) sweep() int {
	r, power, n := e.residual(), e.power(), 0
	e.each(func(at int) {
		if e.sure[at] || e.gain(r, at, power) >= 0 {
			return
		}
		n++
		d := 2 * e.m[at]
		e.m[at] = -e.m[at]
		w := e.stride
		r[at] += d * e.own
		for _, k := range [4]int{-1, 1, -w, w} {
			r[at+k] += d * e.beside
		}
		for _, k := range [4]int{-w - 1, -w + 1, w - 1, w + 1} {
			r[at+k] += d * e.across
		}
	})
	return n
}

// grid returns the modules as they are taken, the fixed ones as they were seen:
// they are to prove that there is a symbol.
func (e *equalizer) grid() ecc200.Grid {
	z := e.size
	g := ecc200.Grid{Rows: z.Rows, Cols: z.Cols, Dark: make([]bool, z.Rows*z.Cols), Confidence: make([]float32, z.Rows*z.Cols)}
	r, power := e.residual(), max(e.power(), 1e-6)
	i := 0
	e.each(func(at int) {
		g.Dark[i] = e.m[at] < 0 && !e.sure[at] || e.sure[at] && e.x[at] < 0
		g.Confidence[i] = float32(min(max(e.gain(r, at, power), 0), 1))
		i++
	})
	return g
}
