package stampdesk

import (
	"cmp"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"tcode/offline/geometry"
	"tcode/offline/payload"
	"tcode/server/console/frame"
	"tcode/server/issue/placement"
)

// A form is the editor's form as it was sent.
type form struct {
	v     url.Values
	pages []geometry.Size
}

// Names of members of the form.
const (
	inPage      = "page" // that is shown
	inName      = "name"
	inType      = "documentTypeCode"
	inExternal  = "externalId"
	inTest      = "test"
	inTdoc      = "tdoc"
	inPlacement = "placement" // id of the loaded placement template
	inTplName   = "templateName"
	inTplText   = "templateDescription"
	fieldPrefix = "field." // and the key of a field of the TDoc template

	inAt, inX, inY, inSize, inHeight, inAnchor = "at", "x", "y", "size", "height", "anchor"
	inScope, inCustom, inRotation              = "scope", "custom", "rotation"
	inClash, inDPI, inRendering, inModule      = "clash", "dpi", "rendering", "module"
	inQuiet, inBox, inPadding, inOpacity       = "quiet", "box", "padding", "opacity"
	inCaption, inCaptionText, inCaptionSide    = "caption", "captionText", "captionSide"
	inCaptionFont, inCaptionRef, inLink        = "captionFont", "captionRef", "link"
	inTop, inRight, inBottom, inLeft           = "top", "right", "bottom", "left"
)

// Values of "at".
const (
	atMargins = "margins" // at the anchor, within the margins
	atPoint   = "point"
)

// placeInputs are the members that describe a placement.
var placeInputs = []string{
	inAt, inX, inY, inSize, inHeight, inAnchor, inScope, inCustom, inRotation, inClash, inDPI, inRendering, inModule, inQuiet, inBox, inPadding, inOpacity,
	inCaption, inCaptionText, inCaptionSide, inCaptionFont, inCaptionRef, inLink, inTop, inRight, inBottom, inLeft,
}

// pathOf maps the paths of faults on placements to members of the form.
var pathOf = map[string]string{
	"xNorm": inX, "yNorm": inY, "wNorm": inSize, "hNorm": inHeight, "anchor": inAnchor, "pageScope": inScope, "customPages": inCustom, "rotation": inRotation,
	"safeMargins.top": inTop, "safeMargins.right": inRight, "safeMargins.bottom": inBottom, "safeMargins.left": inLeft,
	"whiteBox.paddingMm": inPadding, "whiteBox.opacity": inOpacity,
	"caption.text": inCaptionText, "caption.position": inCaptionSide, "caption.fontSizePt": inCaptionFont,
	"scanSafety.minModuleMm": inModule, "scanSafety.quietZoneModules": inQuiet, "scanSafety.collision": inClash, "scanSafety.targetDpi": inDPI, "scanSafety.rendering": inRendering,
	"name": inTplName, "description": inTplText,
}

// get returns a member without white space around it.
func (f form) get(name string) string { return strings.TrimSpace(f.v.Get(name)) }

func (f form) is(name string) bool { return f.v.Get(name) != "" }

// page returns the number of the page that is shown.
func (f form) page() int {
	n, _ := strconv.Atoi(f.get(inPage))
	return min(max(n, 1), max(len(f.pages), 1))
}

// size returns the size of the page that is shown.
func (f form) size() geometry.Size {
	if len(f.pages) == 0 {
		return geometry.Size{Width: 210, Height: 297}
	}
	return f.pages[f.page()-1]
}

// problems collects what is wrong with members of the form.
type problems map[string]frame.Sentences

func (p problems) add(name, problem string) { p[name] = append(p[name], frame.Own(problem)...) }

// number reads a member in mm or another unit. ok is false if it is empty or wrong.
func (f form) number(bad problems, t *words, name string, least, most float64) (v float64, ok bool) {
	text := f.get(name)
	if text == "" {
		return 0, false
	}
	v, err := strconv.ParseFloat(strings.Replace(text, ",", ".", 1), 64)
	if err != nil || !(v >= least && v <= most) {
		bad.add(name, t.between(least, most))
		return 0, false
	}
	return v, true
}

