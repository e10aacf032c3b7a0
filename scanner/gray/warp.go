package gray

import "math"

// A Point is a place in an image in px; (0, 0) is the outer corner of the first
// pixel, whose centre is (0.5, 0.5).
type Point struct{ X, Y float64 }

// Sub returns p - q.
func (p Point) Sub(q Point) Point { return Point{p.X - q.X, p.Y - q.Y} }

// Add returns p + q.
func (p Point) Add(q Point) Point { return Point{p.X + q.X, p.Y + q.Y} }

// Mul returns p times k.
func (p Point) Mul(k float64) Point { return Point{p.X * k, p.Y * k} }

// Dot returns the scalar product.
func (p Point) Dot(q Point) float64 { return p.X*q.X + p.Y*q.Y }

// Cross returns the z component of the vector product: positive when q lies clockwise of p
// on the screen (y down).
func (p Point) Cross(q Point) float64 { return p.X*q.Y - p.Y*q.X }

// Len returns the distance from the origin.
func (p Point) Len() float64 { return math.Hypot(p.X, p.Y) }

// Bilinear returns the gray value at (x, y) px, interpolated between the four nearest
// pixel centres; outside the image it repeats the border.
func (m *Image) Bilinear(x, y float64) float64 {
	x, y = x-0.5, y-0.5
	if x < 0 || y < 0 || x >= float64(m.Width-1) || y >= float64(m.Height-1) {
		return m.bilinearBorder(x, y)
	}
	ix, iy := int(x), int(y)
	fx, fy := x-float64(ix), y-float64(iy)
	i := iy*m.Stride + ix
	a, b := m.Pix[i:i+2:i+2], m.Pix[i+m.Stride:i+m.Stride+2:i+m.Stride+2]
	top := float64(a[0]) + fx*(float64(a[1])-float64(a[0]))
	bottom := float64(b[0]) + fx*(float64(b[1])-float64(b[0]))
	return top + fy*(bottom-top)
}

func (m *Image) bilinearBorder(x, y float64) float64 {
	if m.Width == 0 || m.Height == 0 || math.IsNaN(x) || math.IsNaN(y) {
		return 255
	}
	x = min(max(x, 0), float64(m.Width-1))
	y = min(max(y, 0), float64(m.Height-1))
	ix, iy := int(x), int(y)
	fx, fy := x-float64(ix), y-float64(iy)
	a, b := float64(m.At(ix, iy)), float64(m.At(ix+1, iy))
	c, d := float64(m.At(ix, iy+1)), float64(m.At(ix+1, iy+1))
	return (a*(1-fx)+b*fx)*(1-fy) + (c*(1-fx)+d*fx)*fy
}

// A Homography maps one plane to another: (x, y, 1) times the 3x3 matrix,
// row-major, divided by its third component.
type Homography [9]float64

// Identity maps every point to itself.
func Identity() Homography { return Homography{1, 0, 0, 0, 1, 0, 0, 0, 1} }

// Map returns the image of p.
func (h *Homography) Map(p Point) Point {
	w := 1 / (h[6]*p.X + h[7]*p.Y + h[8])
	return Point{(h[0]*p.X + h[1]*p.Y + h[2]) * w, (h[3]*p.X + h[4]*p.Y + h[5]) * w}
}

// Mul returns the map that applies g first, then h.
func (h Homography) Mul(g Homography) Homography {
	var r Homography
	for i := range 3 {
		for j := range 3 {
			for k := range 3 {
				r[i*3+j] += h[i*3+k] * g[k*3+j]
			}
		}
	}
	return r
}

// Inverse returns the inverse map; ok is false for a map that loses a dimension.
func (h Homography) Inverse() (inv Homography, ok bool) {
	a, b, c, d, e, f, g, k, i := h[0], h[1], h[2], h[3], h[4], h[5], h[6], h[7], h[8]
	det := a*(e*i-f*k) - b*(d*i-f*g) + c*(d*k-e*g)
	if det == 0 || math.IsNaN(det) || math.IsInf(det, 0) {
		return Homography{}, false
	}
	return Homography{
		(e*i - f*k) / det, (c*k - b*i) / det, (b*f - c*e) / det,
		(f*g - d*i) / det, (a*i - c*g) / det, (c*d - a*f) / det,
		(d*k - e*g) / det, (b*g - a*k) / det, (a*e - b*d) / det,
	}, true
}

// ToQuad returns the map from the rectangle (0,0), (w,0), (w,h), (0,h) to the
// four points in that order; ok is false when three of them lie on a line.
func ToQuad(w, h float64, q [4]Point) (m Homography, ok bool) {
	d1, d2 := q[1].Sub(q[2]), q[3].Sub(q[2])
	d3 := q[0].Sub(q[1]).Add(q[2]).Sub(q[3])
	den := d1.Cross(d2)
	if math.Abs(den) < 1e-9 || math.IsNaN(den) {
		return Homography{}, false
	}
	g := d3.Cross(d2) / den
	k := d1.Cross(d3) / den
	return Homography{
		(q[1].X - q[0].X + g*q[1].X) / w, (q[3].X - q[0].X + k*q[3].X) / h, q[0].X,
		(q[1].Y - q[0].Y + g*q[1].Y) / w, (q[3].Y - q[0].Y + k*q[3].Y) / h, q[0].Y,
		g / w, k / h, 1,
	}, true
}
