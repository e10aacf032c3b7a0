package symbol

import (
	"time"

	"tcode/scanner/locate"
)

const (
	// meshBoxes bounds the boxes in which the grid of modules is followed.
	// meshUnclear is the same for boxes in which nothing like a symbol was seen before.
	meshBoxes, meshUnclear = 4, 2
	// meshPixels bounds the pixels that this may look at, again and again, in all of them, about half a
	// second; meshPixelsEach is the same for one, more than the largest symbol needs.
	meshPixels, meshPixelsEach = 1 << 26, 1 << 25
	// meshNode is three times the pixels that a node costs, meshBeside the nodes of a row that a mesh may
	// have beside those of the symbol, of which a row has two for each change.
	meshNode, meshBeside = 3000, 16
	// meshSpare is the number of redundant codewords that each block must leave unused on average: a
	// place is the best of all on a grid, so its finder pattern proves little.
	meshSpare = 3
)

// meshed follows the grid of modules in box h, and reports whether a symbol was read. A box that is
// not clear is searched as it is only.
func (r *reader) meshed(h *hard, clear bool) bool {
	b := h.box
	start, decode := time.Now(), r.decode
	defer func() { r.locate += time.Since(start) - (r.decode - decode) }()
	modules := int(2*h.whole) + meshBeside
	left := min(r.mesh, meshPixelsEach, meshNode*modules*modules)
	r.mesh -= left
	defer func() { r.mesh += max(left, 0) }()
	return r.finder.Mesh(r.img, b.Grow(margin(b)), 2*h.whole, clear, &left, func(m *locate.Meshed) bool {
		if r.done() {
			return true
		}
		if m.Score < minScore || r.taken(&m.Candidate) {
			return false
		}
		start := time.Now()
		defer func() { r.decode += time.Since(start) }()
		return r.prove(&m.Candidate, m.Modules.Grid(), meshSpare) == nil || r.prove(&m.Candidate, m.Modules.Sharp(), meshSpare) == nil
	})
}
