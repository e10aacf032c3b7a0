package locate

import (
	"cmp"
	"slices"

	"tcode/scanner/gray"
)

const (
	tile        = 8  // px
	minChanges  = 6  // strong steps a tile needs both ways to be active
	window      = 2  // tiles around a tile that are looked at: 5 x 5
	minActive   = 21 // active ones of those 25
	longSide    = 1400
	shortSide   = 96
	maxBoxes    = 12  // of one level
	noisyLevel  = 0.6 // share of active tiles above which a level tells nothing
	minContrast = 12  // gray levels
)

// tileMap is the texture of one level.
type tileMap struct {
	w, h   int     // tiles
	sum    []int32 // integral of active, with a row and a column of zeros first
	seed   []byte
	cx, cy []int32
	stack  []int32
}

// Boxes returns the parts of img whose texture is that of a Data Matrix: many
// strong steps both ways, everywhere. Symbols with large modules show on a
// coarser level only, so two or three are looked at. The best box comes first.
// Not every symbol has a box: noise hides the texture and small symbols have
// too little of it, see [Finder.Components].
func (f *Finder) Boxes(img *gray.Image) []Box {
	level, scale, turn := img, 1, 0
	halve := func() {
		gray.Halve(&f.levels[turn], level)
		level, scale, turn = &f.levels[turn], scale*2, turn^1
	}
	for min(level.Width, level.Height) > longSide {
		halve()
	}
	var all []Box
	for min(level.Width, level.Height) >= shortSide {
		found := f.tiles.boxes(level)
		for _, b := range found {
			b.Rect = b.Scale(scale).Clip(img.Width, img.Height)
			all = addBox(all, b)
		}
		halve()
	}
	slices.SortStableFunc(all, func(a, b Box) int { return cmp.Compare(b.Score, a.Score) })
	return all
}

// addBox adds b unless a box of nearly the same place is there.
func addBox(all []Box, b Box) []Box {
	for i, o := range all {
		shared := float64(b.Intersect(o.Rect).Area())
		if shared > 0.7*float64(b.Area()) && shared > 0.7*float64(o.Area()) {
			if b.Score > o.Score {
				all[i] = b
			}
			return all
		}
	}
	return append(all, b)
}

// boxes returns the boxes of one level.
func (t *tileMap) boxes(m *gray.Image) []Box {
	var h gray.Histogram
	h.Count(m, 4)
	contrast := h.Quantile(0.98) - h.Quantile(0.01)
	t.mark(m, max(minContrast, contrast/5))
	if active := t.sum[len(t.sum)-1]; float64(active) > noisyLevel*float64(t.w*t.h) && t.w*t.h > 400 {
		return nil
	}
	t.grow()
	var out []Box
	for i, s := range t.seed {
		if s == 1 {
			out = append(out, t.component(i))
		}
	}
	slices.SortFunc(out, func(a, b Box) int { return cmp.Compare(b.Score, a.Score) })
	return out[:min(len(out), maxBoxes)]
}

// mark fills sum with the active tiles.
func (t *tileMap) mark(m *gray.Image, step int) {
	t.w, t.h = m.Width/tile, m.Height/tile
	n := (t.w + 1) * (t.h + 1)
	if cap(t.sum) < n {
		t.sum = make([]int32, n)
		t.seed = make([]byte, n)
	}
	t.sum, t.seed = t.sum[:n], t.seed[:t.w*t.h]
	if cap(t.cx) < t.w {
		t.cx, t.cy = make([]int32, t.w), make([]int32, t.w)
	}
	cx, cy := t.cx[:t.w], t.cy[:t.w]
	clear(t.sum[:t.w+1])
	for ty := range t.h {
		clear(cx)
		clear(cy)
		for y := ty * tile; y < ty*tile+tile; y++ {
			countSteps(m.Row(y), m.Row(min(y+1, m.Height-1)), step, cx, cy)
		}
		above, here := t.sum[ty*(t.w+1):(ty+1)*(t.w+1)], t.sum[(ty+1)*(t.w+1):(ty+2)*(t.w+1)]
		here[0] = 0
		var s int32
		for x := range cx {
			if cx[x] >= minChanges && cy[x] >= minChanges {
				s++
			}
			here[x+1] = above[x+1] + s
		}
	}
}

// countSteps adds the steps of one pixel row to the tiles it crosses. A step is
// counted without a branch: the sign bit of step - |difference|.
func countSteps(row, below []byte, step int, cx, cy []int32) {
	for tx := range cx {
		a := row[tx*tile : tx*tile+tile : tx*tile+tile]
		b := below[tx*tile : tx*tile+tile : tx*tile+tile]
		var nx, ny int
		for i := 0; i < tile-1; i++ {
			v := int(a[i])
			d := int(a[i+1]) - v
			d = (d ^ d>>63) - d>>63
			nx -= (step - d) >> 63
			d = int(b[i]) - v
			d = (d ^ d>>63) - d>>63
			ny -= (step - d) >> 63
		}
		d := int(b[tile-1]) - int(a[tile-1])
		d = (d ^ d>>63) - d>>63
		ny -= (step - d) >> 63
		cx[tx] += int32(nx)
		cy[tx] += int32(ny)
	}
}

// active returns the number of active tiles in r.
func (t *tileMap) active(r gray.Rect) int {
	w := t.w + 1
	return int(t.sum[r.Y1*w+r.X1] - t.sum[r.Y0*w+r.X1] - t.sum[r.Y1*w+r.X0] + t.sum[r.Y0*w+r.X0])
}

// grow marks the tiles whose surroundings are nearly all active.
func (t *tileMap) grow() {
	clear(t.seed)
	for y := window; y < t.h-window; y++ {
		for x := window; x < t.w-window; x++ {
			if t.active(gray.Rect{X0: x - window, Y0: y - window, X1: x + window + 1, Y1: y + window + 1}) >= minActive {
				t.seed[y*t.w+x] = 1
			}
		}
	}
}

// component returns the box around the connected seeds at i, with the tiles
// that made them seeds and one more.
func (t *tileMap) component(i int) Box {
	r := gray.Rect{X0: t.w, Y0: t.h}
	t.stack = append(t.stack[:0], int32(i))
	t.seed[i] = 2
	for len(t.stack) > 0 {
		j := int(t.stack[len(t.stack)-1])
		t.stack = t.stack[:len(t.stack)-1]
		x, y := j%t.w, j/t.w
		r = gray.Rect{X0: min(r.X0, x), Y0: min(r.Y0, y), X1: max(r.X1, x+1), Y1: max(r.Y1, y+1)}
		for v := max(y-1, 0); v <= min(y+1, t.h-1); v++ {
			for u := max(x-1, 0); u <= min(x+1, t.w-1); u++ {
				if t.seed[v*t.w+u] == 1 {
					t.seed[v*t.w+u] = 2
					t.stack = append(t.stack, int32(v*t.w+u))
				}
			}
		}
	}
	r = r.Grow(window+1).Clip(t.w, t.h)
	w, h := float64(r.X1-r.X0), float64(r.Y1-r.Y0)
	aspect := min(w, h) / max(w, h)
	return Box{r.Scale(tile), float64(t.active(r)) / (w * h) * aspect * aspect}
}
