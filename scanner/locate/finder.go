package locate

import (
	"tcode/scanner/ecc200"
	"tcode/scanner/gray"
)

// A Finder holds the memory that searching needs, to be used again for the next
// page. It is not safe for concurrent use; its zero value is ready.
type Finder struct {
	levels [2]gray.Image // halved page, by turns
	tiles  tileMap
	crop   [2]gray.Image // halved box, by turns
	dx, dy []int16
	mean   gray.Integral
	acc    houghMap
}

// A Box is a part of the image that may hold a symbol.
type Box struct {
	gray.Rect         // px
	Score     float64 // how much it looks like one, for the order only
}

// A Candidate is a symbol that may be there.
type Candidate struct {
	Size ecc200.Size
	// Corners are the outer corners in px of the image, in the symbol's own
	// order: top left, top right, bottom right, bottom left. The solid sides
	// are left and bottom.
	Corners [4]gray.Point
	// Score says how well the fixed modules fit, 1 perfect, 0 by chance.
	Score float64
}

// Module returns the mean side of a module in px.
func (c *Candidate) Module() float64 {
	q := c.Corners
	w := q[1].Sub(q[0]).Len() + q[2].Sub(q[3]).Len()
	h := q[3].Sub(q[0]).Len() + q[2].Sub(q[1]).Len()
	return (w/float64(c.Size.Cols) + h/float64(c.Size.Rows)) / 4
}

// Contains reports whether p lies inside the candidate's corners.
func (c *Candidate) Contains(p gray.Point) bool {
	side := 0
	for i, a := range c.Corners {
		if c.Corners[(i+1)%4].Sub(a).Cross(p.Sub(a)) > 0 {
			side++
		}
	}
	return side == 0 || side == 4
}

// Center returns the mean of the corners.
func (c *Candidate) Center() gray.Point {
	q := c.Corners
	return q[0].Add(q[1]).Add(q[2]).Add(q[3]).Mul(0.25)
}

// scaled returns the candidate in an image k times as large, moved by (x, y) px.
func (c Candidate) scaled(k float64, x, y int) Candidate {
	for i, p := range c.Corners {
		c.Corners[i] = gray.Point{X: p.X*k + float64(x), Y: p.Y*k + float64(y)}
	}
	return c
}

// maxSearchSide bounds the side of the image that lines are looked for in, px:
// angles half a degree apart must not miss a side by more than two pixels, and
// the largest symbol must keep its modules apart.
const maxSearchSide = 440

// Search returns the candidates in box, best first, at most max of them.
func (f *Finder) Search(img *gray.Image, box gray.Rect, most int) []Candidate {
	box = box.Clip(img.Width, img.Height)
	if box.X1-box.X0 < 8 || box.Y1-box.Y0 < 8 {
		return nil
	}
	work := img.Crop(box)
	scale := 1.0
	for turn := 0; max(work.Width, work.Height) > maxSearchSide; turn ^= 1 {
		gray.Halve(&f.crop[turn], work)
		work = &f.crop[turn]
		scale *= 2
	}
	found := f.search(work, most)
	for i := range found {
		found[i] = found[i].scaled(scale, box.X0, box.Y0)
	}
	return found
}
