package locate

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"tcode/scanner/gray"
)

const (
	minComponent  = 18 // px, of the longer side: 8 modules at 2.5 px and less
	minStripe     = 14 // px, of the shorter side
	minSwaps      = 3.0
	maxComponents = 90
	// maxSearched bounds the pixels of all parts together, at the size of the search: large
	// ones are halved and small ones enlarged.
	maxSearched = 1 << 20
	components4 = 4 // levels that are searched
)

// Components returns boxes around connected dark parts that have about as many changes
// between dark and light as a symbol. The finder pattern of a symbol is connected and
// spans it whole, so this finds small symbols and large modules, which show no texture.
// Call it after [Finder.Boxes] of the same image, whose pixels must not have changed
// since.
func (f *Finder) Components(img *gray.Image) []Box {
	if f.pages.img != img {
		f.pages.reset(img)
	}
	var all []Box
	f.frames.found = f.frames.found[:0]
	for n := range components4 {
		m := f.pages.level(n)
		if max(m.Width, m.Height) < 2*minComponent && n > 0 {
			break
		}
		ink := f.pages.ink(n)
		outlined := f.frames.parted[:0]
		for _, b := range f.parts.boxes(ink, func(r gray.Rect) { outlined = append(outlined, r) }) {
			b.Rect = b.Scale(1 << n)
			all = addBox(all, b)
		}
		f.frames.parted = outlined
		f.framesOf(m, ink, float64(int(1)<<n))
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

// Whole returns how much the best connected part in box looks like a symbol, on the scale
// of the Score of [Finder.Components]. Text consists of letters below [Likely]; the finder
// pattern connects a symbol.
func (f *Finder) Whole(img *gray.Image, box gray.Rect) float64 {
	if box.Clip(img.Width, img.Height).Empty() {
		return 0
	}
	if box.Area() > keptPixels {
		box = box.Clip(img.Width, img.Height)
	}
	work := f.paper(img, box, &f.padded)
	for turn := 0; max(work.Width, work.Height) > maxSearchSide; turn ^= 1 {
		gray.Halve(&f.crop[turn], work)
		work = &f.crop[turn]
	}
	gray.Tiles(&f.means, work)
	f.ink.Darker(work, &f.means, inkMargin)
	var best float64
	for _, b := range f.parts.boxes(&f.ink, nil) {
		best = max(best, b.Score)
	}
	return best
}

// components finds the connected parts of an image of one bit per pixel, row by row: a row
// is a list of runs, and runs that touch those above belong to their part. When parts meet
// further down, one becomes the other's parent.
type components struct {
	above, here []run
	parts       []part
	kept        []rowRun // of all rows; only of cut
	line        []uint64 // the row of cut
}

// A rowRun is a run of row y.
type rowRun struct {
	run
	y int32
}

// A run is the dark pixels [x0, x1) of a row.
type run struct{ x0, x1, part int32 }

// A part is the box of connected runs, as far as it is known.
type part struct {
	parent         int32 // itself, or a part of which it is a piece
	x0, y0, x1, y1 int32
}

// boxes returns the likely parts of one level. It calls each, if not nil, with the box of every part that could be a
// symbol, also with those that are too long to be likely.
func (t *components) boxes(b *gray.Bits, each func(gray.Rect)) []Box {
	if b.Width < minStripe || b.Height < minStripe {
		return nil
	}
	t.label(b)
	var out []Box
	for i := range t.parts {
		p := &t.parts[i]
		bw, bh := int(p.x1-p.x0), int(p.y1-p.y0)
		if p.parent != int32(i) || max(bw, bh) < minComponent || min(bw, bh) < minStripe || max(bw, bh) > maxLong*min(bw, bh) {
			continue
		}
		r := gray.Rect{X0: int(p.x0), Y0: int(p.y0), X1: int(p.x1), Y1: int(p.y1)}
		swaps := swaps(b, r)
		if swaps >= minFrameSwaps && each != nil {
			each(r)
		}
		if swaps >= minSwaps && max(bw, bh) <= 6*min(bw, bh) {
			// The long side of a rectangular symbol is up to four times the short one.
			aspect := float64(min(bw, bh)) / float64(max(bw, bh))
			out = append(out, Box{r, swaps * math.Sqrt(aspect)})
		}
	}
	slices.SortStableFunc(out, func(a, b Box) int { return cmp.Compare(b.Score, a.Score) })
	return out[:min(len(out), maxComponents)]
}

// label fills parts.
func (t *components) label(b *gray.Bits) {
	t.parts, t.above = t.parts[:0], t.above[:0]
	for y := range b.Height {
		t.here = runs(t.here[:0], b.Row(y))
		t.join(int32(y))
		t.above, t.here = t.here, t.above
	}
}

// cut fills parts with those of r alone, at places relative to it, and kept with their runs. r lies inside b and is not empty.
func (t *components) cut(b *gray.Bits, r gray.Rect) {
	t.parts, t.above, t.kept = t.parts[:0], t.above[:0], t.kept[:0]
	first, last := r.X0/64, (r.X1-1)/64
	off := int32(r.X0 - first*64)
	for y := r.Y0; y < r.Y1; y++ {
		t.line = append(t.line[:0], b.Row(y)[first:last+1]...)
		t.line[0] &= ^uint64(0) << (r.X0 % 64)
		t.line[len(t.line)-1] &= ^uint64(0) >> (63 - (r.X1-1)%64)
		t.here = runs(t.here[:0], t.line)
		for i := range t.here {
			t.here[i].x0, t.here[i].x1 = t.here[i].x0-off, t.here[i].x1-off
		}
		t.join(int32(y - r.Y0))
		for _, o := range t.here {
			t.kept = append(t.kept, rowRun{o, int32(y - r.Y0)})
		}
		t.above, t.here = t.here, t.above
	}
}

// runs appends the dark runs of a row.
func runs(out []run, row []uint64) []run {
	var last uint64 // the pixel before, in bit 0
	open := int32(-1)
	for i, w := range row {
		// Each bit of edge is set if its pixel differs from the one before it.
		for edge := w ^ (w<<1 | last); edge != 0; edge &= edge - 1 {
			x := int32(i*64 + bits.TrailingZeros64(edge))
			if open < 0 {
				open = x
				continue
			}
			out = append(out, run{open, x, -1})
			open = -1
		}
		last = w >> 63
	}
	if open >= 0 {
		out = append(out, run{open, int32(len(row) * 64), -1})
	}
	return out
}

// join assigns the runs of row y to parts: those of the runs above that touch them, also
// corner to corner, or a new one.
func (t *components) join(y int32) {
	k := 0
	for i := range t.here {
		r := &t.here[i]
		for k < len(t.above) && t.above[k].x1 < r.x0 {
			k++
		}
		for j := k; j < len(t.above) && t.above[j].x0 <= r.x1; j++ {
			switch up := t.root(t.above[j].part); {
			case r.part < 0:
				r.part = up
			case r.part != up:
				r.part = t.unite(r.part, up)
			}
		}
		if r.part < 0 {
			r.part = int32(len(t.parts))
			t.parts = append(t.parts, part{r.part, r.x0, y, r.x1, y + 1})
			continue
		}
		p := &t.parts[r.part]
		p.x0, p.x1, p.y1 = min(p.x0, r.x0), max(p.x1, r.x1), y+1
	}
}

// root returns the part that contains the piece i, and shortens the path to it.
func (t *components) root(i int32) int32 {
	for t.parts[i].parent != i {
		t.parts[i].parent = t.parts[t.parts[i].parent].parent
		i = t.parts[i].parent
	}
	return i
}

// unite joins the roots a and b into one part.
func (t *components) unite(a, b int32) int32 {
	if a > b {
		a, b = b, a
	}
	p, q := &t.parts[a], &t.parts[b]
	q.parent = a
	p.x0, p.y0, p.x1, p.y1 = min(p.x0, q.x0), min(p.y0, q.y0), max(p.x1, q.x1), max(p.y1, q.y1)
	return a
}

// swaps returns the mean number of changes along the rows or along the columns of r,
// whichever is lower.
func swaps(b *gray.Bits, r gray.Rect) float64 {
	across, down := b.Swaps(r)
	return min(float64(across)/float64(r.Y1-r.Y0), float64(down)/float64(r.X1-r.X0))
}
