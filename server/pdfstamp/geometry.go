package pdfstamp

import (
	"errors"

	"tcode/offline/geometry"
)

// Reasons why a placement does not fit a file.
var (
	errTooManyPages = errors.New("too many pages")
	errNoSuchPage   = errors.New("the placement names no page of the file")
	errNoRoom       = errors.New("the stamp does not fit the page")
	errNoTextRoom   = errors.New("the caption does not fit the page")
	errPlacement    = errors.New("the placement is not valid")
	errUnclear      = errors.New("viewers do not agree on the resources of the page")
	errPageSize     = errors.New("no scanner reads a page of that size")
)

// A matrix maps (x, y) to (a*x+c*y+e, b*x+d*y+f), as in a PDF.
type matrix [6]float64

// then returns the matrix that does m first and n after it.
func (m matrix) then(n matrix) matrix {
	return matrix{
		m[0]*n[0] + m[1]*n[2], m[0]*n[1] + m[1]*n[3],
		m[2]*n[0] + m[3]*n[2], m[2]*n[1] + m[3]*n[3],
		m[4]*n[0] + m[5]*n[2] + n[4], m[4]*n[1] + m[5]*n[3] + n[5],
	}
}

// inverse returns the matrix that undoes m, which must not be flat.
func (m matrix) inverse() matrix {
	d := m[0]*m[3] - m[1]*m[2]
	return matrix{
		m[3] / d, -m[1] / d, -m[2] / d, m[0] / d,
		(m[2]*m[5] - m[3]*m[4]) / d, (m[1]*m[4] - m[0]*m[5]) / d,
	}
}

// rect returns the rectangle around r after m, which turns by quarters only.
func (m matrix) rect(r rect) rect {
	x0, y0 := m[0]*r.left+m[2]*r.bottom+m[4], m[1]*r.left+m[3]*r.bottom+m[5]
	x1, y1 := m[0]*r.right+m[2]*r.top+m[4], m[1]*r.right+m[3]*r.top+m[5]
	return rect{min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)}
}

// Limits of a page that a scanner draws: package tcode/scanner/raster refuses a page
// of more than 60 million pixels at 72 dpi, two at its edges counted, and one with a
// side of more than 1<<20 pt. This package may not import it; TestPageBoxes in
// cmd/tests/gateway compares the limits.
const (
	maxPixels = 60_000_000
	maxPoints = 1 << 20
)

// readable reports whether a scanner with its default limits draws p. Viewers do
// not agree on UserUnit and on a CropBox beyond the MediaBox, so that all sizes
// must be in bounds.
func (p *page) readable() bool {
	k := max(1, p.userUnit)
	for _, r := range []rect{p.visible, p.drawn} {
		for _, v := range []float64{r.left, r.bottom, r.right, r.top} {
			if !(v >= -maxPoints && v <= maxPoints) {
				return false
			}
		}
		if w, h := r.width()*k, r.height()*k; w > maxPoints || h > maxPoints || (w+2)*(h+2) > maxPixels {
			return false
		}
	}
	return true
}

// mmPerUnit is the size of a unit of p's user space.
func (p *page) mmPerUnit() float64 { return 25.4 / 72 * p.userUnit }

// sizeMM returns the size of p as it is shown.
func (p *page) sizeMM() geometry.Size {
	z := geometry.Size{Width: p.visible.width() * p.mmPerUnit(), Height: p.visible.height() * p.mmPerUnit()}
	return z.Turned(p.rotate)
}

// fromMM maps mm from the bottom left of p as it is shown, y up, to its user
// space.
func (p *page) fromMM() matrix {
	k := 1 / p.mmPerUnit()
	return matrix{k, 0, 0, k, 0, 0}.then(p.shown())
}

// onPage returns where r of p's user space is shown.
func (p *page) onPage(r rect) geometry.Rect { return fromTop(p.sizeMM(), p.fromMM().inverse().rect(r)) }

// fromTop turns a rectangle whose y runs up from z's bottom into one from its
// top left.
func fromTop(z geometry.Size, r rect) geometry.Rect {
	return geometry.Rect{X: r.left, Y: z.Height - r.top, Width: r.width(), Height: r.height()}
}

// turn rotates a box of size z with its corner at the origin clockwise by
// degrees, and moves it back to the origin.
func turn(z geometry.Size, degrees int) matrix {
	switch (degrees%360 + 360) % 360 {
	case 90:
		return matrix{0, -1, 1, 0, 0, z.Width}
	case 180:
		return matrix{-1, 0, 0, -1, z.Width, z.Height}
	case 270:
		return matrix{0, 1, -1, 0, z.Height, 0}
	}
	return matrix{1, 0, 0, 1, 0, 0}
}

// shown maps the page as it is shown (origin bottom left, y up) to its user
// space: a viewer turns the page clockwise by /Rotate, this turns back.
func (p *page) shown() matrix {
	v := p.visible
	switch p.rotate {
	case 90: // right as shown is up on the page, up as shown is left
		return matrix{0, 1, -1, 0, v.right, v.bottom}
	case 180:
		return matrix{-1, 0, 0, -1, v.right, v.top}
	case 270:
		return matrix{0, -1, 1, 0, v.left, v.top}
	}
	return matrix{1, 0, 0, 1, v.left, v.bottom}
}
