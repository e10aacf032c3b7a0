package placement

import (
	"slices"
	"strings"
	"unicode/utf8"

	"tcode/offline/geometry"
	"tcode/server/fault"
	"tcode/server/lettering"
)

// Bounds on lengths, in mm unless they say otherwise. The longest page a PDF
// can have is 200 inches at 72 units an inch (ISO 32000-1, annex C).
const (
	maxPageMM   = 5100
	maxMarginMM = 5000
	maxPadding  = 100
)

// Check returns a fault that names all that is wrong with s by the field paths
// of the API, or nil.
func (s Spec) Check() error {
	var p fault.Fields
	p.Text("name", s.Name, true, MaxName)
	p.Text("description", s.Description, false, MaxDescription)
	s.checkPlace(&p)
	s.checkPages(&p)
	if r := s.Rotation; r != nil && !slices.Contains([]int{0, 90, 180, 270}, *r) {
		p.Add("rotation", "must be 0, 90, 180 or 270")
	}
	if s.Link != "" {
		oneOf(&p, "link", s.Link, []Link{LinkNone, LinkQR})
	}
	if m := s.SafeMargins; m != nil {
		within(&p, "safeMargins.top", &m.Top, 0, maxMarginMM)
		within(&p, "safeMargins.right", &m.Right, 0, maxMarginMM)
		within(&p, "safeMargins.bottom", &m.Bottom, 0, maxMarginMM)
		within(&p, "safeMargins.left", &m.Left, 0, maxMarginMM)
	}
	if w := s.WhiteBox; w != nil {
		within(&p, "whiteBox.paddingMm", &w.PaddingMM, 0, maxPadding)
		within(&p, "whiteBox.opacity", &w.Opacity, 0, 1)
	}
	if c := s.Caption; c != nil {
		p.Text("caption.text", c.Text, false, MaxCaption)
		if len(c.Text) <= utf8.UTFMax*MaxCaption { // or it is refused for its length
			if _, err := lettering.Shape(c.Text); err != nil {
				p.Add("caption.text", "%v", err)
			}
		}
		oneOf(&p, "caption.position", c.Position, geometry.Sides())
		within(&p, "caption.fontSizePt", &c.FontSizePt, 1, 72)
	}
	if c := s.ScanSafety; c != nil {
		within(&p, "scanSafety.minModuleMm", c.MinModuleMM, 0.1, 10)
		within(&p, "scanSafety.quietZoneModules", &c.QuietZoneModules, 1, 20)
		oneOf(&p, "scanSafety.collision", c.Collision, []Collision{CollisionAllow, CollisionWarn, CollisionReject, CollisionRelocate})
		if c.Rendering != "" { // of a template that was stored before there was a choice
			oneOf(&p, "scanSafety.rendering", c.Rendering, []Rendering{RenderingReject, RenderingWarn, RenderingOff})
		}
		if c.TargetDPI < 72 || c.TargetDPI > 2400 {
			p.Add("scanSafety.targetDpi", "must be 72 to 2400")
		}
	}
	if p.Err() == nil {
		s.checkPossible(&p)
	}
	return p.Err()
}

func (s Spec) checkPlace(p *fault.Fields) {
	s.share(p, "xNorm", s.XNorm, true, true)
	s.share(p, "yNorm", s.YNorm, false, true)
	s.share(p, "wNorm", s.WNorm, true, false)
	s.share(p, "hNorm", s.HNorm, false, false)
	if s.XNorm != nil && s.YNorm == nil {
		p.Add("xNorm", "needs yNorm")
	}
	if s.YNorm != nil && s.XNorm == nil {
		p.Add("yNorm", "needs xNorm")
	}
	if s.Anchor != "" {
		oneOf(p, "anchor", s.Anchor, geometry.Anchors())
	}
	if z := s.PageSizeMM; z != nil {
		within(p, "pageSizeMmWidth", &z.Width, 1, maxPageMM)
		within(p, "pageSizeMmHeight", &z.Height, 1, maxPageMM)
	}
}

// a4 is the page of which millimetres are told where a template names no other.
var a4 = geometry.Size{Width: 210, Height: 297}

// share adds a message unless v is absent or a share of the page's width, or height, in
// which 0 may be allowed. A number above 1 is likely meant in mm: the message says which
// share that is.
func (s Spec) share(p *fault.Fields, field string, v *float64, width, zero bool) {
	if v == nil || *v <= 1 && (*v > 0 || zero && *v == 0) {
		return
	}
	page, of, kind := a4, "height", "an A4 page"
	if z := s.PageSizeMM; z != nil && z.Width > 0 && z.Height > 0 {
		page, kind = *z, "the page of this template"
	}
	whole := page.Height
	if width {
		of, whole = "width", page.Width
	}
	least := "above 0 and at most 1"
	if zero {
		least = "0 to 1"
	}
	if *v > 1 && *v <= whole {
		p.Add(field, "must be %s, a share of the page's %s, not mm: %g mm are %.4g of the %g mm of %s", least, of, *v, *v/whole, whole, kind)
		return
	}
	p.Add(field, "must be %s, a share of the page's %s, not mm or points", least, of)
}

func (s Spec) checkPages(p *fault.Fields) {
	if s.PageScope != "" {
		oneOf(p, "pageScope", s.PageScope, geometry.Scopes())
	}
	switch custom := s.PageScope == geometry.CustomPages; {
	case custom && s.CustomPages == "":
		p.Add("customPages", "is needed where pageScope is custom")
	case !custom && s.CustomPages != "":
		p.Add("customPages", "needs pageScope custom")
	case custom:
		if _, err := ParsePages(s.CustomPages); err != nil {
			p.Add("customPages", "%v", err)
		}
	}
}

// within adds a message unless v is absent or from least to limit; NaN is
// neither.
func within(p *fault.Fields, field string, v *float64, least, limit float64) {
	if v != nil && !(*v >= least && *v <= limit) {
		p.Add(field, "must be %v to %v", least, limit)
	}
}

func oneOf[S ~string](p *fault.Fields, field string, v S, words []S) {
	if slices.Contains(words, v) {
		return
	}
	list := make([]string, len(words))
	for i, w := range words {
		list[i] = string(w)
	}
	p.Add(field, "must be one of %s", strings.Join(list, ", "))
}
