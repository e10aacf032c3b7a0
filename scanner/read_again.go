package scanner

import (
	"cmp"
	"slices"
	"time"

	"tcode/scanner/gray"
	"tcode/scanner/locate"
)

const (
	// againBoxes and againCost bound the boxes and their pixels that get a
	// second look: it costs several times the first.
	againBoxes = 4
	againCost  = 1 << 20
	// againWhole is how much of one piece a box must be for it, see
	// [locate.Finder.Whole].
	againWhole = 6
	// mendMost bounds the candidates that are mended, mendSureness is the
	// sureness from which they are.
	mendMost     = 5
	mendSureness = 0.28
)

// hard is a box in which nothing was read at first sight.
type hard struct {
	box   gray.Rect
	whole float64
}

// again takes a second look at the boxes that look most like symbols, with the
// means that are too dear for all.
func (r *reader) again() {
	for i := range r.hard {
		r.hard[i].whole = r.wholeness(r.hard[i].box)
	}
	slices.SortStableFunc(r.hard, func(a, b hard) int { return cmp.Compare(b.whole, a.whole) })
	if r.mend(); len(r.symbols) > 0 {
		return
	}
	cost := 0
	for i := range min(len(r.hard), againBoxes) {
		h := &r.hard[i]
		if cost += h.box.Area(); cost > againCost || h.whole < againWhole || r.done() || len(r.symbols) > 0 {
			return
		}
		r.flattened(h.box)
		if len(r.symbols) == 0 {
			r.mend()
		}
	}
}

// mend takes the candidates that look most like symbols and were not read, as
// if their paper did not lie flat.
func (r *reader) mend() {
	slices.SortStableFunc(r.failed, func(a, b locate.Candidate) int { return cmp.Compare(sureness(&b), sureness(&a)) })
	for i := range r.failed {
		c := &r.failed[i]
		if sureness(c) < mendSureness || len(r.mended) == mendMost || r.done() {
			break
		}
		if slices.ContainsFunc(r.mended, c.Same) {
			continue
		}
		r.mended = append(r.mended, *c)
		start := time.Now()
		bent, ok := r.finder.Bend(r.img, c)
		r.locate += time.Since(start)
		if !ok || r.taken(&bent.Candidate) {
			continue
		}
		start = time.Now()
		m, ok := bent.Measure(r.img)
		ok = ok && (r.judgeAgain(&bent.Candidate, m.Grid()) == nil || r.judgeAgain(&bent.Candidate, m.Sharp()) == nil)
		r.decode += time.Since(start)
		if ok {
			return
		}
	}
	r.failed = r.failed[:0]
}

func (r *reader) wholeness(b gray.Rect) float64 {
	start := time.Now()
	defer func() { r.locate += time.Since(start) }()
	return r.finder.Whole(r.img, b)
}

// flattened tries the candidates of a box whose contrast was made even.
func (r *reader) flattened(box gray.Rect) {
	start := time.Now()
	box = box.Clip(r.img.Width, r.img.Height)
	flat := locate.Flatten(r.img, box)
	candidates := r.finder.Search(flat, gray.Rect{X1: flat.Width, Y1: flat.Height}, perBox)
	r.locate += time.Since(start)
	for i := range candidates {
		if r.done() {
			return
		}
		c := &candidates[i]
		start := time.Now()
		r.finder.Refine(flat, c)
		r.locate += time.Since(start)
		m := c.Moved(box.X0, box.Y0)
		if m.Score < minScore || r.taken(&m) {
			continue
		}
		if r.try(&m) {
			return
		}
	}
}
