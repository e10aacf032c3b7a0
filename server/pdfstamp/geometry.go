package pdfstamp

import (
	"errors"
	"math"
)

// Reasons why a placement does not fit a file.
var (
	errTooManyPages = errors.New("too many pages")
	errNoSuchPage   = errors.New("the placement names no page of the file")
	errNoRoom       = errors.New("the stamp does not fit the page")
	errPlacement    = errors.New("the placement is not valid")
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

// A box is where a symbol lies on one page.
type box struct {
	m         matrix  // module units, origin at the box's bottom left as shown, to user space
	sideUnits float64 // of the box, in modules: symbol, quiet zone, padding
	edge      float64 // from the box to the symbol, in modules
	moduleMM  float64
	xMM, yMM  float64 // of the box's top left corner, from the top left of the page as shown
	squeezed  bool    // margins were given up to fit a small page
}

// area returns the box in user space.
func (b box) area() rect {
	x, y, n := b.m[4], b.m[5], b.sideUnits
	dx, dy := n*(b.m[0]+b.m[2]), n*(b.m[1]+b.m[3])
	return rect{min(x, x+dx), min(y, y+dy), max(x, x+dx), max(y, y+dy)}
}

// layout places a symbol of side modules on p.
func (pl Placement) layout(p *page, side int) (box, error) {
	size := pl.SizeMM
	if size == 0 {
		size = max(minSymbolMM, minModuleMM*float64(side))
	}
	quiet := pl.QuietModules
	if quiet == 0 {
		quiet = defaultQuiet
	}
	if !(size > 0 && size <= 1000 && quiet > 0 && quiet <= 20 && pl.PaddingMM >= 0 && pl.PaddingMM <= 100) || pl.Rotation%90 != 0 {
		return box{}, errPlacement
	}
	unit := 72 / 25.4 / p.userUnit // user space units a mm
	width, height := p.visible.width(), p.visible.height()
	if p.rotate%180 != 0 {
		width, height = height, width
	}
	module := size / float64(side)
	boxMM := size + 2*(quiet*module+pl.PaddingMM)
	frame := pl.frame(width/unit, height/unit)
	if bound := frame.square(); bound > 0 && (pl.SizeMM == 0 || boxMM > bound) {
		boxMM = min(bound, width/unit, height/unit) // all of the box follows, so that the quiet zone keeps its modules
		module = (boxMM - 2*pl.PaddingMM) / (float64(side) + 2*quiet)
	}
	if !(module > 0) {
		return box{}, errPlacement
	}
	s := boxMM * unit
	if s > width || s > height {
		return box{}, errNoRoom
	}
	x, y, squeezed := pl.corner(width, height, s, unit, frame)
	b := box{sideUnits: boxMM / module, edge: quiet + pl.PaddingMM/module, moduleMM: module, xMM: x / unit, yMM: y / unit, squeezed: squeezed}
	k := module * unit
	b.m = matrix{k, 0, 0, k, 0, 0}.then(turn(pl.Rotation, s)).then(matrix{1, 0, 0, 1, x, height - y - s}).then(p.shown())
	return b, nil
}

// frame returns what bounds the box on a page of that size, all in mm; 0 is no
// bound. A frame designed for a larger page is cut to this one.
func (pl Placement) frame(width, height float64) Size {
	of := Size{width, height}
	if pl.DesignedMM != nil {
		of = *pl.DesignedMM
	}
	return Size{min(pl.MaxWNorm*of.Width, width), min(pl.MaxHNorm*of.Height, height)}
}

// square returns the side of the largest square within z, where 0 is no bound.
func (z Size) square() float64 {
	if z.Width > 0 && z.Height > 0 {
		return min(z.Width, z.Height)
	}
	return max(z.Width, z.Height, 0)
}

// corner returns the box's top left corner on the page as shown, in user space
// units from its top left. A box that would leave the page is moved back onto
// it: a symbol that is cut cannot be read.
func (pl Placement) corner(width, height, s, unit float64, frame Size) (x, y float64, squeezed bool) {
	// The area that is anchored: the box itself, or what bounds it, the box in
	// its middle.
	w, h := max(s, frame.Width*unit), max(s, frame.Height*unit)
	fx, fy := pl.Anchor.fractions()
	if pl.At != nil {
		x, y = pl.At.X*width-fx*w, pl.At.Y*height-fy*h
	} else {
		m := Margins{defaultMarginMM, defaultMarginMM, defaultMarginMM, defaultMarginMM}
		if pl.MarginsMM != nil {
			m = *pl.MarginsMM
		}
		x = m.Left*unit + fx*(width-w-(m.Left+m.Right)*unit)
		y = m.Top*unit + fy*(height-h-(m.Top+m.Bottom)*unit)
	}
	x, y = x+(w-s)/2, y+(h-s)/2
	cx, cy := min(max(x, 0), width-s), min(max(y, 0), height-s)
	return cx, cy, math.Abs(cx-x) > 0.01 || math.Abs(cy-y) > 0.01
}

// fractions returns where c lies on a box, from its top left, in [0,1].
func (c Corner) fractions() (x, y float64) {
	switch c {
	case TopLeft:
		return 0, 0
	case Top:
		return 0.5, 0
	case TopRight:
		return 1, 0
	case Left:
		return 0, 0.5
	case Center:
		return 0.5, 0.5
	case Right:
		return 1, 0.5
	case BottomLeft:
		return 0, 1
	case Bottom:
		return 0.5, 1
	}
	return 1, 1
}

// turn rotates a square of side s with its corner at the origin in place,
// clockwise by degrees.
func turn(degrees int, s float64) matrix {
	switch (degrees%360 + 360) % 360 {
	case 90:
		return matrix{0, -1, 1, 0, 0, s}
	case 180:
		return matrix{-1, 0, 0, -1, s, s}
	case 270:
		return matrix{0, 1, -1, 0, s, 0}
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
