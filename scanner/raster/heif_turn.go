package raster

import (
	"encoding/binary"

	"tcode/scanner/gray"
)

// changed returns m as the properties of s change it for display, in their order (ISO/IEC 23008-12, 6.5.9 to 6.5.12).
func (s still) changed(m *gray.Image) (*gray.Image, error) {
	for _, c := range s.changes {
		switch {
		case c.kind == "clap":
			r, ok := cropOf(c.data, m.Width, m.Height)
			if !ok {
				return nil, &Error{Err: ErrDamaged, Detail: "its crop does not lie on the image"}
			}
			m = m.Crop(r).Clone()
		case len(c.data) < 1:
			return nil, errBadBoxes
		case c.kind == "irot": // quarters, anticlockwise
			m = orient(m, []int{1, 8, 3, 6}[c.data[0]&3])
		case c.kind == "imir": // 0: top and bottom change places, 1: left and right
			m = orient(m, []int{4, 2}[c.data[0]&1])
		}
	}
	return m, nil
}

// cropOf returns the part of an image of w x h px that a clean aperture shows. Its numbers are fractions: the width, the
// height, and the distances of its centre from that of the image.
func cropOf(data []byte, w, h int) (r gray.Rect, ok bool) {
	if len(data) < 32 {
		return gray.Rect{}, false
	}
	fraction := func(n int) (int64, int64) {
		return int64(int32(binary.BigEndian.Uint32(data[8*n:]))), int64(int32(binary.BigEndian.Uint32(data[8*n+4:])))
	}
	side := func(size, off, whole int) (from, to int, ok bool) {
		n, d := fraction(size)
		on, od := fraction(off)
		if d <= 0 || od <= 0 || n <= 0 || n%d != 0 || n/d > int64(whole) {
			return 0, 0, false
		}
		length := n / d
		// The first pixel is at (whole - length)/2 + on/od.
		twice := (int64(whole)-length)*od + 2*on
		if twice < 0 || twice/(2*od)+length > int64(whole) {
			return 0, 0, false
		}
		from = int(twice / (2 * od))
		return from, from + int(length), true
	}
	x0, x1, okX := side(0, 2, w)
	y0, y1, okY := side(1, 3, h)
	return gray.Rect{X0: x0, Y0: y0, X1: x1, Y1: y1}, okX && okY
}
