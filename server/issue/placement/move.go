package placement

import "tcode/offline/geometry"

// Margins returns the margins that apply.
func (s Spec) Margins() geometry.Margins {
	if s.SafeMargins != nil {
		return *s.SafeMargins
	}
	return DefaultMargins
}

// Point returns where the box's anchor point lies on a page, in mm from its top left
// corner.
func (s Spec) Point(page geometry.Size) (x, y float64) {
	if s.XNorm != nil && s.YNorm != nil {
		return *s.XNorm * page.Width, *s.YNorm * page.Height
	}
	m := s.Margins()
	fx, fy := s.Anchor.Fractions()
	return m.Left + fx*(page.Width-m.Left-m.Right), m.Top + fy*(page.Height-m.Top-m.Bottom)
}

// At returns s with its anchor point at a place of a page, in mm from its top left corner.
func (s Spec) At(page geometry.Size, x, y float64) Spec {
	if s.Anchor == "" {
		s.Anchor = geometry.BottomRight
		if s.XNorm != nil {
			s.Anchor = geometry.TopLeft // as fractions count, from the top left
		}
	}
	across, down := min(max(x/page.Width, 0), 1), min(max(y/page.Height, 0), 1)
	s.XNorm, s.YNorm = &across, &down
	return s
}

// Moved returns s with its box moved on a page, in mm.
func (s Spec) Moved(page geometry.Size, right, down float64) Spec {
	x, y := s.Point(page)
	return s.At(page, x+right, y+down)
}
