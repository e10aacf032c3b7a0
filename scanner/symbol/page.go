package symbol

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"tcode/scanner/gray"
	"tcode/scanner/locate"
)

const (
	defaultBudget = 5 * time.Second
	// perBox bounds the candidates of a box that are refined and decoded.
	perBox = 6
	// dense is the Score of a part that has the texture of a symbol of 24 modules and more.
	dense = 12
	// minScore is the fit of the fixed modules from which a candidate is worth
	// decoding. Symbols half covered by a pen stroke still reach it; random
	// texture stays below 0.25.
	minScore = 0.25
	// clearBeside is how clear a candidate must be once a symbol was read: most
	// pages hold one, and the doubtful rest costs more than all before.
	clearBeside = 3
	// clearTiming is how clear the timing tracks of nearly all symbols are
	// before they are refined. maxWeak bounds the rest that is refined, maxWeakSmall that of
	// small images.
	clearTiming  = 4
	maxWeak      = 5
	maxWeakSmall = 12
	// doubtfulCost bounds the pixels of the boxes that are searched although
	// not likely, each counting for leastCost or more.
	doubtfulCost = 1 << 16
	// doubtfulSmall is the same for small images, which may hold any symbol.
	doubtfulSmall = 1 << 18
	leastCost     = 110 * 110
	// besideCost is the same once a symbol was read: others on the page may be
	// smaller and look less like one.
	besideCost = 1 << 18
	// mirrorScore is the fit from which a symbol that does not decode is also
	// tried as its mirror image.
	mirrorScore = 0.6
	// middling is the score of 40x40 modules in one piece.
	middling = 20
	// smallImage is the side in px up to which an image may be little more than a symbol,
	// tinyImage that up to which the image itself is a box.
	smallImage = 1200
	tinyImage  = 320
)

// reader reads one image.
type reader struct {
	ctx      context.Context // a reader lives for one call
	begin    time.Duration   // by opt.Clock
	late     string          // why the search ended before it was complete
	opt      Options
	img      *gray.Image
	finder   *locate.Finder
	light    bool // img is inverted: light symbols are looked for
	symbols  []Symbol
	found    []locate.Candidate // the symbols' places
	best     attempt            // the best candidate that was not read
	unread   []gray.Rect        // boxes that were not read, the likely ones first
	doubtful []locate.Box       // boxes that are not likely
	weak     int                // candidates refined whose timing tracks were not clear
	seconds
	locate time.Duration
	decode time.Duration
	trace  *Trace // nil: no trace
}

// attempt is a candidate and why it was not read.
type attempt struct {
	candidate locate.Candidate
	img       *gray.Image // where it was seen
	err       error       // nil: there was none
}

// run searches the image, the likely places first.
func (r *reader) run() {
	r.doubtful, r.weak, r.seconds = r.doubtful[:0], 0, seconds{mesh: meshPixels}
	r.boxes(r.timed(r.textured))
	if r.done() {
		return
	}
	parts := r.timed(r.connected)
	if r.framed(); r.done() {
		return
	}
	if len(r.symbols) > 0 {
		r.doubtful = append(r.doubtful, parts...)
		r.doubts(besideCost)
		return
	}
	if r.enough() && !r.small() {
		return
	}
	r.boxes(parts)
	if len(r.symbols) > 0 {
		r.doubts(besideCost)
	}
	if len(r.symbols) > 0 || r.done() || r.second() {
		return
	}
	if r.small() {
		r.doubts(doubtfulSmall)
	} else {
		r.doubts(doubtfulCost)
	}
	if len(r.symbols) == 0 && (r.tiny() || r.opt.Thorough && r.small()) && !r.done() {
		if all := (locate.Box{Rect: gray.Rect{X1: r.img.Width, Y1: r.img.Height}}); r.plausible(&all) {
			r.box(all)
		}
	}
	if len(r.symbols) == 0 && !r.done() {
		r.secondOpinion()
	}
}

// second takes the second and the third look, where something was seen, and reports whether the
// search ends.
func (r *reader) second() (ended bool) {
	if r.enough() {
		return false
	}
	if r.again(); len(r.symbols) > 0 || r.done() {
		return true
	}
	r.slanted()
	return len(r.symbols) > 0 || r.done()
}

