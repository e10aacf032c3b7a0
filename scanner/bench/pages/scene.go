package pages

import (
	"math"

	"tcode/scanner/gray"
	"tcode/scanner/simulate"
)

// A scene is a page with a symbol and marks on it, in px of the page.
type scene struct {
	page     *gray.Image
	sym      simulate.Symbol // as it lies on the page; no modules: none
	turns    int             // quarter turns clockwise that sym was turned by
	x, y, px float64         // top left of the symbol, module side
	quiet    float64         // modules of white paper around it
	marks    []mark          // on top, in order
}

// A mark is ink, or a hole, on top of a page. cover returns the share of the point p that
// it covers, 0 to 1, and the gray level there.
type mark interface {
	at(p gray.Point) (cover, level float64)
	bounds() (lo, hi gray.Point)
}

// size returns width and height of the symbol as it lies on the page, px.
func (s *scene) size() (w, h float64) {
	return float64(s.sym.Cols) * s.px, float64(s.sym.Rows) * s.px
}

// at returns the gray level at p, a point of the page.
func (s *scene) at(p gray.Point) float64 {
	v := 255.0
	w, h := s.size()
	lx, ly, q := p.X-s.x, p.Y-s.y, s.quiet*s.px
	switch {
	case s.sym.Rows == 0 || lx < -q || ly < -q || lx >= w+q || ly >= h+q:
		v = s.page.Bilinear(p.X, p.Y)
	case lx >= 0 && ly >= 0 && lx < w && ly < h:
		row, col := min(int(ly/s.px), s.sym.Rows-1), min(int(lx/s.px), s.sym.Cols-1)
		if s.sym.Dark[row*s.sym.Cols+col] {
			v = 0
		}
	}
	for _, m := range s.marks {
		if cover, level := m.at(p); cover > 0 {
			v += (level - v) * cover
		}
	}
	return v
}

// near returns the part of the page that a symbol or marks cover.
func (s *scene) near() (lo, hi gray.Point) {
	w, h := s.size()
	q := s.quiet*s.px + 3
	lo, hi = gray.Point{X: s.x - q, Y: s.y - q}, gray.Point{X: s.x + w + q, Y: s.y + h + q}
	for _, m := range s.marks {
		a, b := m.bounds()
		lo = gray.Point{X: min(lo.X, a.X-2), Y: min(lo.Y, a.Y-2)}
		hi = gray.Point{X: max(hi.X, b.X+2), Y: max(hi.Y, b.Y+2)}
	}
	return lo, hi
}

// A view maps a point of the finished image to the page: first bend, if it is set, then
// toPage.
type view struct {
	w, h   int
	toPage gray.Homography
	bend   func(gray.Point) gray.Point // of the finished image onto a flat one
	ground float64                     // gray level around the page
	coarse int                         // samples a side for pixels of the page alone; 0: 1
}

func (v *view) page(p gray.Point) gray.Point {
	if v.bend != nil {
		p = v.bend(p)
	}
	return v.toPage.Map(p)
}

// image returns the place of a point of the page in the finished image.
func (v *view) image(q gray.Point) gray.Point {
	inv, _ := v.toPage.Inverse() // views are made of invertible parts
	flat := inv.Map(q)
	if v.bend == nil {
		return flat
	}
	p := flat
	for range 60 { // converges: bends are gentle, their slope is far below 1
		p = p.Add(flat.Sub(v.bend(p)))
	}
	return p
}

const fine = 6 // samples a side for pixels near the symbol

// render draws the scene as the view shows it.
func (s *scene) render(v *view) *gray.Image {
	out := gray.New(v.w, v.h)
	lo, hi := s.near()
	pw, ph := float64(s.page.Width), float64(s.page.Height)
	for y := range v.h {
		row := out.Row(y)
		for x := range row {
			q := v.page(gray.Point{X: float64(x) + 0.5, Y: float64(y) + 0.5})
			n := max(v.coarse, 1)
			if q.X >= lo.X && q.Y >= lo.Y && q.X < hi.X && q.Y < hi.Y {
				n = fine
			}
			if n == 1 {
				if q.X < 0 || q.Y < 0 || q.X >= pw || q.Y >= ph {
					row[x] = byte(v.ground)
				} else {
					row[x] = byte(s.page.Bilinear(q.X, q.Y) + 0.5)
				}
				continue
			}
			row[x] = byte(s.mean(v, float64(x), float64(y), n) + 0.5)
		}
	}
	return out
}

// mean returns the mean of n x n samples of the pixel whose corner is (x, y).
func (s *scene) mean(v *view, x, y float64, n int) float64 {
	pw, ph := float64(s.page.Width), float64(s.page.Height)
	var sum float64
	for j := range n {
		for i := range n {
			q := v.page(gray.Point{X: x + (float64(i)+0.5)/float64(n), Y: y + (float64(j)+0.5)/float64(n)})
			if q.X < 0 || q.Y < 0 || q.X >= pw || q.Y >= ph {
				sum += v.ground
			} else {
				sum += s.at(q)
			}
		}
	}
	return sum / float64(n*n)
}

// module returns the place in the finished image of the point (row, col) of the symbol, in
// its own modules from its own top left.
func (s *scene) module(v *view, row, col float64) gray.Point {
	rows, cols := float64(s.sym.Rows), float64(s.sym.Cols)
	switch s.turns % 4 { // symbols on pages are square
	case 1:
		row, col = col, cols-row
	case 2:
		row, col = rows-row, cols-col
	case 3:
		row, col = rows-col, row
	}
	return v.image(gray.Point{X: s.x + col*s.px, Y: s.y + row*s.px})
}

// corners returns the outer corners in the finished image, in the symbol's own
// order: top left, top right, bottom right, bottom left.
func (s *scene) corners(v *view) (out [4]gray.Point) {
	n := float64(s.sym.Rows)
	for i, c := range [4][2]float64{{0, 0}, {0, n}, {n, n}, {n, 0}} {
		out[i] = s.module(v, c[0], c[1])
	}
	return out
}

// rotated returns the view of the scene's page turned clockwise by degrees.
func (s *scene) rotated(degrees float64) *view {
	m, w, h := simulate.Rotation(s.page, degrees, 1)
	return &view{w: w, h: h, toPage: m, ground: 255}
}

// scaled returns the affine map that scales by kx and ky.
func scaled(kx, ky float64) gray.Homography {
	return gray.Homography{kx, 0, 0, 0, ky, 0, 0, 0, 1}
}

// wave is the sine of x in whole waves.
func wave(x float64) float64 { return math.Sin(2 * math.Pi * x) }
