package symbol

import (
	"context"
	"time"

	"tcode/scanner/ecc200"
	"tcode/scanner/gray"
	"tcode/scanner/locate"
)

const (
	// exactFit is the number of the border's modules that must be as in a symbol, of those of the likeliest size. A
	// drawn symbol has all; other images, with 24 sizes and four turns to choose from, stay below 0.8.
	exactFit = 0.9
	// exactModule is the least side of a module, px: below, neighbours cannot be told apart without a search.
	exactModule = 1.5
)

// ReadExact reads a symbol that fills box, as the image of a stamp does: renderers put images on whole pixels. It
// needs a tenth of the time that finding the symbol takes. Nothing is lost when it fails.
func ReadExact(ctx context.Context, img *gray.Image, box gray.Rect) Reading {
	r := reader{ctx: ctx, img: img}
	if c, threshold, ok := exactly(img, box); ok && (r.crisp(&c, threshold) || r.glance(&c)) {
		return Reading{Symbols: r.symbols, Decode: r.decode}
	}
	return Reading{}
}

// crisp keeps the symbol at c if the middles of its modules alone, darker than threshold or not, make one without a
// single error, as those of a drawn symbol do. That is the symbol that a closer look would give.
func (r *reader) crisp(c *locate.Candidate, threshold float64) bool {
	start := time.Now()
	defer func() { r.decode += time.Since(start) }()
	g := ecc200.Grid{Rows: c.Size.Rows, Cols: c.Size.Cols, Dark: make([]bool, c.Size.Rows*c.Size.Cols)}
	m := middles(c)
	for i := range g.Dark {
		g.Dark[i] = m.dark(r.img, i%g.Cols, i/g.Cols, threshold)
	}
	return r.prove(c, g, c.Size.ECC/c.Size.Blocks) == nil
}

// exactly returns the size and turn whose border fits best, and the gray value between dark and light.
func exactly(img *gray.Image, box gray.Rect) (best locate.Candidate, threshold float64, ok bool) {
	low, high := byte(255), byte(0)
	for y := box.Y0; y < box.Y1; y++ {
		for _, v := range img.Row(y)[box.X0:box.X1] {
			low, high = min(low, v), max(high, v)
		}
	}
	if high-low < poorContrast {
		return best, 0, false
	}
	threshold = (float64(low) + float64(high)) / 2
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
			c.Score = borderFit(img, &c, threshold, best.Score)
			if c.Score > best.Score {
				best = c
			}
		}
	}
	return best, threshold, best.Score > exactFit
}

// grid returns the middles of the modules of a square symbol.
type grid struct {
	first, right, down gray.Point // the first one's, and the way to the next column and row
}

func middles(c *locate.Candidate) grid {
	n := 1 / float64(c.Size.Cols)
	right, down := c.Corners[1].Sub(c.Corners[0]).Mul(n), c.Corners[3].Sub(c.Corners[0]).Mul(n)
	return grid{c.Corners[0].Add(right.Mul(0.5)).Add(down.Mul(0.5)), right, down}
}

// dark reports whether img is darker than threshold in the middle of a module.
func (g *grid) dark(img *gray.Image, col, row int, threshold float64) bool {
	x, y := float64(col), float64(row)
	return img.Bilinear(g.first.X+x*g.right.X+y*g.down.X, g.first.Y+x*g.right.Y+y*g.down.Y) < threshold
}

// borderFit is the share of the modules on c's border that are as they must be: finder pattern left and bottom, timing tracks
// on top and right, dark at the top left and light at the top right. When it cannot be more than least it is 0: most sizes
// show that after a few modules.
func borderFit(img *gray.Image, c *locate.Candidate, threshold, least float64) float64 {
	m := middles(c)
	fits, most := 0, 4*c.Size.Cols
	enough := int(least * float64(most))
	is := func(col, row int, dark bool) {
		if m.dark(img, col, row, threshold) == dark {
			fits++
		}
	}
	last := c.Size.Cols - 1
	for i := range c.Size.Cols {
		if left := most - 4*i; fits+left <= enough {
			return 0
		}
		is(0, i, true)
		is(i, last, true)
		is(i, 0, i%2 == 0)
		is(last, i, i%2 == 1)
	}
	return float64(fits) / float64(most)
}
