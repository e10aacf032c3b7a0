package photo

import "math"

// A vec is a point or direction in space, mm: x and y along the flat page, right and down,
// and z into it, away from the camera.
type vec struct{ x, y, z float64 }

func (a vec) add(b vec) vec     { return vec{a.x + b.x, a.y + b.y, a.z + b.z} }
func (a vec) sub(b vec) vec     { return vec{a.x - b.x, a.y - b.y, a.z - b.z} }
func (a vec) mul(k float64) vec { return vec{a.x * k, a.y * k, a.z * k} }
func (a vec) dot(b vec) float64 { return a.x*b.x + a.y*b.y + a.z*b.z }
func (a vec) length() float64   { return math.Sqrt(a.dot(a)) }
func (a vec) unit() vec         { return a.mul(1 / a.length()) }
func (a vec) cross(b vec) vec {
	return vec{a.y*b.z - a.z*b.y, a.z*b.x - a.x*b.z, a.x*b.y - a.y*b.x}
}

// A frame is a right-handed set of unit vectors.
type frame struct{ x, y, z vec }

// in returns the coordinates of a along the vectors of f.
func (f frame) in(a vec) vec { return vec{a.dot(f.x), a.dot(f.y), a.dot(f.z)} }

// out returns the vector with the coordinates a in f.
func (f frame) out(a vec) vec { return f.x.mul(a.x).add(f.y.mul(a.y)).add(f.z.mul(a.z)) }

// smooth rises from 0 at lo to 1 at hi with even slopes at both.
func smooth(lo, hi, x float64) float64 {
	t := min(max((x-lo)/(hi-lo), 0), 1)
	return t * t * (3 - 2*t)
}
