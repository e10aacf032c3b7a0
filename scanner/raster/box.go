package raster

import "math"

// maxPoints is the largest accepted page side in points: 14400 is ISO 32000-1's limit without UserUnit, and values
// far beyond it overflow inside the renderer.
const maxPoints = 1 << 20

// Errors in the size of a page.
var (
	errAbsurd = &Error{Err: ErrTooLarge, Detail: "the page's size is absurd"}
	errNoArea = &Error{Err: ErrDamaged, Detail: "the page has no area"}
)

// box is the visible part of a page, in points, y downwards.
type box struct{ x0, y0, x1, y1 float64 }

// believable reports whether the numbers of b are in the range for calculations.
func (b box) believable() bool {
	for _, v := range []float64{b.x0, b.y0, b.x1, b.y1} {
		if !(math.Abs(v) <= maxPoints) { // NaN too
			return false
		}
	}
	return true
}

// pixels returns the area that b covers at scale px per point, rounded outwards except for a thousandth, as
// MuPDF does.
func (b box) pixels(scale float64) (x0, y0, w, h int) {
	low := func(v float64) int { return int(math.Floor(float64(float32(v*scale)) + 0.001)) }
	high := func(v float64) int { return int(math.Ceil(float64(float32(v*scale)) - 0.001)) }
	x0, y0 = low(b.x0), low(b.y0)
	return x0, y0, high(b.x1) - x0, high(b.y1) - y0
}

// drawing is a request to a [renderer].
type drawing struct {
	scale       float64 // px per point
	x, y, w, h  int     // px at that scale: the part of the page
	colour      bool    // three bytes a pixel instead of one
	annotations bool    // draw annotations and form fields too, as viewers do
}

// bytes returns the bytes of a pixel.
func (d drawing) bytes() int {
	if d.colour {
		return 3
	}
	return 1
}
