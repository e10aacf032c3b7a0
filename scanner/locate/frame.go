package locate

import (
	"cmp"
	"math"
	"slices"

	"tcode/scanner/gray"
)

const (
	minFrameSwaps = 2.5  // as minSwaps: a column of 8 modules has 3.5 changes on average
	maxLong       = 24   // long side of a part against the short one: 18 modules, and some for a box that lies at a slant
	minFill       = 0.8  // share of the smallest rectangle around a part that its hull fills
	minBar        = 0.88 // share of a bar of the finder pattern that is dark
	minTrack      = 5    // changes along a timing track
	maxFrames     = 40   // candidates of an image
	// maxOutlined bounds the pixels of the boxes of all parts of a level, the small ones first: a single part that is larger
	// shows at the next level, too, where the modules of the largest symbol still have 2 px.
	maxOutlined = 1 << 19
	// frameDepth is the depth of a walk along a side, px: the pixels of the side itself are only partly dark, and modules have
	// 2 px.
	frameDepth = 1.5
	frameSizes = 2 // of a part
)

// A framer finds the sides of symbols whose finder pattern is one dark part with paper around it. Their corners are those
// of the part's convex hull, whatever way the symbol is turned and however long it is.
//
//	TL ── A        The hull of a symbol is its rectangle without the module at the top right, which is light.
//	│      \       Two adjacent sides are dark, the bars; on the other two dark and light alternate.
//	│       B      The sides TL-A and BR-B meet in the corner that is missing.
//	BL ─── BR
type framer struct {
	parts components
	left  []gray.Point // of the rows, from the top: where the part starts
	right []gray.Point
	hull  []gray.Point // clockwise on the screen
	found []Candidate
	// parted are the boxes of the parts of a level.
	parted []gray.Rect
}

// Frames returns the candidates that the outlines of the parts of the last [Finder.Components] show: symbols that nothing
// covers or touches, in any direction, also very long ones. A text, table or picture has next to none.
func (f *Finder) Frames() []Candidate { return f.frames.found }

// framesOf adds the candidates of the parts of b, in an image of which m is the level at scale.
func (f *Finder) framesOf(m *gray.Image, b *gray.Bits, scale float64) {
	parted := f.frames.parted
	slices.SortStableFunc(parted, func(a, b gray.Rect) int { return cmp.Compare(a.Area(), b.Area()) })
	cost := 0
	for _, r := range parted {
		if cost += r.Area(); cost > maxOutlined {
			return
		}
		f.frame(m, b, r, scale)
	}
}

// frame adds the candidates of the part of b that fills r, in an image of which m is the level at scale.
func (f *Finder) frame(m *gray.Image, b *gray.Bits, r gray.Rect, scale float64) {
	t := &f.frames
	if len(t.found) >= maxFrames || !t.outline(b, r) {
		return
	}
	quads, ok := t.quads(b)
	if !ok {
		return
	}
	f.timer.reset(m, newScorer(m.Crop(r), nil).half)
	var sizes []Candidate
	for _, q := range quads {
		sizes = f.timer.sizesOf(q, upright.stretch, sizes)
	}
	slices.SortStableFunc(sizes, clearest)
	for _, c := range sizes[:min(len(sizes), frameSizes)] {
		c = c.scaled(scale, 0, 0)
		if !slices.ContainsFunc(t.found, c.same) {
			t.found = append(t.found, c)
		}
	}
}

