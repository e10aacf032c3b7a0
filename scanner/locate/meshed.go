package locate

import (
	"cmp"
	"slices"

	"tcode/scanner/ecc200"
	"tcode/scanner/gray"
)

const (
	leastNodes  = 64   // of a mesh
	meshSame    = 1.35 // factor by which its distances may differ there
	meshSizes   = 5    // sizes at which a box is searched, each half the next
	meshEnlarge = 260  // px, a box up to which it is enlarged, too
	// levelLow and levelHigh are the px of a module between which a size is searched.
	levelLow, levelHigh = 1.7, 16
	meshTried           = 2    // sizes at which there is a grid
	meshKept            = 4    // places in a mesh that are returned
	meshFit             = 0.3  // fit of the border of such a place
	meshAgain           = 0.4  // fit from which there is something like a symbol: closer looks follow
	gridScore           = 0.01 // the same for a grid without one
	cellCost            = 200  // pixels that cost as much as looking for all sizes at a cell of a mesh
)

// A Meshed is a candidate whose modules were found one by one, as on paper that is bent.
type Meshed struct {
	Candidate
	Modules Modules // its gray values
}

// Mesh looks for the grid of modules in box of img, follows it wherever it leads, and calls read
// with the places on it whose fixed modules fit, best first, until read returns true. It
// needs neither straight sides nor whole ones. left is the number of pixels that it may look
// at, again and again; Mesh subtracts those that it did. With blurred, Mesh looks again after it
// undid some blur. modules is about the number of modules along the shorter side, as the changes in box tell; 0: unknown.
func (f *Finder) Mesh(img *gray.Image, box gray.Rect, modules float64, blurred bool, left *int, read func(*Meshed) bool) bool {
	f.lattice.left, f.lattice.stop = *left, f.Stop
	f.mesh.refuted = false
	defer func() { *left = f.lattice.left }()
	box = box.Clip(img.Width, img.Height)
	if box.X1-box.X0 < minComponent || box.Y1-box.Y0 < minStripe {
		return false
	}
	levels := meshLevels(img.Crop(box), modules)
	for _, look := range [2]meshLook{plainMesh, sharpMesh} {
		if look.sharp && !blurred {
			return false
		}
		tried, best := 0, 0.0
		for i := 0; i < len(levels) && tried < meshTried && !f.lattice.over(); i++ {
			score, ok := f.meshOn(&levels[i], look, func(m *Meshed) bool {
				m.Candidate = m.Candidate.scaled(levels[i].scale, box.X0, box.Y0)
				return read(m)
			})
			if ok {
				return true
			}
			if score > 0 {
				tried++
			}
			best = max(best, score)
		}
		if tried > 0 && best < meshAgain {
			f.mesh.refuted = true
			return false // the grid is clear, and no symbol
		}
	}
	return false
}

// A meshLevel is the image at another size.
type meshLevel struct {
	*gray.Image
	scale float64 // px of the box for one of the level
}

// meshLevels returns the sizes at which img is searched, the smallest first: at a larger size,
// twice as many modules may seem to be there. It leaves out sizes at which modules have too few or too many pixels for a
// lattice, whatever their number is: it is known to a factor of two.
func meshLevels(img *gray.Image, modules float64) []meshLevel {
	var levels []meshLevel
	add := func(m *gray.Image, scale float64) {
		if px := float64(min(m.Width, m.Height)) / modules; modules == 0 || px >= levelLow && px <= levelHigh {
			levels = append(levels, meshLevel{m, scale})
		}
	}
	if max(img.Width, img.Height) <= meshEnlarge {
		var twice gray.Image
		gray.Enlarge(&twice, img, 2)
		add(&twice, 0.5)
	}
	add(img, 1)
	scale := 1.0
	for n := 1; n < meshSizes && min(img.Width, img.Height) >= 4*minComponent; n++ {
		var half gray.Image
		gray.Halve(&half, img)
		img, scale = &half, 2*scale
		add(img, scale)
	}
	slices.Reverse(levels)
	return levels
}