// or is number with a value for an empty member.
func (f form) or(bad problems, t *words, name string, least, most, empty float64) float64 {
	if v, ok := f.number(bad, t, name, least, most); ok {
		return v
	}
	return empty
}

// longest is the longest side of a page, in mm.
const longest = 5100

// spec returns the placement that the form describes.
func (f form) spec(bad problems, t *words) placement.Spec {
	page := f.size()
	s := placement.Spec{
		Name: "console", Anchor: geometry.Anchor(f.get(inAnchor)),
		PageScope: geometry.Scope(f.get(inScope)), CustomPages: f.get(inCustom),
	}
	if s.PageScope != geometry.CustomPages {
		s.CustomPages = ""
	}
	if degrees, err := strconv.Atoi(f.get(inRotation)); err == nil && degrees != 0 {
		s.Rotation = &degrees
	}
	m, d := geometry.Margins{}, placement.DefaultMargins
	m.Top, m.Right = f.or(bad, t, inTop, 0, longest, d.Top), f.or(bad, t, inRight, 0, longest, d.Right)
	m.Bottom, m.Left = f.or(bad, t, inBottom, 0, longest, d.Bottom), f.or(bad, t, inLeft, 0, longest, d.Left)
	s.SafeMargins = &m
	f.point(&s, page, bad, t)
	f.bounds(&s, page, bad, t)
	f.looks(&s, bad, t)
	return s
}

// point sets the point of s.
func (f form) point(s *placement.Spec, page geometry.Size, bad problems, t *words) {
	if f.get(inAt) != atPoint {
		return
	}
	x, okX := f.number(bad, t, inX, 0, page.Width)
	y, okY := f.number(bad, t, inY, 0, page.Height)
	for _, in := range []struct {
		name string
		ok   bool
	}{{inX, okX}, {inY, okY}} {
		if !in.ok && len(bad[in.name]) == 0 {
			bad.add(in.name, t.Needed)
		}
	}
	if okX && okY {
		*s = s.At(page, x, y)
	}
}

// bounds sets the size of s.
func (f form) bounds(s *placement.Spec, page geometry.Size, bad problems, t *words) {
	w, ok := f.number(bad, t, inSize, 1, page.Width)
	if !ok {
		return
	}
	h := f.or(bad, t, inHeight, 1, page.Height, min(w, page.Height))
	across, down := w/page.Width, h/page.Height
	s.WNorm, s.HNorm, s.PageSizeMM = &across, &down, &page
}

// looks sets white box, caption and scan safety of s.
func (f form) looks(s *placement.Spec, bad problems, t *words) {
	box := placement.DefaultWhiteBox
	box.Enabled = f.is(inBox)
	box.PaddingMM, box.Opacity = f.or(bad, t, inPadding, 0, 100, box.PaddingMM), f.or(bad, t, inOpacity, 0, 100, 100*box.Opacity)/100
	s.WhiteBox = &box
	if f.is(inLink) {
		s.Link = placement.LinkQR
	}
	text := placement.DefaultCaption
	text.Enabled, text.Text, text.ShowReference = f.is(inCaption), f.get(inCaptionText), f.is(inCaptionRef)
	text.Position, text.FontSizePt = cmp.Or(geometry.Side(f.get(inCaptionSide)), text.Position), f.or(bad, t, inCaptionFont, 1, 72, text.FontSizePt)
	s.Caption = &text
	safe := placement.DefaultScanSafety
	safe.Collision = cmp.Or(placement.Collision(f.get(inClash)), safe.Collision)
	safe.Rendering = cmp.Or(placement.Rendering(f.get(inRendering)), safe.Rendering)
	safe.QuietZoneModules = f.or(bad, t, inQuiet, 1, 20, safe.QuietZoneModules)
	safe.TargetDPI = int(f.or(bad, t, inDPI, 72, 2400, float64(safe.TargetDPI)))
	if v, ok := f.number(bad, t, inModule, 0.1, 10); ok {
		safe.MinModuleMM = &v
	}
	s.ScanSafety = &safe
}