// outline fills hull with the convex hull of the part of b that fills r.
func (t *framer) outline(b *gray.Bits, r gray.Rect) bool {
	t.parts.cut(b, r)
	t.left, t.right = t.left[:0], t.right[:0]
	var best int32
	for i := range t.parts.parts {
		p, q := &t.parts.parts[i], &t.parts.parts[best]
		if p.parent == int32(i) && (p.x1-p.x0)*(p.y1-p.y0) > (q.x1-q.x0)*(q.y1-q.y0) {
			best = int32(i)
		}
	}
	last := int32(-1)
	for _, o := range t.parts.kept {
		if t.parts.root(o.part) != best {
			continue
		}
		x0, x1, y := float64(r.X0)+float64(o.x0), float64(r.X0)+float64(o.x1), float64(r.Y0)+float64(o.y)
		if o.y != last {
			t.left = append(t.left, gray.Point{X: x0, Y: y}, gray.Point{X: x0, Y: y + 1})
			t.right = append(t.right, gray.Point{X: x1, Y: y}, gray.Point{X: x1, Y: y + 1})
			last = o.y
			continue
		}
		n := len(t.right)
		t.right[n-2].X, t.right[n-1].X = x1, x1
	}
	if len(t.left) < 2*minStripe || len(t.left) != 2*(r.Y1-r.Y0) {
		return false
	}
	t.wrap()
	d, ok := t.along()
	if !ok {
		return false
	}
	// Modules of the timing tracks may touch no other: they belong to it if they lie in its rectangle.
	e := gray.Point{X: -d.Y, Y: d.X}
	d0, d1 := t.far(d.Mul(-1)).Dot(d)-1, t.far(d).Dot(d)+1
	e0, e1 := t.far(e.Mul(-1)).Dot(e)-1, t.far(e).Dot(e)+1
	in := func(x, y float64) bool {
		p := gray.Point{X: x, Y: y}
		return p.Dot(d) > d0 && p.Dot(d) < d1 && p.Dot(e) > e0 && p.Dot(e) < e1
	}
	for _, o := range t.parts.kept {
		x0, x1, y := float64(r.X0)+float64(o.x0), float64(r.X0)+float64(o.x1), float64(r.Y0)+float64(o.y)
		if at := 2 * o.y; in(x0, y) && in(x1, y) && in(x0, y+1) && in(x1, y+1) {
			x0, x1 = min(x0, t.left[at].X), max(x1, t.right[at].X)
			t.left[at].X, t.left[at+1].X, t.right[at].X, t.right[at+1].X = x0, x0, x1, x1
		}
	}
	t.wrap()
	return true
}

// wrap fills hull with the convex hull of left and right.
func (t *framer) wrap() {
	t.hull = t.hull[:0]
	chain := func(p gray.Point, from int) {
		for n := len(t.hull); n >= from+2 && t.hull[n-1].Sub(t.hull[n-2]).Cross(p.Sub(t.hull[n-1])) <= 0; n-- {
			t.hull = t.hull[:n-1]
		}
		t.hull = append(t.hull, p)
	}
	for _, p := range t.right {
		chain(p, 0)
	}
	from := len(t.hull)
	for _, p := range slices.Backward(t.left) {
		chain(p, from)
	}
}

// far returns the point of the hull that lies farthest in direction d.
func (t *framer) far(d gray.Point) gray.Point {
	best := t.hull[0]
	for _, p := range t.hull {
		if p.Dot(d) > best.Dot(d) {
			best = p
		}
	}
	return best
}

// along returns the direction of a side of the smallest rectangle around the hull, and whether the hull fills it.
func (t *framer) along() (gray.Point, bool) {
	var area float64
	least, dir := math.Inf(1), gray.Point{}
	for i, p := range t.hull {
		q := t.hull[(i+1)%len(t.hull)]
		area += p.Cross(q) / 2
		d := q.Sub(p)
		if l := d.Len(); l > 0 {
			d = d.Mul(1 / l)
		} else {
			continue
		}
		e := gray.Point{X: -d.Y, Y: d.X}
		w := t.far(d).Dot(d) - t.far(d.Mul(-1)).Dot(d)
		h := t.far(e).Dot(e) - t.far(e.Mul(-1)).Dot(e)
		if w*h < least {
			least, dir = w*h, d
		}
	}
	return dir, area > minFill*least
}

