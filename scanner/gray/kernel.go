package gray

import "encoding/binary"

// Halve writes the 2x2 box means of src into dst, which becomes half as wide
// and high, rounded down. dst must not share memory with src.
func Halve(dst, src *Image) {
	dst.Reset(src.Width/2, src.Height/2)
	for y := range dst.Height {
		a := src.Row(2 * y)[:2*dst.Width]
		b := src.Row(2*y + 1)[:2*dst.Width]
		d := dst.Row(y)
		for len(d) >= 16 && len(a) >= 32 && len(b) >= 32 {
			a32, b32, d16 := (*[32]byte)(a), (*[32]byte)(b), (*[16]byte)(d)
			l := binary.LittleEndian
			l.PutUint64(d16[0:], halve8(l.Uint64(a32[0:]), l.Uint64(b32[0:]), l.Uint64(a32[8:]), l.Uint64(b32[8:])))
			l.PutUint64(d16[8:], halve8(l.Uint64(a32[16:]), l.Uint64(b32[16:]), l.Uint64(a32[24:]), l.Uint64(b32[24:])))
			a, b, d = a[32:], b[32:], d[16:]
		}
		for x := range d {
			a2, b2 := a[2*x:2*x+2:2*x+2], b[2*x:2*x+2:2*x+2]
			d[x] = byte((uint(a2[0]) + uint(a2[1]) + uint(b2[0]) + uint(b2[1]) + 2) >> 2)
		}
	}
}

// halve8 returns the means of eight 2x2 boxes: four of the rows a and b, and four of c
// and d, which continue them to the right. It sums the bytes four at a time in 16-bit
// lanes.
func halve8(a, b, c, d uint64) uint64 {
	const two = 0x0002000200020002
	s := (a&evens + a>>8&evens + b&evens + b>>8&evens + two) >> 2 & evens
	t := (c&evens + c>>8&evens + d&evens + d>>8&evens + two) >> 2 & evens
	return squeeze(s) | squeeze(t)<<32
}

// squeeze moves the low bytes of the four 16-bit lanes together.
func squeeze(v uint64) uint64 {
	v = (v | v>>8) & 0x0000ffff0000ffff
	return (v | v>>16) & 0x00000000ffffffff
}

// Enlarge writes src, interpolated and k times as large, into dst. dst must not share
// memory with src.
func Enlarge(dst, src *Image, k int) {
	dst.Reset(src.Width*k, src.Height*k)
	step := 1 / float64(k)
	for y := range dst.Height {
		row := dst.Row(y)
		sy := (float64(y) + 0.5) * step
		for x := range row {
			row[x] = byte(src.Bilinear((float64(x)+0.5)*step, sy) + 0.5)
		}
	}
}

// Smooth writes src blurred by the 3x3 binomial kernel (1 2 1) into dst, repeating the
// border pixels outwards. tmp is scratch memory. dst may not be src.
func Smooth(dst, src *Image, tmp []uint16) []uint16 {
	w, h := src.Width, src.Height
	dst.Reset(w, h)
	if w == 0 || h == 0 {
		return tmp
	}
	if cap(tmp) < w {
		tmp = make([]uint16, w)
	}
	col := tmp[:w]
	for y := range h {
		up, mid, down := src.Row(max(y-1, 0)), src.Row(y), src.Row(min(y+1, h-1))
		for x := range col {
			col[x] = uint16(up[x]) + 2*uint16(mid[x]) + uint16(down[x])
		}
		d := dst.Row(y)
		left := col[0]
		for x := range d {
			right := col[min(x+1, w-1)]
			d[x] = byte((left + 2*col[x] + right + 8) >> 4)
			left = col[x]
		}
	}
	return tmp
}

// Gradient writes the Sobel derivatives of m into dx and dy, row-major without padding, in
// gray levels per 8 px; the outermost pixels get 0. Both slices hold m.Width*m.Height
// values. dx is positive where the image gets lighter to the right.
func Gradient(m *Image, dx, dy []int16) {
	w, h := m.Width, m.Height
	dx, dy = dx[:w*h], dy[:w*h]
	if w < 3 || h < 3 {
		clear(dx)
		clear(dy)
		return
	}
	GradientIn(m, dx, dy, Rect{X1: w, Y1: h})
}

// GradientIn is [Gradient] for the pixels in r alone; it leaves the others as they are. m has 3 x 3 px or more.
func GradientIn(m *Image, dx, dy []int16, r Rect) {
	w, h := m.Width, m.Height
	r = r.Clip(w, h)
	if r.Empty() {
		return
	}
	for y := r.Y0; y < r.Y1; y++ {
		ox, oy := dx[y*w:(y+1)*w], dy[y*w:(y+1)*w]
		if y == 0 || y == h-1 {
			clear(ox[r.X0:r.X1])
			clear(oy[r.X0:r.X1])
			continue
		}
		if r.X0 == 0 {
			ox[0], oy[0] = 0, 0
		}
		if r.X1 == w {
			ox[w-1], oy[w-1] = 0, 0
		}
		x0, x1 := max(r.X0, 1), min(r.X1, w-1)
		if x0 >= x1 {
			continue
		}
		gradientRow(m.Row(y - 1)[x0-1:x1+1], m.Row(y)[x0-1:x1+1], m.Row(y + 1)[x0-1:x1+1], ox[x0:x1], oy[x0:x1])
	}
}

// gradientRow fills ox and oy from the rows above, at and below them, which are two pixels longer.
func gradientRow(a, b, c []byte, ox, oy []int16) {
	n := len(ox)
	oy, a, b, c = oy[:n], a[:n+2], b[:n+2], c[:n+2]
	for x := range ox {
		a0, a1, a2 := int16(a[x]), int16(a[x+1]), int16(a[x+2])
		b0, b2 := int16(b[x]), int16(b[x+2])
		c0, c1, c2 := int16(c[x]), int16(c[x+1]), int16(c[x+2])
		ox[x] = a2 + 2*b2 + c2 - a0 - 2*b0 - c0
		oy[x] = c0 + 2*c1 + c2 - a0 - 2*a1 - a2
	}
}

// A Histogram counts gray levels.
type Histogram [256]int

// Count fills h from every step-th pixel of every step-th row of m.
func (h *Histogram) Count(m *Image, step int) {
	*h = Histogram{}
	for y := 0; y < m.Height; y += step {
		row := m.Row(y)
		for x := 0; x < len(row); x += step {
			h[row[x]]++
		}
	}
}

// Quantile returns the gray level below which the share q of the pixels lies.
func (h *Histogram) Quantile(q float64) int {
	all := 0
	for _, n := range h {
		all += n
	}
	left := int(q * float64(all))
	for v, n := range h {
		if left -= n; left < 0 {
			return v
		}
	}
	return 255
}
