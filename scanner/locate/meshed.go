package locate

import (
	"cmp"
	"slices"

	"tcode/scanner/ecc200"
	"tcode/scanner/gray"
)

const (
	seedClear  = 0.3  // clearness of the grid at a point from which a mesh grows
	nodeClear  = 0.18 // the same of a node
	leastNodes = 12   // of a mesh
	meshKept   = 4    // places in a mesh that are returned
	meshLevels = 5    // levels that are searched
	meshTried  = 2    // levels with a grid
	meshFit    = 0.3  // fit of the border of such a place
)

// A Meshed is a candidate whose modules were found one by one, as on paper that is bent.
type Meshed struct {
	Candidate
	Modules Modules // its gray values
}

// Mesh looks for the grid of modules in box of img, follows it wherever it leads, and calls read
// with the places on it whose fixed modules fit, best first, until read returns true. It
// needs neither straight sides nor whole ones.
func (f *Finder) Mesh(img *gray.Image, box gray.Rect, read func(*Meshed) bool) bool {
	box = box.Clip(img.Width, img.Height)
	if box.X1-box.X0 < minComponent || box.Y1-box.Y0 < minStripe {
		return false
	}
	levels := []*gray.Image{img.Crop(box)}
	for {
		last := levels[len(levels)-1]
		if min(last.Width, last.Height) < 2*minComponent || len(levels) == meshLevels {
			break
		}
		var half gray.Image
		gray.Halve(&half, last)
		levels = append(levels, &half)
	}
	// On a finer level, twice as many modules would seem to be there.
	tried := 0
	for n := len(levels) - 1; n >= 0 && tried < meshTried; n-- {
		found := f.meshOn(levels[n])
		if len(found) > 0 {
			tried++
		}
		for i := range found {
			found[i].Candidate = found[i].Candidate.scaled(float64(int(1)<<n), box.X0, box.Y0)
			if read(&found[i]) {
				return true
			}
		}
	}
	return false
}

// meshOn returns the places on the grid of one level.
func (f *Finder) meshOn(img *gray.Image) []Meshed {
	w, h := img.Width, img.Height
	if cap(f.dx) < w*h {
		f.dx, f.dy = make([]int16, w*h), make([]int16, w*h)
	}
	f.dx, f.dy = f.dx[:w*h], f.dy[:w*h]
	gray.Gradient(img, f.dx, f.dy)
	f.acc.directions(f.dx, f.dy, w)
	f.lattice.reset(img, f.dx, f.dy, f.acc.strong)
	var best cell
	for _, at := range [5][2]float64{{0.5, 0.5}, {0.35, 0.35}, {0.65, 0.35}, {0.35, 0.65}, {0.65, 0.65}} {
		c := f.lattice.seed(&f.acc, gray.Point{X: at[0] * float64(w), Y: at[1] * float64(h)})
		if min(c.clear[0], c.clear[1]) > min(best.clear[0], best.clear[1]) {
			best = c
		}
	}
	if min(best.clear[0], best.clear[1]) < seedClear {
		return nil
	}
	m := &f.mesh
	m.lattice = &f.lattice
	m.grow(best, nodeClear)
	if len(m.nodes) < leastNodes {
		return nil
	}
	g := m.complete()
	g.sample(img)
	return g.symbols()
}

// A meshPlace is a place of a symbol on a grid.
type meshPlace struct {
	grid     *turnedGrid
	row, col int
	size     ecc200.Size
	score    float64
}

// symbols returns the places whose fixed modules fit, best first.
func (g *meshGrid) symbols() []Meshed {
	var places []meshPlace
	for k := range 8 {
		t := g.turned(k%4, k >= 4)
		for size := range ecc200.All {
			if size.Rows > t.rows || size.Cols > t.cols {
				continue
			}
			best := meshPlace{grid: t, size: size, score: meshFit}
			for row := 0; row+size.Rows <= t.rows; row++ {
				for col := 0; col+size.Cols <= t.cols; col++ {
					if s := t.border(row, col, size.Rows, size.Cols); s > best.score {
						best.row, best.col, best.score = row, col, s
					}
				}
			}
			if best.score > meshFit {
				places = append(places, best)
			}
		}
	}
	slices.SortStableFunc(places, byConfidence)
	places = places[:min(len(places), 2*meshKept)]
	for i := range places {
		places[i].score = places[i].fixed()
	}
	slices.SortStableFunc(places, byConfidence)
	var out []Meshed
	for i := range places[:min(len(places), meshKept)] {
		out = append(out, places[i].meshed())
	}
	return out
}

func byConfidence(a, b meshPlace) int {
	return cmp.Compare(confidence(b.score, b.size), confidence(a.score, a.size))
}

// fixed returns how well all fixed modules fit, and the quiet zone.
func (p *meshPlace) fixed() float64 {
	const quiet = 0.4
	q, n := p.grid.quiet(p.row, p.col, p.size.Rows, p.size.Cols)
	sum, all := quiet*float64(q), quiet*float64(n)
	for row := range p.size.Rows {
		for col := range p.size.Cols {
			v := float64(p.grid.look[p.grid.cell(p.col+col, p.row+row)])
			switch p.size.Fixed(row, col) {
			case ecc200.Dark:
				sum, all = sum-v, all+1
			case ecc200.Light:
				sum, all = sum+v, all+1
			}
		}
	}
	return sum / all
}

// meshed returns the candidate at p.
func (p *meshPlace) meshed() Meshed {
	z := p.size
	m := Meshed{Candidate{Size: z, Score: p.score}, Modules{z, make([]float64, z.Rows*z.Cols)}}
	for i, c := range [4][2]int{{0, 0}, {z.Cols, 0}, {z.Cols, z.Rows}, {0, z.Rows}} {
		m.Corners[i] = p.grid.place(p.grid.source(float64(p.col+c[0]), float64(p.row+c[1])))
	}
	for row := range z.Rows {
		for col := range z.Cols {
			m.Modules.Value[row*z.Cols+col] = p.grid.value[p.grid.cell(p.col+col, p.row+row)]
		}
	}
	return m
}
