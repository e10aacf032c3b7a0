package locate

import (
	"bytes"
	"cmp"
	"math"
	"slices"

	"tcode/scanner/gray"
)

const (
	thresholdTile   = 8  // px; with those around it 24 px, about ten modules of the smallest symbols
	thresholdMargin = 8  // gray levels below the mean: paper grain is no ink
	minComponent    = 18 // px, of the longer side: 8 modules at 2.5 px and less
	minStripe       = 14 // px, of the shorter side
	minSwaps        = 3.0
	maxComponents   = 90
	// maxSearched bounds the pixels of all parts together, as they are searched:
	// large ones are halved and small ones enlarged.
	maxSearched = 1 << 20
	components4 = 4 // levels looked at
)

// components labels the dark parts of an image.
type components struct {
	dark  []byte // 1 dark, 2 dark and visited
	stack []int32
	mean  []int32 // of the tiles, in gray levels
	sums  []int32 // of a row of tiles
}

// Components returns boxes around connected dark parts that have about as many
// changes between dark and light inside as a symbol: the solid sides of a symbol
// hang together and span it whole, so that this finds small symbols and large
// modules, which show no texture. It costs several times what [Finder.Boxes]
// does and is the second way in.
func (f *Finder) Components(img *gray.Image) []Box {
	level, scale, turn := img, 1, 0
	var all []Box
	for range components4 {
		if max(level.Width, level.Height) < 2*minComponent && scale > 1 {
			break
		}
		for _, b := range f.parts.boxes(level) {
			b.Rect = b.Scale(scale)
			all = addBox(all, b)
		}
		gray.Halve(&f.levels[turn], level)
		level, scale, turn = &f.levels[turn], scale*2, turn^1
	}
	slices.SortStableFunc(all, func(a, b Box) int { return cmp.Compare(b.Score, a.Score) })
	cost := 0
	for i, b := range all {
		cost += min(max(b.Area(), minSearchSide*minSearchSide), maxSearchSide*maxSearchSide)
		if cost > maxSearched || i == maxComponents {
			return all[:i]
		}
	}
	return all
}

// Whole returns how much the part in box that hangs together best looks like a
// symbol, as the Score of [Finder.Components] tells it: text falls apart into
// letters of less than [Likely], the solid sides of a symbol hold it together.
func (f *Finder) Whole(img *gray.Image, box gray.Rect) float64 {
	if box.Clip(img.Width, img.Height).Empty() {
		return 0
	}
	work := f.paper(img, box, &f.padded)
	for turn := 0; max(work.Width, work.Height) > maxSearchSide; turn ^= 1 {
		gray.Halve(&f.crop[turn], work)
		work = &f.crop[turn]
	}
	var best float64
	for _, b := range f.parts.boxes(work) {
		best = max(best, b.Score)
	}
	return best
}

// boxes returns the likely parts of one level.
func (t *components) boxes(m *gray.Image) []Box {
	w, h := m.Width, m.Height
	if w < minStripe || h < minStripe {
		return nil
	}
	if cap(t.dark) < w*h {
		t.dark = make([]byte, w*h)
	}
	t.dark = t.dark[:w*h]
	t.threshold(m)
	var out []Box
	for i := 0; ; i++ {
		next := bytes.IndexByte(t.dark[i:], 1)
		if next < 0 {
			break
		}
		i += next
		r := t.part(i, w, h)
		bw, bh := r.X1-r.X0, r.Y1-r.Y0
		if max(bw, bh) < minComponent || min(bw, bh) < minStripe || max(bw, bh) > 6*min(bw, bh) {
			continue
		}
		if swaps := t.swaps(r, w); swaps >= minSwaps {
			// Rectangular symbols are up to four times as long as high.
			aspect := float64(min(bw, bh)) / float64(max(bw, bh))
			out = append(out, Box{r, swaps * math.Sqrt(aspect)})
		}
	}
	slices.SortFunc(out, func(a, b Box) int { return cmp.Compare(b.Score, a.Score) })
	return out[:min(len(out), maxComponents)]
}