// load fills the form's placement with s.
func (f form) load(s placement.Spec) {
	page := f.size()
	set := func(name, value string) { f.v.Set(name, value) }
	tick := func(name string, on bool) {
		f.v.Del(name)
		if on {
			set(name, "on")
		}
	}
	x, y := s.Point(page)
	set(inAt, atMargins)
	anchor := cmp.Or(s.Anchor, geometry.BottomRight)
	if s.XNorm != nil {
		set(inAt, atPoint)
		anchor = cmp.Or(s.Anchor, geometry.TopLeft)
	}
	set(inX, mm(x))
	set(inY, mm(y))
	set(inAnchor, string(anchor))
	set(inScope, string(cmp.Or(s.PageScope, geometry.LastPage)))
	set(inCustom, s.CustomPages)
	f.loadSize(s, page)
	set(inRotation, "0")
	if s.Rotation != nil {
		set(inRotation, strconv.Itoa(*s.Rotation))
	}
	m := s.Margins()
	for name, v := range map[string]float64{inTop: m.Top, inRight: m.Right, inBottom: m.Bottom, inLeft: m.Left} {
		set(name, mm(v))
	}
	box, text, safe := placement.DefaultWhiteBox, placement.DefaultCaption, placement.DefaultScanSafety
	text.Enabled = false
	if s.WhiteBox != nil {
		box = *s.WhiteBox
	}
	if s.Caption != nil {
		text = *s.Caption
	}
	if s.ScanSafety != nil {
		safe = *s.ScanSafety
	}
	tick(inBox, box.Enabled)
	set(inPadding, mm(box.PaddingMM))
	set(inOpacity, mm(100*box.Opacity))
	tick(inCaption, text.Enabled)
	tick(inCaptionRef, text.ShowReference)
	tick(inLink, s.Link == placement.LinkQR)
	set(inCaptionText, text.Text)
	set(inCaptionSide, string(text.Position))
	set(inCaptionFont, mm(text.FontSizePt))
	set(inClash, string(safe.Collision))
	set(inRendering, string(cmp.Or(safe.Rendering, placement.DefaultScanSafety.Rendering)))
	set(inQuiet, mm(safe.QuietZoneModules))
	set(inDPI, strconv.Itoa(safe.TargetDPI))
	set(inModule, "")
	if safe.MinModuleMM != nil {
		set(inModule, mm(*safe.MinModuleMM))
	}
}

func (f form) loadSize(s placement.Spec, page geometry.Size) {
	of := page
	if s.PageSizeMM != nil {
		of = *s.PageSizeMM
	}
	w, h := 0.0, 0.0
	if s.WNorm != nil {
		w = min(*s.WNorm*of.Width, page.Width)
	}
	if s.HNorm != nil {
		h = min(*s.HNorm*of.Height, page.Height)
	}
	f.v.Set(inSize, "")
	f.v.Set(inHeight, "")
	if w = cmp.Or(w, h); w > 0 {
		f.v.Set(inSize, mm(w))
	}
	if h > 0 && math.Abs(h-w) >= 0.01 {
		f.v.Set(inHeight, mm(h))
	}
}

// mm writes a length, to a hundredth.
func mm(v float64) string { return strconv.FormatFloat(math.Round(100*v)/100, 'f', -1, 64) }

// samePlace reports whether two forms describe the same placement.
func (f form) samePlace(g form) bool {
	return !slices.ContainsFunc(placeInputs, func(name string) bool { return f.get(name) != g.get(name) })
}

// copied returns a form with the members that a next document shares: all but its own.
func (f form) copied() form {
	out := form{v: url.Values{}, pages: f.pages}
	for _, name := range append([]string{inType, inTdoc, inPlacement, inTest}, placeInputs...) {
		if v, ok := f.v[name]; ok {
			out.v[name] = v
		}
	}
	return out
}

// fields returns the values of the fields, and those that the document would be stamped
// with.
func (f form) fields(known []fieldInput) (out []payload.Field) {
	for _, k := range known {
		if v := f.get(k.In); v != "" {
			out = append(out, payload.Field{Key: k.Key, Value: v})
		}
	}
	return out
}
