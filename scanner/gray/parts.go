package gray

import "math"

// MaxParts bounds the parts of [Split].
const MaxParts = 1024

// Reduction returns the whole number by which [Shrink] must reduce an image of w x h px so that it has at most
// limit px; 1: it has no more.
func Reduction(w, h, limit int) int {
	by := max(1, int(math.Ceil(math.Sqrt(float64(w)*float64(h)/float64(limit)))))
	for Reduced(w, by)*Reduced(h, by) > limit { // one side is already a single pixel
		by++
	}
	return by
}

// Reduced returns the length of a side of n px that is reduced by a whole number.
func Reduced(n, by int) int { return max(1, n/by) }

// Shrink makes dst the image m reduced by a whole number, by means over squares. dst must not share memory with m.
func Shrink(dst, m *Image, by int) {
	w, h := Reduced(m.Width, by), Reduced(m.Height, by)
	dst.Reset(w, h)
	sums := make([]uint32, w)
	for y := range h {
		clear(sums)
		rows := min(by, m.Height)
		for dy := range rows {
			src := m.Row(y*by + dy)
			for x := range sums {
				for _, v := range src[min(x*by, len(src)):min(x*by+by, len(src))] {
					sums[x] += uint32(v)
				}
			}
		}
		n := uint32(rows * min(by, m.Width))
		for x, v := range sums {
			dst.Pix[y*w+x] = byte((v + n/2) / n)
		}
	}
}

// Split covers w x h px with few areas of at most limit px, each overlapping the next one by at least a third, so
// that everything smaller than that lies completely in one of them.
func Split(w, h, limit int) []Rect {
	const fresh = 2.0 / 3
	side := func(n, k int) int { return int(math.Ceil(float64(n) / (1 + float64(k-1)*fresh))) }
	cols, rows, worst := 1, 1, math.Inf(1)
	for c := 1; c <= MaxParts; c++ {
		for r := 1; c*r <= MaxParts; r++ {
			pw, ph := side(w, c), side(h, r)
			// Few parts, and square ones: strips of a large page overlap by less than a symbol.
			bad := float64(c*r) * (2 - float64(min(pw, ph))/float64(max(pw, ph)))
			if pw*ph <= limit && bad < worst {
				cols, rows, worst = c, r, bad
			}
		}
	}
	pw, ph := side(w, cols), side(h, rows)
	var out []Rect
	for r := range rows {
		for c := range cols {
			x, y := (w-pw)*c/max(cols-1, 1), (h-ph)*r/max(rows-1, 1)
			out = append(out, Rect{X0: x, Y0: y, X1: x + pw, Y1: y + ph})
		}
	}
	return out
}
