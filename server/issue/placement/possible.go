package placement

import (
	"math"

	"tcode/offline/geometry"
	"tcode/server/fault"
)

const (
	leastSide = 40 // modules, of a stamp without signed fields
	// longestPage is the longest side of a page that is stamped, 1<<20 pt, in mm.
	longestPage = 1 << 20 * 25.4 / 72
)

// checkPossible adds a message for bounds that leave too little for a symbol on every page that there
// is. What else does not fit depends on the page: the preview says so.
func (s Spec) checkPossible(p *fault.Fields) {
	takes, module := s.least()
	most := geometry.Size{Width: longestPage, Height: longestPage}
	if s.PageSizeMM != nil {
		most = *s.PageSizeMM
	}
	square := s.Link != LinkQR // the box with a QR code is twice as wide
	turned := s.Rotation != nil && *s.Rotation%180 != 0
	for _, bound := range []struct {
		field string
		share *float64
		of    float64
		wide  bool // the QR code lies along this side
	}{{"wNorm", s.WNorm, most.Width, !square && !turned}, {"hNorm", s.HNorm, most.Height, !square && turned}} {
		if bound.share == nil {
			continue
		}
		has, needs := *bound.share*bound.of, takes.Width
		if bound.wide {
			needs = takes.Height
		}
		if has < needs*(1-1e-9) {
			p.Add(bound.field, "leaves no page more than %.3g mm for a stamp that takes %.3g mm: %d modules of %.3g mm, their quiet zone and the padding",
				has, needs, leastSide, module)
		}
	}
}

// least returns what the smallest stamp takes, in mm: Width of a side, and Height of a side along which
// a QR code lies too. module is the width of its modules.
func (s Spec) least() (takes geometry.Size, module float64) {
	safety := DefaultScanSafety
	if s.ScanSafety != nil {
		safety = *s.ScanSafety
	}
	module = geometry.LeastModuleMM(geometry.Size{}, safety.TargetDPI)
	if safety.MinModuleMM != nil {
		module = max(module, *safety.MinModuleMM)
	}
	padding := 0.0
	if w := s.WhiteBox; w != nil && w.Enabled && w.Opacity > 0 {
		padding = 2 * w.PaddingMM
	}
	square := module * (leastSide + 2*math.Max(safety.QuietZoneModules, 1))
	return geometry.Size{Width: square + padding, Height: 2*square + padding}, module
}
