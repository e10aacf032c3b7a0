package photo

import (
	"math"
	"math/rand/v2"
)

// A Form is a shape of paper.
type Form int

// The forms. All but Crumpled are exact: paper bends, but does not stretch.
const (
	Flat     Form = iota
	Cylinder      // curved with one radius around an axis in the page, such as paper around a bottle
	Cone          // curved with a radius that grows along the axis, such as a held corner
	Wavy          // waves, such as paper that was damp
	Folded        // flat, with a rounded crease across the symbol
	Crumpled      // gentle bumps; a height over a flat page, which stretches by less than 1 %
)

// A Shape describes the bend of a page.
type Shape struct {
	Form   Form
	Angle  float64 // of the axis or crease against the page's lower side, radians
	Radius float64 // Cylinder, Cone: at the symbol, mm; negative: the middle lies deeper than the borders
	Apex   float64 // Cone: distance of its tip from the symbol, mm
	Length float64 // Wavy, Crumpled: of a wave, mm
	Slope  float64 // Wavy, Crumpled: steepest, radians; Folded: angle of the crease
	Phase  float64 // Wavy: at the symbol's middle, radians
	Offset float64 // Folded: of the crease from the symbol's middle, mm
	Round  float64 // Folded: half width of the bend, mm
	Seed   uint64  // Crumpled: the bumps
}

// A surface maps the page's mm to space. It continues beyond the borders of the page.
type surface interface {
	at(u, v float64) vec
}

// mostBend is the largest turn of a curved sheet away from the symbol. Paper that goes on
// beyond it is straight, so it does not meet itself. Radians.
const mostBend = 1.4

// newSurface returns the surface of a page with the middle of its symbol at (u, v). There
// the surface touches the plane z = 0 in the origin and u runs along x.
func (s Shape) newSurface(u, v float64) surface {
	var raw surface
	switch s.Form {
	case Cylinder:
		raw = newProfile(u, v, s.Angle, func(at float64) float64 {
			if math.Abs(at/s.Radius) > mostBend {
				return 0
			}
			return 1 / s.Radius
		})
	case Wavy:
		k := 2 * math.Pi / s.Length
		raw = newProfile(u, v, s.Angle, func(at float64) float64 { return s.Slope * k * math.Cos(k*at+s.Phase) })
	case Folded:
		raw = newProfile(u, v, s.Angle, func(at float64) float64 {
			d := (at - s.Offset) / s.Round
			return s.Slope / (s.Round * math.Sqrt(math.Pi)) * math.Exp(-d*d)
		})
	case Cone:
		raw = newCone(u, v, s)
	case Crumpled:
		raw = newBumps(s)
	default:
		raw = plane{}
	}
	return newPlaced(raw, u, v)
}

type plane struct{}

func (plane) at(u, v float64) vec { return vec{u, v, 0} }

// profileStep is the distance of the kept points of a profile, and profileReach the length
// of paper to each side of the symbol, mm.
const (
	profileStep  = 0.1
	profileReach = 420
)

// A profile is a sheet that bends around parallel lines: its section is a curve that is
// given by its curvature, so the paper keeps its lengths.
type profile struct {
	u, v, cos, sin float64
	x, z, turn     []float64 // of the curve, and its angle, at each step
}

func newProfile(u, v, angle float64, curvature func(at float64) float64) *profile {
	sin, cos := math.Sincos(angle)
	n := int(2*profileReach/profileStep) + 1
	p := &profile{u, v, cos, sin, make([]float64, n), make([]float64, n), make([]float64, n)}
	mid := n / 2
	for _, d := range []int{1, -1} {
		h := profileStep * float64(d)
		for i := mid; i+d >= 0 && i+d < n; i += d {
			at := float64(i-mid) * profileStep
			a, b, c := curvature(at), curvature(at+h/2), curvature(at+h)
			half := p.turn[i] + h/24*(5*a+8*b-c)
			next := p.turn[i] + h/6*(a+4*b+c) // Simpson's rule, for the place too
			p.turn[i+d] = next
			p.x[i+d] = p.x[i] + h/6*(math.Cos(p.turn[i])+4*math.Cos(half)+math.Cos(next))
			p.z[i+d] = p.z[i] + h/6*(math.Sin(p.turn[i])+4*math.Sin(half)+math.Sin(next))
		}
	}
	return p
}

func (p *profile) at(u, v float64) vec {
	du, dv := u-p.u, v-p.v
	s, t := du*p.cos+dv*p.sin, dv*p.cos-du*p.sin
	x, z := p.curve(s)
	return vec{x*p.cos - t*p.sin, x*p.sin + t*p.cos, z}
}

