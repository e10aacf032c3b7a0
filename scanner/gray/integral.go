package gray

// An Integral computes sums over boxes of an image in constant time. Its zero value is
// empty; Build fills it and reuses its memory.
type Integral struct {
	Width, Height int
	// sum begins with a row and a column of zeros. Sums wrap around at 2^32, and their
	// differences are right for every box below 2^24 px.
	sum []uint32
}

// Build computes the sums of m.
func (t *Integral) Build(m *Image) {
	w, h := m.Width, m.Height
	n := (w + 1) * (h + 1)
	if cap(t.sum) < n {
		t.sum = make([]uint32, n)
	}
	t.Width, t.Height, t.sum = w, h, t.sum[:n]
	clear(t.sum[:w+1])
	for y := range h {
		above := t.sum[y*(w+1) : (y+1)*(w+1)]
		here := t.sum[(y+1)*(w+1) : (y+2)*(w+1)]
		here[0] = 0
		var s uint32
		for x, v := range m.Row(y) {
			s += uint32(v)
			here[x+1] = above[x+1] + s
		}
	}
}

// Trim releases the memory if it is enough for more than limit px.
func (t *Integral) Trim(limit int) {
	if cap(t.sum) > limit {
		*t = Integral{}
	}
}

// Sum returns the sum of the pixels in r, which must lie inside the image.
func (t *Integral) Sum(r Rect) uint32 {
	w := t.Width + 1
	return t.sum[r.Y1*w+r.X1] - t.sum[r.Y0*w+r.X1] - t.sum[r.Y1*w+r.X0] + t.sum[r.Y0*w+r.X0]
}

// Mean returns the mean of the pixels in r, which is clipped to the image, or 255 if the
// rest is empty.
func (t *Integral) Mean(r Rect) float64 {
	r = r.Clip(t.Width, t.Height)
	if r.Empty() {
		return 255
	}
	return float64(t.Sum(r)) / float64(r.Area())
}

// Threshold writes into dst 1 for every pixel of m that is darker than the mean of the box
// of side 2*radius+1 around it by more than margin gray levels, else 0. The Integral must
// have been built from m. dst holds m.Width*m.Height values, row-major.
func (t *Integral) Threshold(m *Image, dst []byte, radius, margin int) {
	w := t.Width + 1
	for y := range m.Height {
		y0, y1 := max(y-radius, 0), min(y+radius+1, m.Height)
		top, bottom := t.sum[y0*w:(y0+1)*w], t.sum[y1*w:(y1+1)*w]
		row := m.Row(y)
		out := dst[y*m.Width : (y+1)*m.Width]
		for x, v := range row {
			x0, x1 := max(x-radius, 0), min(x+radius+1, m.Width)
			sum := bottom[x1] - top[x1] - bottom[x0] + top[x0]
			area := (x1 - x0) * (y1 - y0)
			out[x] = 0
			if (int(v)+margin)*area < int(sum) {
				out[x] = 1
			}
		}
	}
}
