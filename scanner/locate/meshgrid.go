package locate

import (
	"tcode/scanner/gray"
)

// meshRing is the number of nodes that are added around a mesh: the quiet zone has no edges.
const meshRing = 1

// A meshGrid is a mesh without gaps, and the gray values of the cells between its lines.
type meshGrid struct {
	w, h       int          // nodes
	at         []gray.Point // px of the image that was searched
	cols, rows int          // cells
	value      []float64    // gray levels, row-major
	look       []float32    // lightness relative to the cells around: 1 light, -1 dark
}

// complete fills the gaps of m and a ring around it from the nodes nearby.
func (m *mesh) complete() *meshGrid {
	i0, i1, j0, j1 := 0, 0, 0, 0
	for i := range m.nodes {
		n := &m.nodes[i]
		i0, i1, j0, j1 = min(i0, n.i), max(i1, n.i), min(j0, n.j), max(j1, n.j)
	}
	i0, j0 = i0-meshRing, j0-meshRing
	g := &meshGrid{w: i1 - i0 + 1 + meshRing, h: j1 - j0 + 1 + meshRing}
	g.at = make([]gray.Point, g.w*g.h)
	g.cols, g.rows = (g.w-1)*meshStep, (g.h-1)*meshStep
	f := filler{grid: g, steps: make([][families]gray.Point, g.w*g.h), known: make([]bool, g.w*g.h), count: make([]int, g.w*g.h)}
	border := make([]int, 0, len(m.nodes))
	for i := range m.nodes {
		n := &m.nodes[i]
		at := (n.j-j0)*g.w + n.i - i0
		g.at[at], f.steps[at], f.known[at] = n.at, n.steps, true
		border = append(border, at)
	}
	for len(border) > 0 {
		border = f.extend(border)
	}
	return g
}

// A filler completes a grid.
type filler struct {
	grid  *meshGrid
	steps [][families]gray.Point
	known []bool
	count []int // expectations that are summed at a node
}

// extend sets the unknown nodes next to those of border, to the mean of what these expect, and
// returns the new ones.
func (f *filler) extend(border []int) (fresh []int) {
	g := f.grid
	for _, from := range border {
		x, y, s := from%g.w, from/g.w, f.steps[from]
		for _, d := range [4][2]int{{1, 0}, {-1, 0}, {0, 1}, {0, -1}} {
			u, v := x+d[0], y+d[1]
			if u < 0 || v < 0 || u >= g.w || v >= g.h || f.known[v*g.w+u] {
				continue
			}
			to := v*g.w + u
			if f.count[to]++; f.count[to] == 1 {
				fresh = append(fresh, to)
			}
			g.at[to] = g.at[to].Add(g.at[from]).Add(s[0].Mul(float64(meshStep * d[0]))).Add(s[1].Mul(float64(meshStep * d[1])))
			for k := range families {
				f.steps[to][k] = f.steps[to][k].Add(s[k])
			}
		}
	}
	for _, to := range fresh {
		n := 1 / float64(f.count[to])
		g.at[to], f.known[to] = g.at[to].Mul(n), true
		for k := range families {
			f.steps[to][k] = f.steps[to][k].Mul(n)
		}
	}
	return fresh
}

// place returns the place in the image of the point (u, v) of the grid, in cells.
func (g *meshGrid) place(u, v float64) gray.Point {
	x, y := u/meshStep, v/meshStep
	i, j := min(max(int(x), 0), g.w-2), min(max(int(y), 0), g.h-2)
	x, y = x-float64(i), y-float64(j)
	at := j*g.w + i
	a, b, c, d := g.at[at], g.at[at+1], g.at[at+g.w], g.at[at+g.w+1]
	return a.Mul((1 - x) * (1 - y)).Add(b.Mul(x * (1 - y))).Add(c.Mul((1 - x) * y)).Add(d.Mul(x * y))
}

// sample fills value and look from img.
func (g *meshGrid) sample(img *gray.Image) {
	g.value, g.look = make([]float64, g.cols*g.rows), make([]float32, g.cols*g.rows)
	var h gray.Histogram
	for v := range g.rows {
		for u := range g.cols {
			var sum float64
			for _, dy := range [3]float64{0.27, 0.5, 0.73} {
				for _, dx := range [3]float64{0.27, 0.5, 0.73} {
					p := g.place(float64(u)+dx, float64(v)+dy)
					sum += img.Bilinear(p.X, p.Y)
				}
			}
			g.value[v*g.cols+u] = sum / 9
			h[byte(sum/9)]++
		}
	}
	half := max(float64(h.Quantile(0.92)-h.Quantile(0.08))*0.4, 4)
	sums := newModuleSums(g.rows, g.cols)
	sums.build(func(i int) (float64, float64) { return g.value[i], 1 })
	for i, v := range g.value {
		g.look[i] = float32(min(max((v-sums.mean(i))/half, -1), 1))
	}
}