// curve returns the place at the length s along the curve, by a cubic through two kept
// points and along their directions.
func (p *profile) curve(s float64) (x, z float64) {
	f := s/profileStep + float64(len(p.x)/2)
	i := min(max(int(f), 0), len(p.x)-2)
	t := f - float64(i)
	if t < 0 || t > 1 { // beyond the end: straight on
		k := i + int(math.Round(min(max(t, 0), 1)))
		d := (f - float64(k)) * profileStep
		return p.x[k] + d*math.Cos(p.turn[k]), p.z[k] + d*math.Sin(p.turn[k])
	}
	a, b := t*t*(3-2*t), profileStep*t*(1-t)*(1-t)
	c := -profileStep * t * t * (1 - t)
	s0, c0 := math.Sincos(p.turn[i])
	s1, c1 := math.Sincos(p.turn[i+1])
	return p.x[i] + a*(p.x[i+1]-p.x[i]) + b*c0 + c*c1, p.z[i] + a*(p.z[i+1]-p.z[i]) + b*s0 + c*s1
}

// A cone is a sheet rolled around a tip: a sector of the page covers a larger angle around
// the axis.
type cone struct {
	u, v  float64 // tip on the page
	axis  float64 // direction from the tip to the symbol on the page
	sin   float64 // of the half angle, and cos
	cos   float64
	sign  float64
	limit float64 // on the page, radians
}

func newCone(u, v float64, s Shape) *cone {
	half := math.Atan(math.Abs(s.Radius) / s.Apex)
	c := &cone{axis: s.Angle, sin: math.Sin(half), cos: math.Cos(half), sign: math.Copysign(1, s.Radius)}
	c.u, c.v = u-s.Apex*math.Cos(s.Angle), v-s.Apex*math.Sin(s.Angle)
	c.limit = mostBend * c.sin
	return c
}

func (c *cone) at(u, v float64) vec {
	du, dv := u-c.u, v-c.v
	sin, cos := math.Sincos(c.axis)
	along, across := du*cos+dv*sin, dv*cos-du*sin
	rho, phi := math.Hypot(along, across), math.Atan2(across, along)
	rest := phi - min(max(phi, -c.limit), c.limit)
	s, k := math.Sincos((phi - rest) / c.sin)
	// The line on the cone, in the cone's own directions: away from the axis at the symbol,
	// around it, along it. A sheet beyond the limit goes on in the tangent plane.
	rs, rc := math.Sincos(rest)
	up, around, down := rho*rc*c.sin*k, rho*rc*c.sin*s, rho*rc*c.cos
	up, around = up-rho*rs*s, around+rho*rs*k
	// Turn the line through the symbol into the page's plane.
	x, z := up*c.sin+down*c.cos, c.sign*(down*c.sin-up*c.cos)
	return vec{x*cos - around*sin, x*sin + around*cos, z}
}

// A placed surface is another one, moved so that the symbol lies in the origin.
type placed struct {
	of   surface
	from vec
	axes frame
}

func newPlaced(of surface, u, v float64) placed {
	pu, pv := partials(of, u, v)
	x := pu.unit()
	z := x.cross(pv).unit()
	return placed{of, of.at(u, v), frame{x, z.cross(x), z}}
}

func (p placed) at(u, v float64) vec { return p.axes.in(p.of.at(u, v).sub(p.from)) }

// partials returns the derivatives of s along u and v.
func partials(s surface, u, v float64) (pu, pv vec) {
	const h = 1e-3 // mm
	return s.at(u+h, v).sub(s.at(u-h, v)).mul(0.5 / h), s.at(u, v+h).sub(s.at(u, v-h)).mul(0.5 / h)
}

// bumps are a sum of waves of random directions and lengths around the given one.
type bumps struct {
	waves [7]struct{ ku, kv, height, phase float64 }
}

func newBumps(s Shape) *bumps {
	r := rand.New(rand.NewPCG(s.Seed, 0x62756d7073))
	b := &bumps{}
	for i := range b.waves {
		w := &b.waves[i]
		length := s.Length * (0.6 + 1.2*r.Float64())
		sin, cos := math.Sincos(2 * math.Pi * r.Float64())
		k := 2 * math.Pi / length
		w.ku, w.kv, w.phase = k*cos, k*sin, 2*math.Pi*r.Float64()
		w.height = s.Slope / k / math.Sqrt(float64(len(b.waves))/2)
	}
	return b
}

func (b *bumps) at(u, v float64) vec {
	p := vec{u, v, 0}
	for _, w := range b.waves {
		p.z += w.height * math.Sin(w.ku*u+w.kv*v+w.phase)
	}
	return p
}
