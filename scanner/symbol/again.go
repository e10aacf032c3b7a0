package symbol

import (
	"cmp"
	"slices"
	"time"

	"tcode/scanner/gray"
	"tcode/scanner/locate"
)

const (
	// againBoxes bounds the boxes that get a second look: it costs several times
	// the first.
	againBoxes = 4
	// againShare is the share of an image's pixels that second looks may cost,
	// againLeast the number of pixels that is always allowed.
	againShare = 1.0 / 8
	againLeast = 1 << 18
	// againWhole is the least value of [locate.Finder.Whole] of a box for a second
	// look.
	againWhole = 10
	// againSeen is the clearness of a box's best candidate at first sight from which the
	// box gets a second look: something like a symbol was seen there.
	againSeen = 3
	// againClear is the least clearness of a candidate there that is refined.
	againClear = 3.2
	// againCoarse is the side in px from which a box is searched shrunk, too.
	againCoarse = 80
	// repairMost bounds the candidates that are repaired, repairSureness is the
	// sureness from which they are.
	repairMost     = 5
	repairSureness = 0.38
	// trackMost and trackSureness are the same for candidates whose rows and columns may differ in width.
	trackMost     = 6
	trackSureness = 0.3
)

// seconds is the state that a reader keeps for a second look.
type seconds struct {
	hard      []hard             // boxes that were not read at first sight
	faint     []hard             // boxes that were not searched, the likely ones first
	failed    []locate.Candidate // candidates that were sampled and not read
	repaired  []locate.Candidate // those of them that were taken as bent
	sharpened int                // candidates that were sampled as if blurred
	uneven    int                // candidates that were sampled as if their rows and columns differ in width
	cost      int                // px looked at again
	mesh      int                // px that may still be looked at by following the grid
}

// hard is a box in which nothing was read at first sight.
type hard struct {
	box   gray.Rect
	clear float64 // confidence of its best candidate, before refining
	faint bool    // it looks like a symbol at a slant only
	whole float64
}

// again takes a second look at the boxes that look most like symbols, with the
// means that are too dear for all.
func (r *reader) again() {
	r.hardly()
	for i := range r.hard {
		r.hard[i].whole = r.wholeness(r.hard[i].box)
	}
	r.share()
	slices.SortStableFunc(r.hard, func(a, b hard) int { return cmp.Compare(b.whole, a.whole) })
	least := float64(againWhole)
	if r.small() {
		least = locate.Likely
	}
	unclear := 0
	for i := range min(len(r.hard), meshBoxes) {
		h := &r.hard[i]
		if h.whole < least {
			break
		}
		clear := h.clear >= againSeen || r.opt.Thorough
		if !clear {
			if unclear++; unclear > meshUnclear {
				continue
			}
		}
		if r.meshed(h, clear || h.faint) || r.done() {
			return
		}
		if r.finder.Refuted() { // other looks would see the same grid
			h.clear, h.faint = 0, false
		}
	}
	if r.repair(); len(r.symbols) > 0 {
		return
	}
	left := againBoxes
	for i := range r.hard {
		h := &r.hard[i]
		if left == 0 || h.whole < againWhole || r.done() || len(r.symbols) > 0 {
			return
		}
		if h.clear < againSeen && !r.opt.Thorough || !r.afford(h.box.Area()) {
			continue
		}
		left--
		r.flattened(h.box, 1)
		if r.repair(); len(r.symbols) == 0 && min(h.box.X1-h.box.X0, h.box.Y1-h.box.Y0) >= againCoarse {
			r.flattened(h.box, 2)
			r.repair()
		}
	}
}

// share gives boxes at one place the clearness of the clearest of them.
func (r *reader) share() {
	for i := range r.hard {
		for j := range r.hard {
			a, b := &r.hard[i], &r.hard[j]
			if shared := a.box.Intersect(b.box).Area(); 2*shared > min(a.box.Area(), b.box.Area()) && 4*shared > max(a.box.Area(), b.box.Area()) {
				a.clear = max(a.clear, b.clear)
			}
		}
	}
}

// afford reports whether a second look at this number of pixels stays within the
// limit of all second looks, and counts them.
func (r *reader) afford(pixels int) bool {
	most := int(againShare * float64(r.img.Width) * float64(r.img.Height))
	if r.small() {
		most *= 4
	}
	if r.cost+pixels > max(most, againLeast) {
		return false
	}
	r.cost += pixels
	return true
}

// repair samples the candidates that look most like symbols and were not read, as
// if their paper was not flat.
func (r *reader) repair() {
	slices.SortStableFunc(r.failed, func(a, b locate.Candidate) int { return cmp.Compare(sureness(&b), sureness(&a)) })
	for i := range r.failed {
		c := &r.failed[i]
		if sureness(c) < repairSureness || len(r.repaired) == repairMost || r.done() {
			break
		}
		side := c.Module() * float64(max(c.Size.Rows, c.Size.Cols))
		if slices.ContainsFunc(r.repaired, c.Same) || !r.afford(int(side*side)) {
			continue
		}
		r.repaired = append(r.repaired, *c)
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

// tracked samples c as if its rows and columns differ in width, and reports whether it was read.
func (r *reader) tracked(c *locate.Candidate) bool {
	if r.uneven++; r.uneven > trackMost {
		return false
	}
	start := time.Now()
	defer func() { r.decode += time.Since(start) }()
	m, ok := locate.Tracks(r.img, c)
	if !ok {
		return false
	}
	c.Size = m.Size // as the tracks tell
	return r.judgeAgain(c, m.Grid()) == nil
}

func (r *reader) wholeness(b gray.Rect) float64 {
	start := time.Now()
	defer func() { r.locate += time.Since(start) }()
	return r.finder.Whole(r.img, b)
}

// flattened tries the candidates of a box whose contrast was made even, in an
// image of it that is shrunk to 1/shrink, 1 or 2: grain and moiré vanish so.
func (r *reader) flattened(box gray.Rect, shrink int) {
	start := time.Now()
	box = box.Clip(r.img.Width, r.img.Height)
	flat := locate.Flatten(r.img, box, shrink)
	candidates := r.finder.Search(flat, gray.Rect{X1: flat.Width, Y1: flat.Height}, perBox)
	r.locate += time.Since(start)
	for i := range candidates {
		if r.done() {
			return
		}
		c := &candidates[i]
		if c.Confidence() < againClear && !r.small() {
			continue
		}
		r.refine(flat, c)
		m := c.Placed(shrink, box.X0, box.Y0)
		if shrink > 1 {
			r.refine(r.img, &m)
		}
		if m.Score < minScore || r.taken(&m) {
			continue
		}
		if r.try(&m) {
			return
		}
	}
}
