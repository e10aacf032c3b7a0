package picturepdf

import (
	"fmt"
	"math"
)

const (
	ptPerMM = 72 / 25.4
	leastMM = 30   // a shorter side by the picture's resolution is not believed
	mostMM  = 2000 // nor is a longer one
)

// a4 is the page on which a picture without a resolution fits, in mm.
var a4 = [2]float64{210, 297}

// size returns the page of s in points, as it is shown.
func (s sheet) size() (width, height float64) {
	w, h := float64(s.width), float64(s.height)
	x, y := s.meta.DPI, s.meta.DPI
	if s.meta.DPIY != 0 {
		y = s.meta.DPIY
	}
	if x > 0 && y > 0 {
		w, h = w/x*25.4, h/y*25.4
	}
	if x <= 0 || y <= 0 || !(min(w, h) >= leastMM && max(w, h) <= mostMM) {
		w, h = float64(s.width), float64(s.height)
		short, long := a4[0], a4[1]
		scale := min(short/min(w, h), long/max(w, h))
		w, h = w*scale, h*scale
	}
	if s.turned() {
		w, h = h, w
	}
	return points(w), points(h)
}

// points returns mm in hundredths of a point, so that equal pages have equal numbers.
func points(mm float64) float64 { return math.Round(mm*ptPerMM*100) / 100 }

// turned reports whether rows of the picture are columns of the page.
func (s sheet) turned() bool { return s.meta.Orientation >= 5 && s.meta.Orientation <= 8 }

// contents draws the picture on all of the page. The unit square of an image has its first row on top; the matrix puts
// that row where the orientation says (TIFF 6.0, tag 274).
func (s sheet) contents() []byte {
	w, h := s.size()
	m := [6]float64{w, 0, 0, h, 0, 0}
	switch s.meta.Orientation {
	case 2:
		m = [6]float64{-w, 0, 0, h, w, 0}
	case 3:
		m = [6]float64{-w, 0, 0, -h, w, h}
	case 4:
		m = [6]float64{w, 0, 0, -h, 0, h}
	case 5:
		m = [6]float64{0, -h, -w, 0, w, h}
	case 6:
		m = [6]float64{0, -h, w, 0, 0, h}
	case 7:
		m = [6]float64{0, h, w, 0, 0, 0}
	case 8:
		m = [6]float64{0, h, -w, 0, w, 0}
	}
	return fmt.Appendf(nil, "q %g %g %g %g %g %g cm /Im0 Do Q", m[0], m[1], m[2], m[3], m[4], m[5])
}
