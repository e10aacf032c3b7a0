package scanner

import (
	"context"

	"tcode/scanner/ecc200"
	"tcode/scanner/gray"
	"tcode/scanner/locate"
)

const (
	// exactFit is how many of the border's modules must be as they are in a symbol, of those of the likeliest size. A
	// drawn symbol has all; other images, with 24 sizes and four turns to choose from, stay below 0.8.
	exactFit = 0.9
	// exactModule is the least side of a module, px: below, neighbours cannot be told apart without a search.
	exactModule = 1.5
)

// readExact reads a symbol that fills box, as the image of a stamp does: renderers put images on whole pixels. It
// needs a tenth of the time that finding the symbol takes. Nothing is lost when it fails.
func readExact(ctx context.Context, img *gray.Image, box gray.Rect) Reading {
	r := reader{ctx: ctx, img: img}
	if c, ok := exactly(img, box); ok && r.glance(&c) {
		return Reading{Symbols: r.symbols, Decode: r.decode}
	}
	return Reading{}
}

// exactly returns the size and turn whose border fits best.
func exactly(img *gray.Image, box gray.Rect) (best locate.Candidate, ok bool) {
	low, high := byte(255), byte(0)
	for y := box.Y0; y < box.Y1; y++ {
		for _, v := range img.Row(y)[box.X0:box.X1] {
			low, high = min(low, v), max(high, v)
		}
	}
	if high-low < poorContrast {
		return best, false
	}
	threshold := (float64(low) + float64(high)) / 2
	x0, y0, x1, y1 := float64(box.X0), float64(box.Y0), float64(box.X1), float64(box.Y1)
	corners := [4]gray.Point{{X: x0, Y: y0}, {X: x1, Y: y0}, {X: x1, Y: y1}, {X: x0, Y: y1}}
	best.Score = exactFit
	for _, size := range ecc200.Sizes() {
		if !size.Square() || min(x1-x0, y1-y0) < exactModule*float64(size.Cols) {
			continue
		}
		for turn := range corners {
			c := locate.Candidate{Size: size}
			for i := range c.Corners {
				c.Corners[i] = corners[(i+turn)%4]
			}
			c.Score = borderFit(img, &c, threshold)
			if c.Score > best.Score {
				best = c
			}
		}
	}
	return best, best.Score > exactFit
}

// borderFit is the share of the modules on c's border that are as they must be: solid left and bottom, alternating on
// top and right, dark at the top left and light at the top right.
func borderFit(img *gray.Image, c *locate.Candidate, threshold float64) float64 {
	n := float64(c.Size.Cols)
	origin, right, down := c.Corners[0], c.Corners[1].Sub(c.Corners[0]), c.Corners[3].Sub(c.Corners[0])
	fits := 0
	is := func(col, row int, dark bool) {
		p := origin.Add(right.Mul((float64(col) + 0.5) / n)).Add(down.Mul((float64(row) + 0.5) / n))
		if img.Bilinear(p.X, p.Y) < threshold == dark {
			fits++
		}
	}
	last := c.Size.Cols - 1
	for i := range c.Size.Cols {
		is(0, i, true)
		is(i, last, true)
		is(i, 0, i%2 == 0)
		is(last, i, i%2 == 1)
	}
	return float64(fits) / float64(4*c.Size.Cols)
}