// A turnedGrid is one of the eight ways to look at a meshGrid: four turns, and their mirror images.
type turnedGrid struct {
	*meshGrid
	turns  int
	mirror bool
	cols   int // as seen
	rows   int
	// Sums along the rows and down the columns of the lightness, and of the lightness with
	// alternating signs; each row and column begins with a zero.
	across, acrossAlt, down, downAlt []float32
}

// source returns the place in the meshGrid of a point of the turned one, both in cells.
func (t *turnedGrid) source(x, y float64) (u, v float64) {
	w, h := float64(t.meshGrid.cols), float64(t.meshGrid.rows)
	switch t.turns {
	case 0:
		u, v = x, y
	case 1:
		u, v = y, h-x
	case 2:
		u, v = w-x, h-y
	default:
		u, v = w-y, x
	}
	if t.mirror {
		u = w - u
	}
	return u, v
}

// cell returns the index in the meshGrid of a cell of the turned one.
func (t *turnedGrid) cell(col, row int) int {
	u, v := t.source(float64(col)+0.5, float64(row)+0.5)
	return int(v)*t.meshGrid.cols + int(u)
}

func (g *meshGrid) turned(turns int, mirror bool) *turnedGrid {
	t := &turnedGrid{meshGrid: g, turns: turns, mirror: mirror, cols: g.cols, rows: g.rows}
	if turns%2 == 1 {
		t.cols, t.rows = g.rows, g.cols
	}
	n := (t.cols + 1) * (t.rows + 1)
	t.across, t.acrossAlt, t.down, t.downAlt = make([]float32, n), make([]float32, n), make([]float32, n), make([]float32, n)
	for row := range t.rows {
		for col := range t.cols {
			v := g.look[t.cell(col, row)]
			a, d := row*(t.cols+1)+col, col*(t.rows+1)+row
			t.across[a+1], t.down[d+1] = t.across[a]+v, t.down[d]+v
			t.acrossAlt[a+1], t.downAlt[d+1] = t.acrossAlt[a]+v*sign(col), t.downAlt[d]+v*sign(row)
		}
	}
	return t
}

func sign(n int) float32 {
	if n%2 == 0 {
		return 1
	}
	return -1
}

// row returns the sum of the lightness of n cells of a row from col on.
func (t *turnedGrid) row(row, col, n int) float32 {
	at := row*(t.cols+1) + col
	return t.across[at+n] - t.across[at]
}

// column returns the sum of the lightness of n cells of a column from row on.
func (t *turnedGrid) column(col, row, n int) float32 {
	at := col*(t.rows+1) + row
	return t.down[at+n] - t.down[at]
}

// track is row with alternating signs, the first positive.
func (t *turnedGrid) track(row, col, n int) float32 {
	at := row*(t.cols+1) + col
	return (t.acrossAlt[at+n] - t.acrossAlt[at]) * sign(col)
}

// trackDown is column with alternating signs, the first positive.
func (t *turnedGrid) trackDown(col, row, n int) float32 {
	at := col*(t.rows+1) + row
	return (t.downAlt[at+n] - t.downAlt[at]) * sign(row)
}

// quiet returns the lightness of the cells around rows x cols cells at (row, col), and their
// number.
func (t *turnedGrid) quiet(row, col, rows, cols int) (sum float32, n int) {
	if row > 0 {
		sum, n = sum+t.row(row-1, col, cols), n+cols
	}
	if row+rows < t.rows {
		sum, n = sum+t.row(row+rows, col, cols), n+cols
	}
	if col > 0 {
		sum, n = sum+t.column(col-1, row, rows), n+rows
	}
	if col+cols < t.cols {
		sum, n = sum+t.column(col+cols, row, rows), n+rows
	}
	return sum, n
}

// corner reports whether the bars of the finder pattern of a symbol of rows x cols modules at (row,
// col) are somewhat dark: most places end here.
func (t *turnedGrid) corner(row, col, rows, cols int) bool {
	const least = -0.15
	return t.column(col, row, rows) < least*float32(rows) && t.row(row+rows-1, col, cols) < least*float32(cols)
}

// border returns how well the border of a symbol of rows x cols modules fits at (row, col): 1 is
// perfect, 0 is chance.
func (t *turnedGrid) border(row, col, rows, cols int) float64 {
	s := -t.column(col, row, rows) - t.row(row+rows-1, col+1, cols-1)
	s += -t.track(row, col+1, cols-1) * -1
	s += -t.trackDown(col+cols-1, row+1, rows-2)
	q, n := t.quiet(row, col, rows, cols)
	const quiet = 0.4
	return (float64(s) + quiet*float64(q)) / (float64(2*(rows+cols)-4) + quiet*float64(n))
}
