package gray

// An Image is 8 bits per pixel, row by row from the top, 0 is black.
// Pixel (x, y) is Pix[y*Stride+x]; it covers the square [x, x+1) x [y, y+1),
// so its centre lies at (x+0.5, y+0.5). Images are safe for concurrent reading.
type Image struct {
	Width  int // px
	Height int // px
	Stride int // bytes from one row to the next, at least Width
	Pix    []byte
}

// New returns a black image of w x h px.
func New(w, h int) *Image {
	return &Image{Width: w, Height: h, Stride: w, Pix: make([]byte, w*h)}
}

// Valid reports whether the image's sizes and its memory fit together, so that every
// kernel may index it. An image without pixels is valid.
func (m *Image) Valid() bool {
	if m == nil || m.Width < 0 || m.Height < 0 || m.Stride < m.Width {
		return false
	}
	if m.Width == 0 || m.Height == 0 {
		return true
	}
	return len(m.Pix) >= (m.Height-1)*m.Stride+m.Width
}

// Row returns the pixels of row y; the slice aliases the image.
func (m *Image) Row(y int) []byte {
	return m.Pix[y*m.Stride : y*m.Stride+m.Width : y*m.Stride+m.Width]
}

// At returns the pixel nearest to (x, y) inside the image.
func (m *Image) At(x, y int) byte {
	return m.Pix[min(max(y, 0), m.Height-1)*m.Stride+min(max(x, 0), m.Width-1)]
}

// Crop returns the part of m inside r; it aliases m's pixels.
func (m *Image) Crop(r Rect) *Image {
	r = r.Clip(m.Width, m.Height)
	if r.Empty() {
		return &Image{}
	}
	return &Image{
		Width: r.X1 - r.X0, Height: r.Y1 - r.Y0, Stride: m.Stride,
		Pix: m.Pix[r.Y0*m.Stride+r.X0 : (r.Y1-1)*m.Stride+r.X1],
	}
}

// Reset makes m a w x h image, reusing its memory where it is large enough. It does not
// clear the pixels.
func (m *Image) Reset(w, h int) {
	if cap(m.Pix) < w*h {
		m.Pix = make([]byte, w*h)
	}
	m.Width, m.Height, m.Stride, m.Pix = w, h, w, m.Pix[:w*h]
}

// Fill sets every pixel to v.
func (m *Image) Fill(v byte) {
	for y := range m.Height {
		row := m.Row(y)
		for x := range row {
			row[x] = v
		}
	}
}

// Clone returns a copy that shares no memory with m.
func (m *Image) Clone() *Image {
	c := New(m.Width, m.Height)
	for y := range m.Height {
		copy(c.Row(y), m.Row(y))
	}
	return c
}

// Invert replaces every pixel v by 255-v.
func (m *Image) Invert() {
	for y := range m.Height {
		row := m.Row(y)
		for x, v := range row {
			row[x] = 255 - v
		}
	}
}

// A Rect is the half-open pixel rectangle [X0, X1) x [Y0, Y1).
type Rect struct{ X0, Y0, X1, Y1 int }

// Empty reports whether r holds no pixel.
func (r Rect) Empty() bool { return r.X0 >= r.X1 || r.Y0 >= r.Y1 }

// Clip returns the part of r inside an image of w x h px. A part without pixels lies inside as
// well, at the edge of the image that r is beyond, so its sides may always bound a row.
func (r Rect) Clip(w, h int) Rect { return r.Intersect(Rect{X1: w, Y1: h}) }

// Grow returns r with d px more on each side.
func (r Rect) Grow(d int) Rect { return Rect{r.X0 - d, r.Y0 - d, r.X1 + d, r.Y1 + d} }

// Scale returns r in an image that is k times as large.
func (r Rect) Scale(k int) Rect { return Rect{r.X0 * k, r.Y0 * k, r.X1 * k, r.Y1 * k} }

// Area returns the number of pixels in r.
func (r Rect) Area() int {
	if r.Empty() {
		return 0
	}
	return (r.X1 - r.X0) * (r.Y1 - r.Y0)
}

// Intersect returns the part that r and o share. It lies inside o; if it has no pixels it has
// no width or no height, never a negative one.
func (r Rect) Intersect(o Rect) Rect {
	x0, y0 := min(max(r.X0, o.X0), o.X1), min(max(r.Y0, o.Y0), o.Y1)
	return Rect{x0, y0, max(x0, min(r.X1, o.X1)), max(y0, min(r.Y1, o.Y1))}
}