// enough reports whether the search for light symbols on dark may end: they are rare, dark ones
// were looked for with all means before, and nothing was seen that is surely a symbol.
func (r *reader) enough() bool {
	sure := r.best.err != nil && r.best.img == r.img && sureness(&r.best.candidate) >= sureSymbol
	return r.light && !sure && !r.opt.Thorough
}

// small reports whether the image may be little more than a symbol.
func (r *reader) small() bool { return max(r.img.Width, r.img.Height) <= smallImage }

// tiny reports whether the image itself is a box: the parts of a larger one show its symbols.
func (r *reader) tiny() bool { return max(r.img.Width, r.img.Height) <= tinyImage }

func (r *reader) timed(find func() []locate.Box) []locate.Box {
	start := time.Now()
	boxes := find()
	r.locate += time.Since(start)
	return boxes
}

func (r *reader) done() bool {
	return r.opt.MaxSymbols > 0 && len(r.symbols) >= r.opt.MaxSymbols || r.over()
}

// over reports whether ctx or the budget has ended.
func (r *reader) over() bool {
	if r.late != "" {
		return true
	}
	used := r.opt.Clock() - r.begin // before ctx: the clock may end it
	switch {
	case r.ctx.Err() != nil:
		r.late = fmt.Sprintf("the search was ended (%v)", context.Cause(r.ctx))
	case used > r.opt.Budget:
		r.late = fmt.Sprintf("the time for one image, %v, was over", r.opt.Budget)
	}
	return r.late != ""
}

// textured returns the boxes with the texture of a symbol, the likely ones
// first, and as their score how much of one piece they are.
func (r *reader) textured() []locate.Box {
	boxes := r.finder.Boxes(r.img)
	rank := make(map[gray.Rect]float64, len(boxes))
	for i := range boxes {
		b := &boxes[i]
		whole := r.finder.Whole(r.img, b.Grow(margin(b.Rect)))
		// Tables have many changes too, so that more than those of a middling
		// symbol say nothing; a part of a symbol has fewer than the whole.
		rank[b.Rect] = min(whole, middling) * b.Score
		b.Score = whole
	}
	slices.SortStableFunc(boxes, func(a, b locate.Box) int { return cmp.Compare(rank[b.Rect], rank[a.Rect]) })
	r.trace.found(BoxTexture, boxes)
	return boxes
}

// connected returns the boxes around parts that hang together.
func (r *reader) connected() []locate.Box {
	boxes := r.finder.Components(r.img)
	r.trace.found(BoxPart, boxes)
	return boxes
}

// plausible reports whether b may hold a symbol at all.
func (r *reader) plausible(b *locate.Box) bool {
	if r.opt.Thorough {
		return true
	}
	start := time.Now()
	defer func() { r.locate += time.Since(start) }()
	rect := b.Grow(margin(b.Rect))
	if r.finder.Plausible(r.img, rect, b.Score >= dense) {
		return true
	}
	r.faint = append(r.faint, hard{box: rect, whole: b.Score})
	return false
}

// framed tries the candidates that stand alone, of which the outline is known.
func (r *reader) framed() {
	for _, c := range r.finder.Frames() {
		if r.done() {
			return
		}
		if r.taken(&c) || r.glance(&c) {
			continue
		}
		if c.Confidence() < clearBeside {
			continue
		}
		r.refine(r.img, &c)
		if c.Score >= minScore && !r.taken(&c) {
			r.try(&c)
		}
	}
}

// refine refines c on img, and counts the time.
func (r *reader) refine(img *gray.Image, c *locate.Candidate) {
	start := time.Now()
	r.finder.Refine(img, c)
	r.locate += time.Since(start)
}

// boxes tries the boxes that are likely and keeps the rest for later.
func (r *reader) boxes(boxes []locate.Box) {
	for _, b := range boxes {
		switch {
		case r.done():
			return
		case r.known(b.Rect):
		case b.Score < locate.Likely:
			r.doubtful = append(r.doubtful, b)
		case r.plausible(&b):
			r.box(b)
		}
	}
}