// threshold fills dark: 1 for every pixel that is darker than the mean of the
// tiles around it.
func (t *components) threshold(m *gray.Image) {
	w, h := m.Width/thresholdTile, m.Height/thresholdTile // the last tiles take the rest
	t.tileMeans(m, w, h)
	for ty := range h {
		limits := t.sums[:w]
		for tx := range limits {
			var sum, n int32
			for v := max(ty-1, 0); v <= min(ty+1, h-1); v++ {
				for u := max(tx-1, 0); u <= min(tx+1, w-1); u++ {
					sum, n = sum+t.mean[v*w+u], n+1
				}
			}
			limits[tx] = sum/n - thresholdMargin
		}
		y1 := (ty + 1) * thresholdTile
		if ty == h-1 {
			y1 = m.Height
		}
		for y := ty * thresholdTile; y < y1; y++ {
			row, out := m.Row(y), t.dark[y*m.Width:(y+1)*m.Width]
			for tx, limit := range limits {
				a := row[tx*thresholdTile : tx*thresholdTile+thresholdTile : tx*thresholdTile+thresholdTile]
				b := out[tx*thresholdTile : tx*thresholdTile+thresholdTile : tx*thresholdTile+thresholdTile]
				for i, v := range a {
					b[i] = byte(uint32(int32(v)-limit) >> 31)
				}
			}
			for x := w * thresholdTile; x < m.Width; x++ {
				out[x] = byte(uint32(int32(row[x])-limits[w-1]) >> 31)
			}
		}
	}
}

// tileMeans fills mean with the means of w x h tiles.
func (t *components) tileMeans(m *gray.Image, w, h int) {
	if cap(t.mean) < w*h {
		t.mean = make([]int32, w*h)
	}
	if cap(t.sums) < w {
		t.sums = make([]int32, w)
	}
	t.mean = t.mean[:w*h]
	sums := t.sums[:w]
	for ty := range h {
		clear(sums)
		for y := ty * thresholdTile; y < (ty+1)*thresholdTile; y++ {
			row := m.Row(y)
			for tx := range sums {
				a := row[tx*thresholdTile : tx*thresholdTile+thresholdTile : tx*thresholdTile+thresholdTile]
				sums[tx] += int32(a[0]) + int32(a[1]) + int32(a[2]) + int32(a[3]) + int32(a[4]) + int32(a[5]) + int32(a[6]) + int32(a[7])
			}
		}
		for tx, s := range sums {
			t.mean[ty*w+tx] = s / (thresholdTile * thresholdTile)
		}
	}
}

// part marks the pixels connected to i and returns the box around them.
func (t *components) part(i, w, h int) gray.Rect {
	r := gray.Rect{X0: w, Y0: h}
	t.stack = append(t.stack[:0], int32(i))
	t.dark[i] = 2
	for len(t.stack) > 0 {
		j := int(t.stack[len(t.stack)-1])
		t.stack = t.stack[:len(t.stack)-1]
		x, y := j%w, j/w
		r.X0, r.X1 = min(r.X0, x), max(r.X1, x+1)
		r.Y0, r.Y1 = min(r.Y0, y), max(r.Y1, y+1)
		for v := max(y-1, 0); v <= min(y+1, h-1); v++ {
			for u := max(x-1, 0); u <= min(x+1, w-1); u++ {
				if k := v*w + u; t.dark[k] == 1 {
					t.dark[k] = 2
					t.stack = append(t.stack, int32(k))
				}
			}
		}
	}
	return r
}

// swaps returns the mean number of changes along the rows or along the columns
// of r, whichever is lower.
func (t *components) swaps(r gray.Rect, w int) float64 {
	var nx, ny int
	for y := r.Y0; y < r.Y1; y++ {
		row := t.dark[y*w : (y+1)*w]
		for x := r.X0 + 1; x < r.X1; x++ {
			if (row[x] == 0) != (row[x-1] == 0) {
				nx++
			}
		}
		if y == r.Y0 {
			continue
		}
		above := t.dark[(y-1)*w : y*w]
		for x := r.X0; x < r.X1; x++ {
			if (row[x] == 0) != (above[x] == 0) {
				ny++
			}
		}
	}
	return min(float64(nx)/float64(r.Y1-r.Y0), float64(ny)/float64(r.X1-r.X0))
}
