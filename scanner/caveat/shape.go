package caveat

import (
	"math"

	"tcode/scanner/pdfobj"
)

// painted are annotations on which programs disagree if they have no appearance: some
// programs draw them from their entries, over anything, and some draw nothing.
var painted = map[pdfobj.Name]bool{"Line": true, "Square": true, "Circle": true, "Polygon": true, "PolyLine": true, "Redact": true, "Ink": true}

// shape says why programs draw an annotation differently whatever its appearance is, as
// the end of a sentence; it is empty if no reason is known.
func (f *finder) shape(d pdfobj.Dict) string {
	const invisible = 1
	kind := d.Name("Subtype")
	flags, _ := f.doc.Value(d["F"]).(int)
	place, ok := numbers(f.doc.Array(d["Rect"]))
	o, drawn := f.appearance(d)
	switch {
	case !ok || len(place) != 4:
		return " has no place that all programs agree on"
	case place[0] == place[2] || place[1] == place[3]:
		return ""
	case drawn && flags&invisible != 0:
		return " is invisible to some programs"
	case !drawn && painted[kind]:
		return " has no picture, so that programs draw it in different ways"
	case !drawn && kind == "Widget" && f.doc.Dict(d["MK"]).Has("BG"):
		return " has no picture, but a background, which some programs draw"
	case !drawn && kind == "Link" && f.wide(d):
		return " has a border that hides everything below it in some programs"
	case !drawn:
		return ""
	}
	if box, ok := rectangle(f.doc, o.Dict()["BBox"]); ok && (box.width() <= 0 || box.height() <= 0) {
		return " has a picture of no size"
	}
	if c, ok := numbers(f.doc.Array(d["C"])); kind == "Highlight" && ok && len(c) > 0 && lightness(c) < 0.3 {
		return " hides everything below it in some programs"
	}
	return ""
}

// node names the entries of a node of the page tree that programs interpret differently;
// it is empty if there are none.
func (f *finder) node(d pdfobj.Dict) string {
	for _, key := range []pdfobj.Name{"MediaBox", "CropBox"} {
		if box, ok := numbers(f.doc.Array(d[key])); d.Has(key) && (!ok || len(box) != 4) {
			return "a box"
		}
	}
	if unit, ok := numbers([]any{f.doc.Value(d["UserUnit"])}); d.Has("UserUnit") && (!ok || unit[0] < 1 || unit[0] != math.Trunc(unit[0])) {
		return "a unit of its own"
	}
	if turn, isInt := f.doc.Value(d["Rotate"]).(int); d.Has("Rotate") && (!isInt || turn%90 != 0) {
		return "a rotation"
	}
	if kids := f.doc.Array(d["Kids"]) != nil; kids && (d.Has("Annots") || d.Has("Contents") || d.Name("Type") == "Page") {
		return "a node of the tree of pages that is also a page"
	}
	if _, isArray := f.doc.Value(d["Annots"]).(pdfobj.Array); !isArray && f.doc.Value(d["Annots"]) != nil {
		return "a list of annotations"
	}
	return ""
}

// cropped reports whether all programs show the same part of a page. Where the crop box
// reaches beyond the media box on some sides, some programs show all of the latter and
// some show the intersection.
func (f *finder) cropped(media, crop any) bool {
	const slack = 1 // a rounded box
	whole, ok1 := rectangle(f.doc, media)
	part, ok2 := rectangle(f.doc, crop)
	return crop == nil || !ok1 || !ok2 || whole.inset(-slack).covers(part) || part.inset(-slack).covers(whole)
}

// wide reports whether the border of d is wider than a line.
func (f *finder) wide(d pdfobj.Dict) bool {
	const most = 4 // points
	width, ok := numbers([]any{f.doc.Value(f.doc.Dict(d["BS"])["W"])})
	border := f.doc.Array(d["Border"])
	if ok && width[0] > most {
		return true
	}
	if len(border) < 3 {
		return false
	}
	width, ok = numbers([]any{f.doc.Value(border[2])})
	return ok && width[0] > most
}
