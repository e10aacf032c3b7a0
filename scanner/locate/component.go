package locate

import (
	"cmp"
	"math"
	"slices"

	"tcode/scanner/gray"
)

const (
	thresholdRadius = 12 // px: about five modules of the smallest symbols
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
	mean  gray.Integral
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
	t.mean.Build(m)
	t.mean.Threshold(m, t.dark, thresholdRadius, thresholdMargin)
	var out []Box
	for i, d := range t.dark {
		if d != 1 {
			continue
		}
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
