package photo

import (
	"math"

	"tcode/scanner/gray"
)

// Distances of the points for which rays are followed exactly, px, and of the points of the
// mesh that finds the first of several parts of the page that a ray meets, mm.
const (
	cell     = 4
	meshStep = 1.0
)

// A hit is the point of the page that a ray from the camera meets.
type hit struct {
	u, v  float64 // mm on the page
	depth float64 // 0: the ray meets no page
}

// A scene is a page of a size in mm in front of a camera.
type scene struct {
	page          surface
	width, height float64
	camera        *pose
	cols, rows    int // of the grid of hits
	hits          []hit
}

// look follows the rays of a grid over the picture.
func look(page surface, width, height float64, camera *pose) *scene {
	s := &scene{page: page, width: width, height: height, camera: camera}
	s.cols, s.rows = camera.Width/cell+1, camera.Height/cell+1
	s.hits = make([]hit, s.cols*s.rows)
	s.mesh()
	for j := range s.rows {
		for i := range s.cols {
			h := &s.hits[j*s.cols+i]
			if h.depth == 0 {
				continue
			}
			at := gray.Point{X: float64(i * cell), Y: float64(j * cell)}
			if exact, ok := s.follow(at, *h); ok {
				*h = exact
			}
		}
	}
	return s
}

// mesh fills the grid with the nearest parts of a mesh of the page.
func (s *scene) mesh() {
	nu, nv := int(math.Ceil(s.width/meshStep))+1, int(math.Ceil(s.height/meshStep))+1
	corner := make([]meshPoint, nu*nv)
	for j := range nv {
		for i := range nu {
			m := meshPoint{u: min(float64(i)*meshStep, s.width), v: min(float64(j)*meshStep, s.height)}
			p := s.page.at(m.u, m.v)
			if _, m.depth = s.camera.seen(p); m.depth > 1 {
				m.at = s.camera.project(p)
			}
			corner[j*nu+i] = m
		}
	}
	for j := range nv - 1 {
		for i := range nu - 1 {
			a, b, c, d := corner[j*nu+i], corner[j*nu+i+1], corner[j*nu+nu+i], corner[j*nu+nu+i+1]
			s.triangle(a, b, d)
			s.triangle(a, d, c)
		}
	}
}

type meshPoint struct {
	u, v, depth float64
	at          gray.Point
}

// triangle puts the points of the grid that a triangle of the page covers into the grid,
// where nothing nearer is.
func (s *scene) triangle(a, b, c meshPoint) {
	if min(a.depth, b.depth, c.depth) <= 1 {
		return
	}
	area := b.at.Sub(a.at).Cross(c.at.Sub(a.at))
	if area == 0 {
		return
	}
	lowX, highX := min(a.at.X, b.at.X, c.at.X), max(a.at.X, b.at.X, c.at.X)
	lowY, highY := min(a.at.Y, b.at.Y, c.at.Y), max(a.at.Y, b.at.Y, c.at.Y)
	if highX < 0 || highY < 0 || lowX > float64(s.camera.Width) || lowY > float64(s.camera.Height) {
		return
	}
	const slack = -1e-9
	for j := max(0, int(math.Ceil(lowY/cell))); j <= min(s.rows-1, int(highY/cell)); j++ {
		for i := max(0, int(math.Ceil(lowX/cell))); i <= min(s.cols-1, int(highX/cell)); i++ {
			p := gray.Point{X: float64(i * cell), Y: float64(j * cell)}
			kb := p.Sub(a.at).Cross(c.at.Sub(a.at)) / area
			kc := b.at.Sub(a.at).Cross(p.Sub(a.at)) / area
			ka := 1 - kb - kc
			if ka < slack || kb < slack || kc < slack {
				continue
			}
			depth := ka*a.depth + kb*b.depth + kc*c.depth
			if h := &s.hits[j*s.cols+i]; h.depth == 0 || depth < h.depth {
				*h = hit{ka*a.u + kb*b.u + kc*c.u, ka*a.v + kb*b.v + kc*c.v, depth}
			}
		}
	}
}

// follow finds the point of the page, or of its continuation, that the ray of the picture's
// point at meets, by Newton's method from a point near it. It reports whether it found one.
func (s *scene) follow(at gray.Point, near hit) (hit, bool) {
	want := s.camera.ray(at)
	h := near
	const far = 4 // mm, more than a step of the mesh and a cell
	for range 12 {
		d, depth := s.camera.seen(s.page.at(h.u, h.v))
		off := want.Sub(d)
		h.depth = depth
		if off.Dot(off)*s.camera.Focal*s.camera.Focal < 1e-8 { // 1e-4 px
			return h, depth > 1 && math.Hypot(h.u-near.u, h.v-near.v) < far+cell*depth/s.camera.Focal
		}
		const step = 1e-3 // mm
		du, _ := s.camera.seen(s.page.at(h.u+step, h.v))
		dv, _ := s.camera.seen(s.page.at(h.u, h.v+step))
		du, dv = du.Sub(d).Mul(1/step), dv.Sub(d).Mul(1/step)
		det := du.Cross(dv)
		if det == 0 {
			return h, false
		}
		h.u += min(max(off.Cross(dv)/det, -2), 2)
		h.v += min(max(du.Cross(off)/det, -2), 2)
	}
	return h, false
}

// even reports whether the picture shows one smooth part of the page in the cell with the
// upper left grid point (i, j), so that the points between are the means of its corners,
// and whether it shows any page at all.
func (s *scene) even(i, j int) (even, any bool) {
	q := [4]*hit{&s.hits[j*s.cols+i], &s.hits[j*s.cols+i+1], &s.hits[(j+1)*s.cols+i], &s.hits[(j+1)*s.cols+i+1]}
	seen := 0
	for _, h := range q {
		if h.depth > 0 {
			seen++
		}
	}
	if seen < 4 {
		return false, seen > 0
	}
	// The mean of the corners must lie in the middle of the cell.
	u, v := (q[0].u+q[1].u+q[2].u+q[3].u)/4, (q[0].v+q[1].v+q[2].v+q[3].v)/4
	middle := gray.Point{X: (float64(i) + 0.5) * cell, Y: (float64(j) + 0.5) * cell}
	off := s.camera.project(s.page.at(u, v)).Sub(middle)
	return off.Dot(off) < 0.05*0.05, true
}

// at returns the point of the page at a point of the picture in the uneven cell (i, j): the
// nearest of those that start from the corners of the cell.
func (s *scene) at(p gray.Point, i, j int) (best hit) {
	for _, k := range [4]int{j*s.cols + i, j*s.cols + i + 1, (j+1)*s.cols + i, (j+1)*s.cols + i + 1} {
		if s.hits[k].depth == 0 {
			continue
		}
		h, ok := s.follow(p, s.hits[k])
		if !ok || h.u < 0 || h.v < 0 || h.u > s.width || h.v > s.height {
			continue
		}
		if best.depth == 0 || h.depth < best.depth {
			best = h
		}
	}
	return best
}

// bounds returns the part of the page that the picture shows, mm.
func (s *scene) bounds() (u0, v0, u1, v1 float64) {
	u0, v0, u1, v1 = s.width, s.height, 0, 0
	for _, h := range s.hits {
		if h.depth > 0 {
			u0, v0, u1, v1 = min(u0, h.u), min(v0, h.v), max(u1, h.u), max(v1, h.v)
		}
	}
	return u0, v0, u1, v1
}
