package caveat

import (
	"fmt"

	"tcode/scanner/pdfobj"
)

// kinds are the annotations of ISO 32000-2, table 171.
var kinds = map[pdfobj.Name]bool{
	"Text": true, "Link": true, "FreeText": true, "Line": true, "Square": true, "Circle": true, "Polygon": true,
	"PolyLine": true, "Highlight": true, "Underline": true, "Squiggly": true, "StrikeOut": true, "Caret": true,
	"Stamp": true, "Ink": true, "Popup": true, "FileAttachment": true, "Sound": true, "Movie": true, "Screen": true,
	"Widget": true, "PrinterMark": true, "TrapNet": true, "Watermark": true, "3D": true, "Redact": true,
	"Projection": true, "RichMedia": true,
}

// annotation looks at an annotation or form field d in object num.
func (f *finder) annotation(num pdfobj.Ref, d pdfobj.Dict) {
	f.at = f.note(num, d)
	if !f.flags(d) {
		if !d.Has("Rect") {
			f.field(num, d)
		}
		return
	}
	f.field(num, d)
	f.at = f.note(num, d)
	if odd := f.shape(d); odd != "" && d.Has("Rect") {
		f.at += odd
		f.tell(Ambiguous)
		return
	}
	if !d.Has("AP") {
		return
	}
	if several := f.doc.Dict(f.doc.Dict(d["AP"])["N"]); d.Name("AS") == "" && len(several) > 0 && !f.isStream(f.doc.Dict(d["AP"])["N"]) {
		f.at += " has several pictures and does not say which one it shows"
		f.tell(Ambiguous)
		return
	}
	o, ok := f.appearance(d)
	if !ok {
		return
	}
	kind := d.Name("Subtype")
	p := appearance(f.doc, o, false)
	switch {
	case !p.inks:
	case kind == "Link" || kind == "Popup" || !kinds[kind]:
		f.at += " has a picture that some programs do not draw"
		f.tell(Ambiguous)
	case kind == "Highlight" && !f.marker(kind, d, o) && (!p.sure || p.text != "" || p.area):
		if !printed(d) {
			f.tell(ScreenOnly)
			return
		}
		f.at += " is blended differently by programs"
		f.tell(Ambiguous)
	case printed(d):
	case p.sure && p.text == "" && !p.area: // a border
	case f.marker(kind, d, o):
	default:
		f.tell(ScreenOnly)
	}
}

// note returns a name of an annotation for people.
func (f *finder) note(num pdfobj.Ref, d pdfobj.Dict) string {
	if !d.Has("Rect") {
		return fmt.Sprintf("object %d", num)
	}
	kind := clean(string(d.Name("Subtype")))
	if kind == "" {
		kind = "unknown"
	}
	return fmt.Sprintf("the %s annotation%s, object %d", kind, f.page(num, d), num)
}

func (f *finder) isStream(v any) bool {
	r, isRef := v.(pdfobj.Ref)
	if !isRef {
		return false
	}
	o, ok := f.doc.Object(r)
	return ok && o.Stream
}

// appearance returns the appearance stream that d shows (ISO 32000-2, 12.5.5).
func (f *finder) appearance(d pdfobj.Dict) (pdfobj.Object, bool) {
	v := f.doc.Dict(d["AP"])["N"]
	for range 3 {
		r, isRef := v.(pdfobj.Ref)
		if !isRef {
			if states, isDict := v.(pdfobj.Dict); isDict && d.Name("AS") != "" {
				v = states[d.Name("AS")]
				continue
			}
			return pdfobj.Object{}, false
		}
		o, ok := f.doc.Object(r)
		if !ok || o.Stream {
			return o, ok
		}
		v = o.Value
	}
	return pdfobj.Object{}, false
}

// fits reports whether the appearance o is shown at about the size at which it is drawn,
// without distortion.
func (f *finder) fits(d pdfobj.Dict, o pdfobj.Object) bool {
	at, ok1 := rectangle(f.doc, d["Rect"])
	box, ok2 := rectangle(f.doc, o.Dict()["BBox"])
	if !ok1 || !ok2 || box.width() <= 0 || box.height() <= 0 {
		return false
	}
	x, y := at.width()/box.width(), at.height()/box.height()
	return x > 0.5 && x < 2 && y > 0.5 && y < 2 && x/y > 0.75 && x/y < 1.33
}

// maxPages bounds the pages and annotations whose page numbers are kept.
const maxPages = 100_000

// pagesOf returns the page numbers of pages and of their annotations.
func pagesOf(doc *pdfobj.File) map[pdfobj.Ref]int {
	out := map[pdfobj.Ref]int{}
	count, left := 0, maxPages
	var walk func(v any, depth int)
	walk = func(v any, depth int) {
		d := doc.Dict(v)
		if left--; left < 0 || depth > maxDepth || d == nil {
			return
		}
		if kids := doc.Array(d["Kids"]); kids != nil {
			for _, k := range kids {
				walk(k, depth+1)
			}
			return
		}
		count++
		if r, isRef := v.(pdfobj.Ref); isRef {
			out[r] = count
		}
		for _, a := range doc.Array(d["Annots"]) {
			if r, isRef := a.(pdfobj.Ref); isRef {
				if left--; left < 0 {
					return
				}
				out[r] = count
			}
		}
	}
	walk(doc.Dict(doc.Trailer()["Root"])["Pages"], 0)
	return out
}

// printed reports whether the annotation d also appears in print.
func printed(d pdfobj.Dict) bool {
	flags, _ := d["F"].(int)
	return flags&flagPrint != 0
}
