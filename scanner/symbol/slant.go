package symbol

import (
	"cmp"
	"slices"
	"time"

	"tcode/scanner/locate"
)

// slantMargin is the share of a box's longer side that is searched around it for
// a symbol seen at a slant: its box is that of its dense part, and a far corner
// of it is drawn out.
const slantMargin = 1.0 / 8

const (
	// slantBoxes bounds the boxes that are searched so.
	slantBoxes = 3
	// faintBoxes bounds the boxes that look like no upright symbol and may be slanted ones.
	faintBoxes = 6
)

// hardly adds those of the boxes that look like no upright symbol that may be slanted ones to the hard ones.
func (r *reader) hardly() {
	start := time.Now()
	defer func() { r.locate += time.Since(start) }()
	slices.SortStableFunc(r.faint, func(a, b hard) int { return cmp.Compare(b.whole, a.whole) })
	for _, h := range r.faint[:min(len(r.faint), faintBoxes)] {
		if h.whole < locate.Likely {
			return
		}
		if r.finder.PlausibleTilted(r.img, h.box) {
			h.faint = true
			r.hard = append(r.hard, h)
		}
	}
}

// slanted is the third look, for photos that were taken close and at a
// slant: it tries the boxes that look most like symbols. The looks before have
// their share of the pixels, this one has its own.
func (r *reader) slanted() {
	least := float64(againWhole)
	if r.small() {
		least = locate.Likely
	}
	r.cost = 0
	left := slantBoxes
	for _, h := range r.hard {
		if left == 0 || r.done() {
			return
		}
		if h.whole < least || !h.faint && h.clear < againSeen && !r.opt.Thorough || !r.afford(h.box.Area()) {
			continue
		}
		left--
		side := float64(max(h.box.X1-h.box.X0, h.box.Y1-h.box.Y0))
		if r.tilted(locate.Box{Rect: h.box.Grow(int(side * slantMargin)), Score: h.whole}) {
			return
		}
	}
}

// tilted tries the candidates of a box as if seen at a slant, and reports
// whether one was read.
func (r *reader) tilted(box locate.Box) bool {
	start := time.Now()
	candidates := r.finder.SearchTilted(r.img, box, perBox)
	r.locate += time.Since(start)
	for i := range candidates {
		c := &candidates[i]
		if r.done() {
			return false
		}
		if c.Confidence() < againClear && !r.small() {
			continue
		}
		r.refine(r.img, c)
		if c.Score >= minScore && !r.taken(c) && r.try(c) {
			return true
		}
	}
	return false
}
