package photo

import (
	"math"
)

// A Lamp describes the light on the page.
type Lamp struct {
	Place   [3]float64 // of the lamp from the symbol's middle, mm; z is negative, on the camera's side
	Ambient float64    // share of the light at the symbol that comes from everywhere, 0 to 1
	Gloss   float64    // brightness of the lamp's mirror image, 1 for white; 0: matt paper
	Sharp   float64    // exponent of Phong's model for it: 30 satin, 400 glossy
	Phone   *Phone     // casts a shadow; nil: it is out of the way
}

// A Phone is the outline of a phone around its camera, in the plane of the camera, mm, and
// the size of the lamp, which makes the shadow's edge soft.
type Phone struct {
	Left, Top, Right, Bottom float64 // of the camera's axis; left and top negative
	LampRadius               float64
}

// lit returns the light on the page at (u, v) as a factor of its reflectance, and the light
// that it mirrors.
func (l *Lamp) lit(page surface, camera *pose, u, v float64) (diffuse, mirrored float64) {
	p := page.at(u, v)
	pu, pv := partials(page, u, v)
	normal := pv.cross(pu).unit() // towards the camera
	lamp := vec{l.Place[0], l.Place[1], l.Place[2]}
	to := lamp.sub(p)
	d := to.length()
	to = to.mul(1 / d)
	full := lamp.length()
	// Lambert's law, and the square of the distance.
	direct := max(0, normal.dot(to)) * full * full / (d * d) / max(0.2, -lamp.z/full)
	share := 1.0
	if l.Phone != nil {
		share = 1 - l.Phone.hides(camera, p, lamp)
	}
	// The sky above a page of normal -z is whole; a slanted page sees less of it.
	sky := 0.7 - 0.3*normal.z
	diffuse = l.Ambient*sky*(0.6+0.4*share) + (1-l.Ambient)*direct*share
	if l.Gloss > 0 {
		eye := camera.from.sub(p).unit()
		half := eye.add(to).unit()
		if k := normal.dot(half); k > 0 {
			mirrored = l.Gloss * share * math.Pow(k, l.Sharp)
		}
	}
	return diffuse, mirrored
}

// hides returns the share of the lamp that the phone hides from a point.
func (f *Phone) hides(camera *pose, p, lamp vec) float64 {
	a, b := camera.axes.in(p.sub(camera.from)), camera.axes.in(lamp.sub(camera.from))
	if a.z <= 0 || b.z >= 0 {
		return 0 // both on one side of the phone
	}
	k := a.z / (a.z - b.z) // of the way to the lamp
	x, y := a.x+k*(b.x-a.x), a.y+k*(b.y-a.y)
	soft := max(f.LampRadius*k, 0.1) // the lamp's disc as it appears in the phone's plane
	inside := func(lo, hi, at float64) float64 {
		return smooth(lo-soft, lo+soft, at) * (1 - smooth(hi-soft, hi+soft, at))
	}
	return inside(f.Left, f.Right, x) * inside(f.Top, f.Bottom, y)
}

// mirror returns the place of a lamp at the distance from the point (u, v) of a page whose
// mirror image the camera sees there, for [Lamp.Place].
func (s *Settings) mirror(page surface, u, v, distance float64) [3]float64 {
	camera := s.Camera.pose()
	p := page.at(u, v)
	pu, pv := partials(page, u, v)
	normal := pv.cross(pu).unit()
	eye := camera.from.sub(p).unit()
	to := normal.mul(2 * normal.dot(eye)).sub(eye)
	at := p.add(to.mul(distance))
	return [3]float64{at.x, at.y, at.z}
}

// behind returns the place of a lamp whose shadow of the phone's outline falls on the
// point (u, v) of the page: (x, y) is the place of the shadow's caster in the plane of the
// phone, and times the lamp's distance as a multiple of that of the phone.
func (s *Settings) behind(page surface, u, v, x, y, times float64) [3]float64 {
	camera := s.Camera.pose()
	p := page.at(u, v)
	edge := camera.from.add(camera.axes.x.mul(x)).add(camera.axes.y.mul(y))
	at := p.add(edge.sub(p).mul(times))
	return [3]float64{at.x, at.y, at.z}
}
