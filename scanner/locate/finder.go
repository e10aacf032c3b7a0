package locate

import (
	"tcode/scanner/ecc200"
	"tcode/scanner/gray"
)

// A Finder holds the memory of searches, which it reuses for the next page. It is not safe
// for concurrent use; its zero value is ready.
type Finder struct {
	pages   pyramid
	tiles   tileMap
	crop    [2]gray.Image // halved box, alternately
	near    [2]gray.Image // halved surroundings of a candidate, alternately
	dx, dy  []int16
	mean    gray.Integral
	acc     houghMap
	parts   components
	frames  framer
	timer   timer
	lattice lattice
	mesh    mesh
	sharp   gray.Image
	padded  gray.Image // box with paper around it
	means   gray.Image // of the tiles of a box
	ink     gray.Bits  // of a box
	tilted  bool       // the search is for a symbol at a slant
	// Lone restricts searches to symbols with a quiet zone along both bars of the finder pattern. It ends most searches early.
	// The pixels beyond the border of an image then count as those at the border, and not as paper.
	Lone bool
	// Stop is asked between the steps of a search, which are shorter than a millisecond or two on most images. When it returns true,
	// the search ends with no more than it has found. nil: it never does.
	Stop func() bool
}

// stopped reports whether the search is to end.
func (f *Finder) stopped() bool { return f.Stop != nil && f.Stop() }

// view returns the slants that the search covers.
func (f *Finder) view() *slant {
	if f.tilted {
		return &tilted
	}
	return &upright
}

// keptPixels is the size of working images above which their memory is released rather
// than kept for the next page: most pages never need as much.
const keptPixels = 1 << 20

// Forget drops the images of the last page and keeps the memory that most pages need.
func (f *Finder) Forget() {
	f.pages.reset(nil)
	f.timer.img = nil
	if cap(f.padded.Pix) > keptPixels {
		f.padded = gray.Image{}
	}
	f.mean.Trim(keptPixels)
	for i := range f.crop {
		if cap(f.crop[i].Pix) > keptPixels {
			f.crop[i] = gray.Image{}
		}
	}
}

// A Box is a part of the image that may hold a symbol.
type Box struct {
	gray.Rect         // px
	Score     float64 // how much it looks like one, for the order only
}

// Likely is the Score of a part of the image, from [Finder.Components] and [Finder.Whole],
// from which it is worth searching at any cost.
const Likely = 6

// A Candidate is a possible symbol.
type Candidate struct {
	Size ecc200.Size
	// Corners are the outer corners in px of the image, in the symbol's own
	// order: top left, top right, bottom right, bottom left. The bars of the finder pattern
	// are left and bottom.
	Corners [4]gray.Point
	// Score says how well the fixed modules fit: 1 is perfect, 0 is chance.
	Score float64
}

// Module returns the mean side of a module in px.
func (c *Candidate) Module() float64 {
	q := c.Corners
	w := q[1].Sub(q[0]).Len() + q[2].Sub(q[3]).Len()
	h := q[3].Sub(q[0]).Len() + q[2].Sub(q[1]).Len()
	return (w/float64(c.Size.Cols) + h/float64(c.Size.Rows)) / 4
}

// Confidence returns how unlikely chance is: the Score weighted by the number of modules
// behind it. Clean symbols reach 4 and more, other ink rarely reaches 3.
func (c *Candidate) Confidence() float64 { return confidence(c.Score, c.Size) }

// Contains reports whether p lies inside the candidate's corners.
func (c *Candidate) Contains(p gray.Point) bool {
	side := 0
	for i, a := range c.Corners {
		if c.Corners[(i+1)%4].Sub(a).Cross(p.Sub(a)) > 0 {
			side++
		}
	}
	return side == 0 || side == 4
}

// Mirrored returns the mirror image of the candidate. The fixed modules of a square symbol
// are the same in it.
func (c Candidate) Mirrored() Candidate {
	c.Corners = mirrored(c.Corners)
	return c
}

// Center returns the mean of the corners.
func (c *Candidate) Center() gray.Point {
	q := c.Corners
	return q[0].Add(q[1]).Add(q[2]).Add(q[3]).Mul(0.25)
}

// scaled returns the candidate in an image k times as large, moved by (x, y) px.
func (c Candidate) scaled(k float64, x, y int) Candidate {
	for i, p := range c.Corners {
		c.Corners[i] = gray.Point{X: p.X*k + float64(x), Y: p.Y*k + float64(y)}
	}
	return c
}

const (
	// maxSearchSide bounds the side of the image in which lines are searched for, px: with
	// angles half a degree apart, a side must lie within two pixels of a line, and the largest
	// symbol must keep its modules apart.
	maxSearchSide = 440
	// maxTiltedSide is the same for the search of a symbol at a slant, which takes several
	// times as long: it is seen from near and has large modules.
	maxTiltedSide = 330
	// tiltedModule is the number of px of a module from which half the size is enough for it.
	tiltedModule = 2.5
	// fineSide is the side at half size up to which the modules of the largest symbols are
	// too small, so that the full size is searched too.
	fineSide = 300
	// minSearchSide is the side up to which a box is enlarged: lines of a few pixels have no
	// direction.
	minSearchSide = 110
	maxEnlarge    = 4
	// quickSide is the side from which half the size is tried first, at a quarter of the
	// cost, if the modules have quickModule px and the box looks very much like a
	// symbol.
	quickSide   = 150
	quickModule = 3
	quickScore  = 9
	// sureConfidence is the Confidence from which a candidate needs no second look.
	sureConfidence = 4
	// loneConfidence is the Confidence at half the size from which the full size is searched for a symbol that stands alone.
	loneConfidence = 3
)

