package raster

import (
	"fmt"

	"tcode/offline/host/sandbox"
	"tcode/scanner/gray"
)

// A Square is a picture on a page that could be a stamp, by its size and shape.
type Square struct {
	Box    gray.Rect // of the picture, px of the page
	Around gray.Rect // the same with its surroundings: room for a quiet zone
	Image  *gray.Image
}

// Limits of a possible stamp. The sizes come from the existing placements, with a margin on both sides.
const (
	maxSquares    = 4    // of a page
	minSquareMM   = 4.0  // a side
	maxSquareMM   = 80.0 // a side
	squareAspect  = 1.5  // of the sides at most: a rotated square has a square box too
	squareMargin  = 0.2  // of a side, on each side
	minSquarePx   = 16   // a side: a smaller picture holds no readable symbol
	squarePadding = 8    // px around it, at least
	mmPerInch     = 25.4
)

// squares returns the pictures that could be stamps on a page of w x h px at dpi, without their pixels. Parent
// and child both call it, so that the list need not be sent.
func squares(pictures []gray.Rect, w, h int, dpi float64) (found []Square) {
	for _, box := range pictures {
		pw, ph := box.X1-box.X0, box.Y1-box.Y0
		side := float64(max(pw, ph))
		mm := side / saneDPI(dpi) * mmPerInch
		if min(pw, ph) < minSquarePx || side > squareAspect*float64(min(pw, ph)) || !(mm >= minSquareMM && mm <= maxSquareMM) {
			continue
		}
		if len(found) == maxSquares {
			break
		}
		found = append(found, Square{Box: box, Around: box.Grow(max(squarePadding, int(squareMargin*side))).Clip(w, h)})
	}
	return found
}

// Squares returns the pictures on the page that could be stamps: a few of p.Pictures with the right size and
// shape, each with its pixels.
func (p Page) Squares() []Square {
	if p.Image == nil {
		return p.squares
	}
	found := squares(p.Pictures, p.Image.Width, p.Image.Height, p.DPI)
	for i := range found {
		found[i].Image = p.Image.Crop(found[i].Around)
	}
	return found
}

// Pixels returns the number of pixels that were sent.
func (p Page) Pixels() int {
	if p.Image == nil {
		return squareBytes(p.squares)
	}
	return p.Image.Width * p.Image.Height
}

// squareBytes returns the size of the pixels of all of them.
func squareBytes(list []Square) (n int) {
	for _, s := range list {
		n += s.Around.Area()
	}
	return n
}

// cutSquares returns the pixels of the squares on m, one after the other. It returns nil if there are none or if all
// of m is no larger.
func cutSquares(m *gray.Image, h header) []byte {
	found := squares(h.pictures, m.Width, m.Height, h.dpi)
	n := squareBytes(found)
	if n == 0 || n >= m.Width*m.Height {
		return nil
	}
	pix := make([]byte, 0, n)
	for _, s := range found {
		part := m.Crop(s.Around)
		for y := range part.Height {
			pix = append(pix, part.Row(y)...)
		}
	}
	return pix
}

// takeSquares is the reverse of cutSquares: it returns the squares on a page of header h with their pixels.
func takeSquares(h header, pix []byte) ([]Square, error) {
	found := squares(h.pictures, h.width, h.height, h.dpi)
	if n := squareBytes(found); n == 0 || n != len(pix) {
		return nil, fmt.Errorf("pixels of squares: %w", sandbox.ErrProtocol)
	}
	for i := range found {
		w, n := found[i].Around.X1-found[i].Around.X0, found[i].Around.Area()
		found[i].Image = &gray.Image{Width: w, Height: n / w, Stride: w, Pix: pix[:n:n]}
		pix = pix[n:]
	}
	return found, nil
}