// doubts tries the best of the boxes that are not likely, those of limit px
// together: pages of text have many.
func (r *reader) doubts(limit int) {
	slices.SortStableFunc(r.doubtful, func(a, b locate.Box) int { return cmp.Compare(b.Score, a.Score) })
	cost := 0
	for i := range r.doubtful {
		b := &r.doubtful[i]
		if r.known(b.Rect) {
			continue
		}
		if r.done() {
			return
		}
		// A box that costs too much is no reason to leave out smaller ones.
		if dear := max(b.Area(), leastCost); cost+dear <= limit && r.plausible(b) {
			cost += dear
			r.box(*b)
		}
	}
}

// margin is the paper in px that is searched around b.
func margin(b gray.Rect) int { return max((b.X1-b.X0)/12, (b.Y1-b.Y0)/12, 6) }

// known reports whether b is little more than a symbol that was read.
func (r *reader) known(b gray.Rect) bool {
	mid := gray.Point{X: float64(b.X0+b.X1) / 2, Y: float64(b.Y0+b.Y1) / 2}
	for i := range r.found {
		c := &r.found[i]
		side := c.Module() * float64(c.Size.Rows+c.Size.Cols) / 2
		if c.Contains(mid) && float64(b.Area()) < 4*side*side {
			return true
		}
	}
	return false
}

// box tries the candidates of one box.
func (r *reader) box(with locate.Box) {
	r.trace.search(with.Rect)
	with.Rect = with.Grow(margin(with.Rect))
	b := with.Rect
	before, best, clear := len(r.symbols), 0.0, 0.0
	candidates := r.search(&with)
	for i := range candidates {
		clear = max(clear, candidates[i].Confidence())
	}
	r.trace.candidates(candidates)
	defer func() {
		if len(r.symbols) > before {
			return
		}
		r.hard = append(r.hard, hard{box: b, clear: clear})
		if best >= minScore {
			r.unread = slices.Insert(r.unread, 0, b)
		} else if r.opt.Thorough && len(r.unread) < opinions {
			r.unread = append(r.unread, b)
		}
	}()
	for i := range candidates {
		if r.done() {
			return
		}
		c := &candidates[i]
		if r.taken(c) || len(r.symbols) > 0 && c.Confidence() < clearBeside {
			continue
		}
		if c.Confidence() < clearTiming {
			if r.weak++; r.light || r.weak > maxWeak && !r.small() || r.weak > maxWeakSmall {
				continue
			}
		}
		seen := *c
		r.refine(r.img, c)
		best = max(best, c.Score)
		if c.Score < minScore || r.taken(c) {
			continue
		}
		if r.try(c) || sureness(c) >= trackSureness && r.tracked(&seen) {
			continue
		}
		if c.Score >= mirrorScore && c.Size.Square() {
			m := c.Mirrored()
			r.try(&m)
		}
	}
}

// search returns the candidates of b. Those that are surely clear are sampled
// immediately, where they were found: that reads most symbols, and a box that holds
// little else needs no further search.
func (r *reader) search(b *locate.Box) []locate.Candidate {
	start, decode := time.Now(), r.decode
	defer func() { r.locate += time.Since(start) - (r.decode - decode) }()
	return r.finder.SearchFirst(r.img, *b, perBox, func(c *locate.Candidate) bool {
		return !r.taken(c) && r.glance(c) && (r.done() || r.known(b.Rect))
	})
}

// glance keeps the symbol at c if it can be read without refining c.
func (r *reader) glance(c *locate.Candidate) bool {
	start := time.Now()
	defer func() { r.decode += time.Since(start) }()
	grid, ok := locate.Sample(r.img, c)
	return ok && r.judge(c, grid) == nil
}

// taken reports whether c is on a symbol that was read.
func (r *reader) taken(c *locate.Candidate) bool {
	mid := c.Center()
	for i := range r.found {
		if r.found[i].Contains(mid) || c.Contains(r.found[i].Center()) {
			return true
		}
	}
	return false
}