// Search returns the candidates in box, best first, at most limit. The box may reach
// beyond the image, where Search assumes paper.
func (f *Finder) Search(img *gray.Image, box gray.Rect, limit int) []Candidate {
	return f.SearchFirst(img, Box{Rect: box}, limit, nil)
}

// SearchTilted is [Finder.Search] for a symbol that a camera saw at a slant of up to 60
// degrees. It searches nearly four times as many directions, and at half the size if the
// modules are still large enough there, as the score of box tells.
func (f *Finder) SearchTilted(img *gray.Image, box Box, limit int) []Candidate {
	f.tilted = true
	defer func() { f.tilted = false }()
	return f.SearchFirst(img, box, limit, nil)
}

// SearchFirst is [Finder.Search], but it calls sure with clear candidates as soon as it
// finds them: most of them are the symbol at the right place, so that the caller can read
// it before the search ends. If sure returns true, SearchFirst ends and returns nothing.
// sure must not use f.
//
// The score of box, as [Finder.Whole] returns it, decides whether the modules are large
// enough to search at half the size first.
func (f *Finder) SearchFirst(img *gray.Image, box Box, limit int, sure func(*Candidate) bool) []Candidate {
	if box.Clip(img.Width, img.Height).Empty() {
		return nil
	}
	if box.Area() > keptPixels { // as large as a page: no copy for the sake of a margin
		box.Rect = box.Clip(img.Width, img.Height)
	}
	work := f.paper(img, box.Rect, &f.padded)
	scale := 1.0
	turn := 0
	most := maxSearchSide
	if f.tilted {
		most = int(min(max(tiltedModule*2*2*box.Score, minSearchSide), maxTiltedSide))
	}
	for ; max(work.Width, work.Height) > most; turn ^= 1 {
		gray.Halve(&f.crop[turn], work)
		work = &f.crop[turn]
		scale *= 2
	}
	if side := max(work.Width, work.Height); side < minSearchSide && scale == 1 {
		k := min((minSearchSide+side-1)/side, maxEnlarge)
		gray.Enlarge(&f.crop[turn], work, k)
		work, scale = &f.crop[turn], 1/float64(k)
	}
	show := func(scale float64) func(*Candidate) bool {
		if sure == nil {
			return nil
		}
		return func(c *Candidate) bool {
			there := c.scaled(scale, box.X0, box.Y0)
			return sure(&there)
		}
	}
	// A row of modules has about one change for every two modules.
	if side := max(work.Width, work.Height); sure != nil && scale >= 1 && side >= quickSide && float64(side) > quickModule*2*box.Score && box.Score >= quickScore {
		gray.Halve(&f.crop[turn], work)
		found, ended := f.search(&f.crop[turn], limit, show(2*scale))
		if ended || f.Lone && (len(found) == 0 || found[0].Confidence() < loneConfidence) {
			return nil
		}
	}
	found, ended := f.search(work, limit, show(scale))
	if ended {
		return nil
	}
	squarish := 5*min(work.Width, work.Height) > 3*max(work.Width, work.Height)
	if scale == 2 && squarish && max(work.Width, work.Height) <= fineSide && (len(found) == 0 || found[0].Confidence() < sureConfidence) {
		// At half size, the modules of a symbol of more than a hundred modules a side are lost.
		fine, ended := f.search(f.paper(img, box.Rect, &f.padded), limit, show(1))
		if ended {
			return nil
		}
		if len(fine) > 0 && (len(found) == 0 || fine[0].Confidence() > found[0].Confidence()) {
			found, scale = fine, 1
		}
	}
	for i := range found {
		found[i] = found[i].scaled(scale, box.X0, box.Y0)
	}
	return found
}

// paper returns the part of img in box, in memory of into. Where the box reaches beyond
// the image, it is filled with the lightest tone nearby.
func (f *Finder) paper(img *gray.Image, box gray.Rect, into *gray.Image) *gray.Image {
	inside := box.Clip(img.Width, img.Height)
	crop := img.Crop(inside)
	if inside == box {
		return crop
	}
	into.Reset(box.X1-box.X0, box.Y1-box.Y0)
	if f.Lone {
		extend(into, crop, inside.X0-box.X0, inside.Y0-box.Y0)
		return into
	}
	var h gray.Histogram
	h.Count(crop, 1+min(crop.Width, crop.Height)/100)
	into.Fill(byte(h.Quantile(0.95)))
	for y := range crop.Height {
		copy(into.Row(y + inside.Y0 - box.Y0)[inside.X0-box.X0:], crop.Row(y))
	}
	return into
}

// extend fills into with crop at (x, y), and around it with the nearest pixel of crop.
func extend(into, crop *gray.Image, x, y int) {
	for row := range into.Height {
		from := crop.Row(min(max(row-y, 0), crop.Height-1))
		to := into.Row(row)
		for i := range to[:x] {
			to[i] = from[0]
		}
		copy(to[x:], from)
		for i := x + len(from); i < len(to); i++ {
			to[i] = from[len(from)-1]
		}
	}
}