// A meshLook says how clear the grid must be.
type meshLook struct {
	sharp      bool    // undo some blur first
	alike      int     // places, of five, at which the grid must be the same
	seed, node float64 // clearness at a point from which a mesh grows, and of a node
}

var (
	plainMesh = meshLook{alike: 2, seed: 0.3, node: 0.18}
	sharpMesh = meshLook{sharp: true, alike: 2, seed: 0.22, node: 0.14}
)

// meshOn is Mesh for one level. score is the fit of the best place, above 0 if there is a grid at all.
func (f *Finder) meshOn(on *meshLevel, look meshLook, read func(*Meshed) bool) (score float64, ok bool) {
	rel := f.relief(on.Image, look.sharp)
	f.lattice.reset(on.Image, f.dx, f.dy, f.acc.strong)
	best, alike := f.clearest(rel, look)
	if best.clearness() < look.seed || alike < look.alike {
		return 0, false
	}
	rel.all()
	m := &f.mesh
	m.lattice = &f.lattice
	for _, sigma := range [2]float64{latticeSigma, bentSigma} {
		f.lattice.sigma = sigma
		m.grow(best, look.node)
		if len(m.nodes) < leastNodes {
			return score, false
		}
		score = max(score, gridScore)
		for pass := range 2 {
			if pass > 0 {
				m.refine()
			}
			g := m.complete()
			f.lattice.left -= cellCost * g.cols * g.rows
			g.sample(on.Image)
			if f.lattice.over() {
				return score, false
			}
			found := g.symbols()
			for i := range found {
				score = max(score, found[i].Score)
				if read(&found[i]) {
					return 1, true
				}
			}
			if score < meshAgain || f.lattice.over() {
				return score, false
			}
		}
	}
	return score, false
}

// clearest returns the clearest grid at some places of an image, and at how many of them
// the grid has about its distances: a symbol has one grid, text and tables have many.
func (f *Finder) clearest(rel *relief, look meshLook) (best cell, alike int) {
	w, h := float64(rel.src.Width), float64(rel.src.Height)
	var cells [5]cell
	for i, at := range [len(cells)][2]float64{{0.5, 0.5}, {0.35, 0.35}, {0.65, 0.65}, {0.65, 0.35}, {0.35, 0.65}} {
		if i == 2 && best.clearness() < look.node || f.lattice.over() {
			return best, 0
		}
		cells[i] = f.lattice.start(&f.acc, rel, gray.Point{X: at[0] * w, Y: at[1] * h})
		if cells[i].clearness() > best.clearness() {
			best = cells[i]
		}
	}
	if best.clearness() < overtoneShare*look.seed {
		return best, 0
	}
	best = cell{}
	for i := range cells {
		if cells[i].clearness() >= look.node && !f.lattice.over() {
			f.lattice.fundamental(rel, &cells[i])
		}
		if cells[i].clearness() > best.clearness() {
			best = cells[i]
		}
	}
	for i := range cells {
		if cells[i].clearness() >= look.node && cells[i].alike(&best) {
			alike++
		}
	}
	return best, alike
}

// alike reports whether the lines of c are about as far apart as those of o.
func (c *cell) alike(o *cell) bool {
	same := func(a, b gray.Point) bool {
		u, v := a.Len(), b.Len()
		return u < meshSame*v && v < meshSame*u
	}
	return same(c.k[0], o.k[0]) && same(c.k[1], o.k[1]) || same(c.k[0], o.k[1]) && same(c.k[1], o.k[0])
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
					if !t.corner(row, col, size.Rows, size.Cols) {
						continue
					}
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

// Refuted reports whether the last [Finder.Mesh] found a clear grid that is no symbol.
func (f *Finder) Refuted() bool { return f.mesh.refuted }
