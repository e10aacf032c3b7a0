package caveat

import (
	"slices"

	"tcode/scanner/pdfobj"
)

// belongs examines the layer of an annotation, picture or form.
func (f *finder) belongs(d pdfobj.Dict) {
	if !d.Has("OC") || !d.Has("Subtype") && !d.Has("Rect") || f.doc.Wrong() != "" {
		return
	}
	if f.doc.Value(d["OC"]) == nil || !grouped(f.doc, d["OC"], 0) {
		f.tell(Ambiguous)
	}
}

// grouped reports whether v is a group of optional content, a membership of such groups
// (ISO 32000-2, 8.11.2), or nothing. Some programs hide a part that belongs to anything
// else.
func grouped(doc *pdfobj.File, v any, depth int) bool {
	r, isRef := v.(pdfobj.Ref)
	o, _ := doc.Object(r)
	if isRef && o.Stream {
		return false
	}
	d := doc.Dict(v)
	switch d.Name("Type") {
	case "OCG":
		return isRef
	case "OCMD":
		groups := doc.Array(d["OCGs"])
		if groups == nil && d.Has("OCGs") {
			groups = pdfobj.Array{d["OCGs"]}
		}
		return depth == 0 && !slices.ContainsFunc(groups, func(g any) bool { return !grouped(doc, g, 1) })
	}
	return doc.Value(v) == nil
}