// quads returns the corners of a symbol in its own order, if the hull and the sides are those of one: with the perspective
// that the hull shows, without it, and those of the smallest rectangle. On a narrow symbol, a pixel at a corner
// passes for perspective, or for a slant, which moves modules by more than one.
func (t *framer) quads(b *gray.Bits) (all [3][4]gray.Point, ok bool) {
	d, ok := t.along()
	if !ok {
		return all, false
	}
	var q, box [4]gray.Point
	right, down := d, gray.Point{X: -d.Y, Y: d.X}
	for k, to := range [4][2]gray.Point{{right.Mul(-1), down.Mul(-1)}, {right, down.Mul(-1)}, {right, down}, {right.Mul(-1), down}} {
		q[k] = t.far(to[0].Add(to[1]))
		box[k] = to[0].Mul(t.far(to[0]).Dot(to[0])).Add(to[1].Mul(t.far(to[1]).Dot(to[1])))
	}
	var dark [4]float64 // of the sides from corner k to the next
	for k := range dark {
		for _, c := range [2]*[4]gray.Point{&q, &box} {
			d, _ := walk(b, c[k], c[(k+1)%4], c[(k+2)%4], frameDepth)
			dark[k] = max(dark[k], d)
		}
	}
	best := 0
	for k := range dark {
		if dark[k]+dark[(k+1)%4] > dark[best]+dark[(best+1)%4] {
			best = k
		}
	}
	if min(dark[best], dark[(best+1)%4]) < minBar {
		return all, false
	}
	// Side best is the bottom, from right to left, and the next is the left.
	bottom, left, top := q[best], q[(best+1)%4], q[(best+2)%4]
	toRight, toTop := bottom.Sub(left), top.Sub(left)
	toRight, toTop = toRight.Mul(1/toRight.Len()), toTop.Mul(1/toTop.Len())
	sin, cos := math.Sincos(math.Pi / 8)
	a, c := t.far(toTop.Mul(cos).Add(toRight.Mul(sin))), t.far(toRight.Mul(cos).Add(toTop.Mul(sin)))
	corner, ok := crossing(top, a, bottom, c)
	if !ok {
		return all, false
	}
	all[0] = [4]gray.Point{top, corner, bottom, left}
	all[1] = [4]gray.Point{top, top.Add(bottom).Sub(left), bottom, left}
	all[2] = [4]gray.Point{box[(best+2)%4], box[(best+3)%4], box[best], box[(best+1)%4]}
	return all, slices.ContainsFunc(all[:], func(q [4]gray.Point) bool { return tracks(b, q) })
}

// crossing returns the point in which the lines a-b and c-d meet.
func crossing(a, b, c, d gray.Point) (gray.Point, bool) {
	u, v := b.Sub(a), d.Sub(c)
	den := u.Cross(v)
	if math.Abs(den) < 0.5*u.Len()*v.Len() || u.Len() < minArm/2 || v.Len() < minArm/2 {
		return gray.Point{}, false
	}
	return a.Add(u.Mul(c.Sub(a).Cross(v) / den)), true
}

// tracks reports whether dark and light alternate along the top and the right of q, as far inside as half a module.
func tracks(b *gray.Bits, q [4]gray.Point) bool {
	module, least := math.Inf(1), math.MaxInt
	for _, s := range [2][3]gray.Point{{q[0], q[1], q[2]}, {q[1], q[2], q[3]}} {
		_, changes := walk(b, s[0], s[1], s[2], frameDepth)
		module = min(module, s[1].Sub(s[0]).Len()/float64(changes+1))
		least = min(least, changes)
	}
	if least < minTrack/2 {
		return false
	}
	_, top := walk(b, q[0], q[1], q[2], module/2)
	_, right := walk(b, q[1], q[2], q[3], module/2)
	return max(least, min(top, right)) >= minTrack
}

// walk returns the share of dark pixels on the way from p to q, depth px inside the side, and the number of changes there.
// next is the corner after q.
func walk(b *gray.Bits, p, q, next gray.Point, depth float64) (dark float64, changes int) {
	way, in := q.Sub(p), next.Sub(q)
	n := int(way.Len())
	if n == 0 || in.Len() == 0 {
		return 0, 0
	}
	in = in.Mul(depth / in.Len())
	step := way.Mul(1 / float64(n))
	at := p.Add(in).Add(step.Mul(0.5))
	before := false
	for i := range n {
		x, y := int(at.X), int(at.Y)
		is := x >= 0 && y >= 0 && x < b.Width && y < b.Height && b.At(x, y)
		if is {
			dark++
		}
		if i > 0 && is != before {
			changes++
		}
		before = is
		at = at.Add(step)
	}
	return dark / float64(n), changes
}
