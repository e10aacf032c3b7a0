package simulate

import (
	"math"

	"tcode/scanner/gray"
)

// A Symbol is the input of [Draw]: Rows x Cols modules, row-major, true is dark.
type Symbol struct {
	Rows, Cols int
	Dark       []bool
}

// A Place is the place of a symbol on a page.
type Place struct {
	X, Y     float64 // top left corner of the symbol as it lies, without quiet zone, px
	ModulePx float64 // module side, px
	Turns    int     // quarter turns clockwise
	Quiet    float64 // modules of paper drawn around it, over everything there
}

// Turned returns s after quarter turns clockwise.
func (s Symbol) Turned(turns int) Symbol {
	for range ((turns % 4) + 4) % 4 {
		t := Symbol{s.Cols, s.Rows, make([]bool, len(s.Dark))}
		for r := range t.Rows {
			for c := range t.Cols {
				t.Dark[r*t.Cols+c] = s.Dark[(s.Rows-1-c)*s.Cols+r]
			}
		}
		s = t
	}
	return s
}

// Draw paints s with its quiet zone onto page. Pixels that lie partly under a module get
// their share of ink, as from a renderer with anti-aliasing.
func Draw(page *gray.Image, s Symbol, at Place, ink, paper byte) {
	t := s.Turned(at.Turns)
	q := at.Quiet * at.ModulePx
	w, h := float64(t.Cols)*at.ModulePx, float64(t.Rows)*at.ModulePx
	r := gray.Rect{
		X0: int(math.Floor(at.X - q)), Y0: int(math.Floor(at.Y - q)),
		X1: int(math.Ceil(at.X + w + q)), Y1: int(math.Ceil(at.Y + h + q)),
	}.Clip(page.Width, page.Height)
	for y := r.Y0; y < r.Y1; y++ {
		row := page.Row(y)
		for x := r.X0; x < r.X1; x++ {
			fx, fy := float64(x), float64(y)
			under := overlap(fx, at.X-q, at.X+w+q) * overlap(fy, at.Y-q, at.Y+h+q)
			dark := t.covered(fx-at.X, fy-at.Y, at.ModulePx)
			v := float64(row[x])*(1-under) + float64(paper)*(under-dark) + float64(ink)*dark
			row[x] = byte(min(max(v+0.5, 0), 255))
		}
	}
}

// overlap returns the length of [x, x+1] that lies in [lo, hi].
func overlap(x, lo, hi float64) float64 { return max(0, min(x+1, hi)-max(x, lo)) }

// covered returns the share, under dark modules, of the pixel whose corner is (x, y) from
// the symbol's corner.
func (s Symbol) covered(x, y, px float64) float64 {
	var sum float64
	for r := max(0, int(math.Floor(y/px))); r < s.Rows && float64(r)*px < y+1; r++ {
		dy := overlap(y, float64(r)*px, float64(r+1)*px)
		for c := max(0, int(math.Floor(x/px))); c < s.Cols && float64(c)*px < x+1; c++ {
			if s.Dark[r*s.Cols+c] {
				sum += dy * overlap(x, float64(c)*px, float64(c+1)*px)
			}
		}
	}
	return sum
}
