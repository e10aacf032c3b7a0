package caveat

import (
	"math"

	"tcode/scanner/pdfobj"
)

// painted are annotations over which programs disagree if the file has no picture
// of them: some draw what the entries say, over anything, and some nothing.
var painted = map[pdfobj.Name]bool{"Line": true, "Square": true, "Circle": true, "Polygon": true, "PolyLine": true, "Redact": true, "Ink": true}

// shape says why programs draw an annotation differently whatever its picture
// shows, as the end of a sentence; empty if nothing is known.
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
		return " has a border that hides what lies below it in some programs"
	case !drawn:
		return ""
	}
	if box, ok := rectangle(f.doc, o.Dict()["BBox"]); ok && (box.width() <= 0 || box.height() <= 0) {
		return " has a picture of no size"
	}
	if c, ok := numbers(f.doc.Array(d["C"])); kind == "Highlight" && ok && len(c) > 0 && lightness(c) < 0.3 {
		return " hides what it lies on in some programs"
	}
	return ""
}

// node says what entries of a node of the tree of pages programs take
// differently; empty if nothing is known.
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

// cropped reports whether all programs show the same part of a page: where the
// crop box reaches beyond the media box on some sides, some show all of the latter
// and some what both have in common.
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
