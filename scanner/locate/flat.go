package locate

import (
	"math"

	"tcode/scanner/gray"
)

const (
	// flatWindow is the share of a box's shorter side that [Flatten] uses as the
	// surroundings of a pixel, to either side: three modules of a common symbol that fills
	// the box.
	flatWindow = 1.0 / 12
	// flatFloor is the least deviation in gray levels that is stretched: smaller deviations
	// are noise and no ink.
	flatFloor              = 6
	flatMiddle, flatSpread = 140, 70 // gray levels: the mean, and a deviation from it
)

// Flatten returns the part of img in box, which must lie inside, reduced to 1/shrink,
// where shrink is 1 or 2, with the same mean and the same contrast everywhere: shadow and
// glare make edges weaker in one part of a symbol than in another.
func Flatten(img *gray.Image, box gray.Rect, shrink int) *gray.Image {
	m := img.Crop(box)
	if shrink == 2 {
		var half gray.Image
		gray.Halve(&half, m)
		m = &half
	}
	return flatten(m, max(int(float64(min(m.Width, m.Height))*flatWindow), 3))
}

// flatten gives m the same mean and contrast within r px of every pixel.
func flatten(m *gray.Image, r int) *gray.Image {
	w := m.Width + 1
	// Sums wrap around at 2^32, which differences undo.
	sum, square := make([]uint32, w*(m.Height+1)), make([]uint32, w*(m.Height+1))
	for y := range m.Height {
		var s, q uint32
		for x, v := range m.Row(y) {
			s, q = s+uint32(v), q+uint32(v)*uint32(v)
			at := (y+1)*w + x + 1
			sum[at], square[at] = sum[at-w]+s, square[at-w]+q
		}
	}
	out := gray.New(m.Width, m.Height)
	for y := range m.Height {
		top, bottom := max(y-r, 0)*w, min(y+r+1, m.Height)*w
		rows := (bottom - top) / w
		to := out.Row(y)
		for x, v := range m.Row(y) {
			a, b := max(x-r, 0), min(x+r+1, m.Width)
			n := float64(rows * (b - a))
			mean := float64(sum[bottom+b]-sum[top+b]-sum[bottom+a]+sum[top+a]) / n
			dev := math.Sqrt(max(float64(square[bottom+b]-square[top+b]-square[bottom+a]+square[top+a])/n-mean*mean, flatFloor*flatFloor))
			to[x] = byte(min(max(flatMiddle+flatSpread*(float64(v)-mean)/dev, 0), 255))
		}
	}
	return out
}

// Placed returns the candidate in an image k times as large, of which the candidate's
// image shows the part from (x, y) px on.
func (c Candidate) Placed(k, x, y int) Candidate { return c.scaled(float64(k), x, y) }

// Same reports whether o and c are nearly the same candidate.
func (c *Candidate) Same(o Candidate) bool {
	if o.Size != c.Size {
		return false
	}
	for i, p := range c.Corners {
		if p.Sub(o.Corners[i]).Len() > sameCorner*c.Module() {
			return false
		}
	}
	return true
}
