package locate

import (
	"tcode/scanner/gray"
)

const (
	// coarseSide is the side in px to which a box is shrunk to tell whether it may hold a
	// symbol at all. The finder pattern of the largest symbol still has its long edges there.
	coarseSide = 110
	// coarseLeast is the side up to which a small box is enlarged for that.
	coarseLeast = 55
	// coarseStep is the step in px between those that tell its main directions.
	coarseStep = 3
	// evidenceCells is the number of cells along a side of a symbol, evidenceTaps that of
	// the pixels along a side of a cell that are looked at.
	evidenceCells = 6
	evidenceTaps  = 5
	// unevenLight is the number of gray levels between the lightest and the darkest quarter
	// of a box from which light counts as uneven.
	unevenLight   = 20
	evidenceInset = 0.08 // share of the symbol's side at its border that has no cells
)

// minEvidence is the evidence from which a box may hold a symbol: the worst of those that are
// read, in deep shadow or under glare, have 0.17, other parts of pages and photos seldom more
// than 0.1.
const minEvidence = 0.12

// minEvidenceEven and minEvidenceTilted are the same for boxes whose contrast was made even and for symbols at a
// slant, which get more chances.
const (
	minEvidenceEven   = 0.2
	minEvidenceTilted = 0.15
)

// Plausible reports whether box may hold a symbol at all, by a cheap look at a small size: two
// long edges meet in a corner with their dark sides inward, edges of the opposite sign lie
// across from both, and nearly all of the area between has changes in both directions. Call it
// after [Finder.Boxes] of the same image. A dense box has the texture of a symbol: if it is
// partly in shadow or glare, Plausible looks again with the same contrast everywhere.
func (f *Finder) Plausible(img *gray.Image, box gray.Rect, dense bool) bool {
	work := f.coarse(img, box)
	if f.evidence(work, &coarse, minEvidence, minEvidence) >= minEvidence {
		return true
	}
	if !dense || !uneven(work) {
		return false
	}
	work = flatten(work, max(min(work.Width, work.Height)/6, 3))
	return f.evidence(work, &coarse, minEvidenceEven, minEvidenceEven) >= minEvidenceEven
}

// uneven reports whether the quarters of m differ in lightness more than those of a symbol
// in even light.
func uneven(m *gray.Image) bool {
	lo, hi := 255, 0
	w, h := m.Width/2, m.Height/2
	for k := range 4 {
		sum, n := 0, 0
		for y := k / 2 * h; y < (k/2+1)*h; y += 2 {
			for _, v := range m.Row(y)[k%2*w : (k%2+1)*w] {
				sum += int(v)
			}
			n += w
		}
		if n > 0 {
			lo, hi = min(lo, sum/n), max(hi, sum/n)
		}
	}
	return hi-lo > unevenLight
}

// PlausibleTilted is [Finder.Plausible] for a symbol that a camera saw at a slant.
func (f *Finder) PlausibleTilted(img *gray.Image, box gray.Rect) bool {
	return f.evidence(f.coarse(img, box), &coarseTilted, minEvidenceTilted, minEvidenceTilted) >= minEvidenceTilted
}

// evidence returns how much box looks like a symbol, as a product of shares: of the sides of
// the box that the corner's arms cover, of the sides across that have edges, of the cells
// between that have changes. It ends when the product is at least enough, and returns 0 for
// less than least.
func (f *Finder) evidence(work *gray.Image, view *slant, least, enough float64) float64 {
	w, h := work.Width, work.Height
	if w < 3 || h < 3 {
		return 0
	}
	a, b := axes(f.edges(work, coarseStep), view.square)
	segs := f.segments(work, [families]float64{a, b}, view)
	best := 0.0
	all := corners(segs, view.corners)
	if f.Lone {
		all = lone(work, all)
	}
	for _, c := range all {
		share := c.rating / float64(w+h)
		if share <= max(best, least) || best >= enough {
			break // the others are weaker, and no factor is more than 1
		}
		best = max(best, f.enclosed(work, &c, share, max(best, least), view))
	}
	return best
}

// coarse returns the part of img in box at the size for Evidence.
func (f *Finder) coarse(img *gray.Image, box gray.Rect) *gray.Image {
	if box.Clip(img.Width, img.Height).Empty() {
		return &gray.Image{}
	}
	if f.pages.img != img {
		f.pages.reset(img)
	}
	n := 0
	for max(box.X1-box.X0, box.Y1-box.Y0)>>n > coarseSide {
		n++
	}
	half := (1 << n) / 2
	small := gray.Rect{X0: (box.X0 - half) >> n, Y0: (box.Y0 - half) >> n, X1: (box.X1 + half) >> n, Y1: (box.Y1 + half) >> n}
	level := f.pages.level(n)
	if small.Clip(level.Width, level.Height).Empty() {
		small = gray.Rect{X1: level.Width, Y1: level.Height}
	}
	work := f.paper(level, small, &f.padded)
	if side := max(work.Width, work.Height); side < coarseLeast {
		gray.Enlarge(&f.crop[0], work, min((coarseLeast+side-1)/side, maxEnlarge))
		work = &f.crop[0]
	}
	return work
}

// enclosed returns the evidence for the symbol of corner c, whose arms cover share of the
// image's sides, or 0 if it is not more than least.
func (f *Finder) enclosed(img *gray.Image, c *corner, share, least float64, view *slant) (best float64) {
	bottom, left := c.order()
	for _, lengths := range c.lengths(bottom, left) {
		up, right := c.arms[left].Mul(lengths[1]), c.arms[bottom].Mul(lengths[0])
		top := f.across(img, bottom, c, c.at.Add(up), right, view.reach*lengths[1]+2)
		if share*(top+1)/2 <= max(least, best) {
			continue
		}
		side := f.across(img, left, c, c.at.Add(right), up, view.reach*lengths[0]+2)
		e := share * (top + side) / 2
		if e <= max(least, best) {
			continue
		}
		best = max(best, e*f.busy(img, c, up, right))
	}
	return best
}

// across returns how much of the side opposite an arm of c, which starts at p and runs along
// span, has edges of the opposite sign.
func (f *Finder) across(img *gray.Image, arm int, c *corner, p, span gray.Point, reach float64) float64 {
	return f.covered(img, f.opposite(img, arm, &c.sides[arm], p, span, reach), p, span)
}

// busy returns the share of the cells between the arms of c, the vectors up and right, that
// have edges of both directions.
func (f *Finder) busy(img *gray.Image, c *corner, up, right gray.Point) float64 {
	const n, taps = evidenceCells, evidenceTaps
	const step = (1 - 2*evidenceInset) / (n * taps)
	w, h := img.Width, img.Height
	least := float64(f.acc.strong * f.acc.strong)
	var seen [n * n]uint8
	for i := range n * taps {
		from := c.at.Add(up.Mul(evidenceInset + (float64(i)+0.5)*step))
		for j := range n * taps {
			cell := &seen[i/taps*n+j/taps]
			if *cell == 3 {
				continue
			}
			p := from.Add(right.Mul(evidenceInset + (float64(j)+0.5)*step))
			x, y := int(p.X), int(p.Y)
			if x < 0 || y < 0 || x >= w || y >= h {
				continue
			}
			g := gray.Point{X: float64(f.dx[y*w+x]), Y: float64(f.dy[y*w+x])}
			if v := g.Dot(c.arms[0]); v*v > least {
				*cell |= 1
			}
			if v := g.Dot(c.arms[1]); v*v > least {
				*cell |= 2
			}
		}
	}
	both := 0
	for _, v := range seen {
		if v == 3 {
			both++
		}
	}
	return float64(both) / (n * n)
}
