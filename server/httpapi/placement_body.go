package httpapi

import (
	"slices"
	"strings"

	"tcode/offline/geometry"
	"tcode/server/fault"
	"tcode/server/httpapi/api"
	"tcode/server/httpapi/gate"
	"tcode/server/issue/placement"
)

// placementSpec turns the body of a creation or update into a template, and its
// aliases into the members that they name. The fault lists all errors, under the
// names that the client used.
func placementSpec(b *api.TCodePlacementTemplateRequest) (placement.Spec, error) {
	bad := gate.Fields{}
	names := map[string]string{} // the name that the client used
	alias := func(name string, value *float64, other string, otherValue *float64) *float64 {
		switch {
		case otherValue == nil:
			return value
		case value != nil:
			bad.Add(other, "is another name of %s: only one of the two may be sent", name)
		}
		names[name] = other
		return otherValue
	}
	s := placement.Spec{
		Name:        b.Name,
		Description: deref(b.Description),
		XNorm:       alias("xNorm", b.XNorm, "positionX", b.PositionX),
		YNorm:       alias("yNorm", b.YNorm, "positionY", b.PositionY),
		WNorm:       alias("wNorm", b.WNorm, "width", b.Width),
		HNorm:       alias("hNorm", b.HNorm, "height", b.Height),
		Anchor:      geometry.Anchor(deref(b.Anchor)),
		PageScope:   geometry.Scope(deref(b.PageScope)),
		CustomPages: deref(b.CustomPages),
		Link:        placement.Link(deref(b.Link)),
	}
	switch {
	case b.Page == nil:
	case s.PageScope != "" || s.CustomPages != "":
		bad.Add("page", "is another name of pageScope and customPages: only one of them may be sent")
	default:
		s.PageScope, s.CustomPages = pagesNamed(*b.Page)
		names["pageScope"], names["customPages"] = "page", "page"
	}
	if b.Rotation != nil {
		degrees := int(*b.Rotation)
		s.Rotation = &degrees
	}
	switch w, h := b.PageSizeMmWidth, b.PageSizeMmHeight; {
	case w != nil && h != nil:
		s.PageSizeMM = &geometry.Size{Width: *w, Height: *h}
	case w != nil:
		bad.Add("pageSizeMmWidth", "needs pageSizeMmHeight")
	case h != nil:
		bad.Add("pageSizeMmHeight", "needs pageSizeMmWidth")
	}
	placementParts(&s, b)
	return s, placementFault(s, bad, names)
}

// pagesNamed reads page, which is a scope or a list of pages.
func pagesNamed(page string) (geometry.Scope, string) {
	if scope := geometry.Scope(strings.ToLower(page)); scope != geometry.CustomPages && slices.Contains(geometry.Scopes(), scope) {
		return scope, ""
	}
	return geometry.CustomPages, page
}

// placementFault returns the errors of s together with those in bad.
func placementFault(s placement.Spec, bad gate.Fields, names map[string]string) error {
	if err := s.Check(); err != nil {
		for field, messages := range fault.As(err).Fields {
			if other, ok := names[field]; ok {
				field = other
			}
			for _, m := range messages {
				bad.Add(field, "%s", m)
			}
		}
	}
	if len(bad) == 0 {
		return nil
	}
	return gate.Invalid(bad)
}

// placementParts copies the parts that the client sent to s. A member that the
// client did not send gets its default.
func placementParts(s *placement.Spec, b *api.TCodePlacementTemplateRequest) {
	if m := b.SafeMargins; m != nil {
		d := placement.DefaultMargins
		s.SafeMargins = &geometry.Margins{Top: or(m.Top, d.Top), Right: or(m.Right, d.Right), Bottom: or(m.Bottom, d.Bottom), Left: or(m.Left, d.Left)}
	}
	if w := b.WhiteBox; w != nil {
		d := placement.DefaultWhiteBox
		s.WhiteBox = &placement.WhiteBox{Enabled: or(w.Enabled, d.Enabled), PaddingMM: or(w.PaddingMm, d.PaddingMM), Opacity: or(w.Opacity, d.Opacity)}
	}
	if c := b.Caption; c != nil {
		d := placement.DefaultCaption
		s.Caption = &placement.Caption{
			Enabled: or(c.Enabled, d.Enabled), Text: deref(c.Text), Position: d.Position,
			FontSizePt: or(c.FontSizePt, d.FontSizePt), ShowReference: or(c.ShowReference, d.ShowReference),
		}
		if c.Position != nil {
			s.Caption.Position = geometry.Side(*c.Position)
		}
	}
	if c := b.ScanSafety; c != nil {
		d := placement.DefaultScanSafety
		s.ScanSafety = &placement.ScanSafety{
			MinModuleMM: c.MinModuleMm, QuietZoneModules: or(c.QuietZoneModules, d.QuietZoneModules),
			Collision: d.Collision, TargetDPI: int(or(c.TargetDpi, int32(d.TargetDPI))), Rendering: d.Rendering,
		}
		if c.Collision != nil {
			s.ScanSafety.Collision = placement.Collision(*c.Collision)
		}
		if c.Rendering != nil {
			s.ScanSafety.Rendering = placement.Rendering(*c.Rendering)
		}
	}
}

// or returns *p, or v if p is nil.
func or[T any](p *T, v T) T {
	if p != nil {
		return *p
	}
	return v
}
