package symbol

import (
	"time"

	"tcode/scanner/gray"
	"tcode/scanner/locate"
)

// meshBoxes bounds the boxes in which the grid of modules is followed.
const meshBoxes = 4

// meshed follows the grid of modules in a box, and reports whether a symbol was read.
func (r *reader) meshed(b gray.Rect) bool {
	start, decode := time.Now(), r.decode
	defer func() { r.locate += time.Since(start) - (r.decode - decode) }()
	return r.finder.Mesh(r.img, b.Grow(margin(b)), func(m *locate.Meshed) bool {
		if r.done() {
			return true
		}
		if m.Score < minScore || r.taken(&m.Candidate) {
			return false
		}
		start := time.Now()
		defer func() { r.decode += time.Since(start) }()
		return r.judgeAgain(&m.Candidate, m.Modules.Grid()) == nil || r.judgeAgain(&m.Candidate, m.Modules.Sharp()) == nil
	})
}
