package locate

import (
	"cmp"
	"slices"

	"tcode/scanner/gray"
)

const (
	tile       = gray.Tile
	minChanges = 6  // changes that an active tile has in each direction
	window     = 2  // tiles around a tile that are counted: 5 x 5
	minActive  = 21 // active ones of those 25
	longSide   = 1700
	shortSide  = 96
	maxBoxes   = 12  // of one level
	noisyLevel = 0.6 // share of active tiles above which a level is of no use
)

// tileMap is the texture of one level.
type tileMap struct {
	w, h         int     // tiles
	sum          []int32 // integral of active, with a row and a column of zeros first
	seed         []byte
	right, below []uint64
	stack        []int32
}

// Boxes returns the parts of img whose texture is that of a Data Matrix: many changes
// between dark and light in both directions, everywhere. Symbols with large modules show
// on a coarser level only, so Boxes searches all levels except the finest of a large
// image. The best box comes first. Not every symbol has a box: noise hides the texture and
// small symbols have too little of it; see [Finder.Components].
func (f *Finder) Boxes(img *gray.Image) []Box {
	f.pages.reset(img)
	var all []Box
	for n := 0; ; n++ {
		level := f.pages.level(n)
		switch short := min(level.Width, level.Height); {
		case short < shortSide:
			slices.SortStableFunc(all, func(a, b Box) int { return cmp.Compare(b.Score, a.Score) })
			return all
		case short > longSide:
			continue
		}
		for _, b := range f.tiles.boxes(f.pages.ink(n)) {
			b.Rect = b.Scale(1<<n).Clip(img.Width, img.Height)
			all = addBox(all, b)
		}
	}
}

// addBox adds b unless all has a box at nearly the same place.
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
func (t *tileMap) boxes(b *gray.Bits) []Box {
	t.mark(b)
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
	slices.SortStableFunc(out, func(a, b Box) int { return cmp.Compare(b.Score, a.Score) })
	return out[:min(len(out), maxBoxes)]
}

// mark fills sum with the active tiles.
func (t *tileMap) mark(b *gray.Bits) {
	t.w, t.h = b.Width/tile, b.Height/tile
	n, words := (t.w+1)*(t.h+1), b.Words*t.h
	if cap(t.sum) < n {
		t.sum, t.seed = make([]int32, n), make([]byte, n)
	}
	if cap(t.right) < words {
		t.right, t.below = make([]uint64, words), make([]uint64, words)
	}
	t.sum, t.seed = t.sum[:n], t.seed[:t.w*t.h]
	t.right, t.below = t.right[:words], t.below[:words]
	b.Changes(t.right, t.below)
	clear(t.sum[:t.w+1])
	for ty := range t.h {
		above, here := t.sum[ty*(t.w+1):(ty+1)*(t.w+1)], t.sum[(ty+1)*(t.w+1):(ty+2)*(t.w+1)]
		right, below := t.right[ty*b.Words:(ty+1)*b.Words], t.below[ty*b.Words:(ty+1)*b.Words]
		here[0] = 0
		var s int32
		for x := range t.w {
			at := x % 8 * 8
			if right[x/8]>>at&255 >= minChanges && below[x/8]>>at&255 >= minChanges {
				s++
			}
			here[x+1] = above[x+1] + s
		}
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

// component returns the box around the connected seeds at i, with the tiles that made them
// seeds and one more.
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
