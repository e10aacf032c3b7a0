package compare

import (
	"bytes"

	"tcode/scanner/gray"
)

const (
	exactStep   = 8 // px: cells of an exact comparison
	exactLevels = 4 // gray levels between two pixels of the same engine that differ
)

// Exact compares two drawings by the same engine: a pair of pixels that is 4 or more gray levels apart differs. Pixels in
// masks do not count. Outside of its own size, an image is white.
func Exact(a, b *gray.Image, masks []gray.Rect) []Box {
	if equal(a, b, masks) {
		return nil
	}
	w, h := max(a.Width, b.Width), max(a.Height, b.Height)
	pa, pb := newPlane(a, w, h, 0, 0), newPlane(b, w, h, 0, 0)
	for _, m := range masks {
		m = m.Clip(w, h)
		for y := m.Y0; y < m.Y1; y++ {
			copy(pb.pix[pb.at(m.X0, y):pb.at(m.X1, y)], pa.pix[pa.at(m.X0, y):])
		}
	}
	g := newGrid(w, h, exactStep)
	for i, differs := range g.unequal(pa, pb, exactLevels) {
		if differs {
			g.score[i] = 1
		}
	}
	return g.boxes(exactStep)
}

// equal reports whether a and b have one size and do not differ outside of masks. That is the usual case, and fast to
// check.
func equal(a, b *gray.Image, masks []gray.Rect) bool {
	if a.Width != b.Width || a.Height != b.Height {
		return false
	}
	for y := range a.Height {
		p, q := a.Row(y)[:a.Width], b.Row(y)[:a.Width]
		if bytes.Equal(p, q) {
			continue
		}
		for x := 0; x < len(p); x++ {
			if d := int(p[x]) - int(q[x]); d < exactLevels && -d < exactLevels {
				continue
			}
			end := masked(masks, x, y)
			if end <= x {
				return false
			}
			x = end - 1
		}
	}
	return true
}

// masked returns the right end of the mask that covers a pixel, or x.
func masked(masks []gray.Rect, x, y int) int {
	for _, m := range masks {
		if x >= m.X0 && x < m.X1 && y >= m.Y0 && y < m.Y1 {
			return m.X1
		}
	}
	return x
}
