package photo

import (
	"math"

	"tcode/scanner/gray"
)

// A Camera describes the place and the optics of a phone's camera.
type Camera struct {
	Width, Height int
	Focal         float64    // px. A phone's main camera with 26 mm of a 35 mm camera: 0.75 of the width
	Distance      float64    // from the middle of the symbol, mm
	Tilt          float64    // of the optical axis against the page's normal, radians
	Side          float64    // direction to which the camera is tilted, radians
	Roll          float64    // turn around the optical axis, radians
	Aim           gray.Point // place of the symbol's middle in the picture, px from the picture's middle
	K1, K2        float64    // radial distortion of Brown's model, from picture to ray; 1/focal^2 and 1/focal^4
	Vignette      float64    // loss of light in the corners, 0 to 1
}

// A pose is a camera in space.
type pose struct {
	Camera
	from vec
	axes frame // right, down and forward
}

// pose returns the camera in front of the origin.
func (c Camera) pose() *pose {
	sin, cos := math.Sincos(c.Tilt)
	side, ahead := math.Sincos(c.Side)
	forward := vec{sin * ahead, sin * side, cos}
	right := vec{1, 0, 0}.sub(forward.mul(forward.x)).unit()
	down := forward.cross(right)
	rs, rc := math.Sincos(c.Roll)
	p := &pose{Camera: c, axes: frame{right.mul(rc).add(down.mul(rs)), down.mul(rc).sub(right.mul(rs)), forward}}
	aim := p.ray(gray.Point{X: float64(c.Width)/2 + c.Aim.X, Y: float64(c.Height)/2 + c.Aim.Y})
	p.from = p.axes.out(vec{aim.X, aim.Y, 1}).mul(-c.Distance)
	return p
}

// ray returns the direction of the point p of the picture, as right and down for each mm
// forward.
func (p *pose) ray(at gray.Point) gray.Point {
	d := gray.Point{X: at.X - float64(p.Width)/2, Y: at.Y - float64(p.Height)/2}.Mul(1 / p.Focal)
	r2 := d.Dot(d)
	return d.Mul(1 + r2*(p.K1+r2*p.K2))
}

// seen returns the direction to a point in space as [pose.ray] does, and its distance
// along the optical axis, mm.
func (p *pose) seen(at vec) (d gray.Point, depth float64) {
	q := p.axes.in(at.sub(p.from))
	return gray.Point{X: q.x / q.z, Y: q.y / q.z}, q.z
}

// project returns the place of a point in space in the picture, px. Points far outside are
// not distorted.
func (p *pose) project(at vec) gray.Point {
	d, _ := p.seen(at)
	want := d.Len()
	r := want
	// Beyond the corners the polynomial need not rise: points there stay where they are.
	edge := 1.3 * math.Hypot(float64(p.Width), float64(p.Height)) / 2 / p.Focal
	inside := want < edge*(1+edge*edge*(p.K1+edge*edge*p.K2))
	for range 30 { // Newton's method
		if !inside {
			break
		}
		r2 := r * r
		f, slope := r*(1+r2*(p.K1+r2*p.K2))-want, 1+r2*(3*p.K1+5*r2*p.K2)
		r -= f / slope
		if math.Abs(f) < 1e-13 {
			break
		}
	}
	if want > 0 {
		d = d.Mul(r / want)
	}
	return d.Mul(p.Focal).Add(gray.Point{X: float64(p.Width) / 2, Y: float64(p.Height) / 2})
}

// direction returns the unit vector from the camera to a point of the picture.
func (p *pose) direction(at gray.Point) vec {
	d := p.ray(at)
	return p.axes.out(vec{d.X, d.Y, 1}).unit()
}

// shade multiplies the light of the picture by the vignetting: the fall to the corners
// goes with the square of the distance from the middle, as in a lens with a stop.
func (c Camera) shade(m *light) {
	if c.Vignette == 0 {
		return
	}
	w, h := float64(m.w)/2, float64(m.h)/2
	k := c.Vignette / (w*w + h*h)
	for y := range m.h {
		dy := float64(y) + 0.5 - h
		for x, v := range m.row(y) {
			dx := float64(x) + 0.5 - w
			m.row(y)[x] = v * float32(1-k*(dx*dx+dy*dy))
		}
	}
}
