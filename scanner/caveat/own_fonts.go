package caveat

import "tcode/scanner/pdfobj"

// maxLooks bounds the dictionaries that OwnFonts reads.
const maxLooks = 100_000

// OwnFonts returns the pages of file, a PDF, that draw text in fonts of the file
// alone, from 1, rising: two programs then draw the same outlines. It names a page
// only if it is certain: all fonts that the resources of the page, of its forms,
// patterns and drawn characters and of its annotations name are embedded, or are
// drawn by the file (Type 3), and no program makes text of its own for an
// annotation. A page without a font is none of them: programs scale the samples of
// a scanned page in different ways. OwnFonts names no page of a file whose
// cross-reference is wrong.
func OwnFonts(file []byte) []int {
	doc := pdfobj.Open(file)
	if doc.Wrong() != "" {
		return nil
	}
	l := fontLook{doc: doc, known: map[pdfobj.Ref]origin{}, left: maxLooks}
	catalog := doc.Dict(doc.Trailer()["Root"])
	l.anew = doc.Value(doc.Dict(catalog["AcroForm"])["NeedAppearances"]) == true
	var own []int
	page := 0
	var walk func(v any, from above, depth int)
	walk = func(v any, from above, depth int) {
		d := doc.Dict(v)
		if l.left--; l.left < 0 || depth > maxDepth || d == nil {
			l.left = -1 // the pages behind have other numbers
			return
		}
		from = from.with(doc, d)
		if kids := doc.Array(d["Kids"]); kids != nil {
			for _, k := range kids {
				walk(k, from, depth+1)
			}
			return
		}
		page++
		if max(l.resources(from.resources, 0), l.annotations(d)) == ownFonts && l.left >= 0 && !doc.Spent() {
			own = append(own, page)
		}
	}
	walk(catalog["Pages"], above{}, 0)
	return own
}

// An origin is the source of the fonts of a page or a part of it.
type origin int

const (
	noFonts origin = iota
	ownFonts
	otherFonts // at least one; or the fonts are unknown
)

// fontLook looks for fonts that are not in the file.
type fontLook struct {
	doc   *pdfobj.File
	known map[pdfobj.Ref]origin // by object; noFonts while it is being examined
	left  int
	anew  bool // programs draw form fields again
}

// once returns the result of look for v. An object is examined only once.
func (l *fontLook) once(v any, look func(d pdfobj.Dict) origin) origin {
	if l.left--; l.left < 0 {
		return otherFonts
	}
	r, isRef := v.(pdfobj.Ref)
	if !isRef {
		return look(l.doc.Dict(v))
	}
	from, seen := l.known[r]
	if !seen {
		l.known[r] = noFonts
		from = look(l.doc.Dict(v))
		l.known[r] = from
	}
	return from
}

// resources examines the fonts that can be drawn with d. Forms without resources use those
// of the page.
func (l *fontLook) resources(d pdfobj.Dict, depth int) origin {
	if depth > maxDepth {
		return otherFonts
	}
	contents := func(d pdfobj.Dict) origin { return l.resources(l.doc.Dict(d["Resources"]), depth+1) }
	all := noFonts
	for _, v := range l.doc.Dict(d["Font"]) {
		all = max(all, l.once(v, func(d pdfobj.Dict) origin { return l.font(d, contents) }))
	}
	for _, kind := range []pdfobj.Name{"XObject", "Pattern"} {
		for _, v := range l.doc.Dict(d[kind]) {
			all = max(all, l.once(v, contents))
		}
	}
	for _, v := range l.doc.Dict(d["ExtGState"]) {
		all = max(all, l.once(v, func(d pdfobj.Dict) origin { return l.state(d, contents) }))
	}
	return all
}

// state examines a graphics state, which may set a font or draw a mask.
func (l *fontLook) state(d pdfobj.Dict, contents func(pdfobj.Dict) origin) origin {
	if d.Has("Font") {
		return otherFonts
	}
	if mask, isDict := l.doc.Value(d["SMask"]).(pdfobj.Dict); isDict {
		return l.once(mask["G"], contents)
	}
	return noFonts
}

// font looks for the outlines of a font.
func (l *fontLook) font(d pdfobj.Dict, contents func(pdfobj.Dict) origin) origin {
	own := false
	switch d.Name("Subtype") {
	case "Type3":
		if l.doc.Dict(d["CharProcs"]) != nil {
			return max(ownFonts, contents(d))
		}
	case "Type0":
		list := l.doc.Array(d["DescendantFonts"])
		own = len(list) == 1 && l.program(l.doc.Dict(list[0]), "FontFile2", "FontFile3")
	case "Type1", "MMType1":
		own = l.program(d, "FontFile", "FontFile3")
	case "TrueType":
		own = l.program(d, "FontFile2", "FontFile3")
	}
	if own {
		return ownFonts
	}
	return otherFonts
}

// program reports whether font d has a stream for one of keys.
func (l *fontLook) program(d pdfobj.Dict, keys ...pdfobj.Name) bool {
	desc := l.doc.Dict(d["FontDescriptor"])
	for _, key := range keys {
		r, isRef := desc[key].(pdfobj.Ref)
		if o, ok := l.doc.Object(r); isRef && ok && o.Stream {
			return true
		}
	}
	return false
}

// annotations examines the annotations of page d.
func (l *fontLook) annotations(d pdfobj.Dict) origin {
	list, isArray := l.doc.Value(d["Annots"]).(pdfobj.Array)
	if d.Has("Annots") && !isArray {
		return otherFonts
	}
	all := noFonts
	for _, v := range list {
		all = max(all, l.once(v, l.annotation))
	}
	return all
}

// annotation examines the appearances of an annotation. For some kinds without one,
// programs draw text of their own.
func (l *fontLook) annotation(d pdfobj.Dict) origin {
	kind, pictures := d.Name("Subtype"), l.doc.Dict(d["AP"])
	normal := l.doc.Dict(pictures["N"])
	switch {
	case !d.Has("AP") && (kind == "Link" || kind == "Popup"):
		return noFonts
	case normal == nil || kind == "Widget" && l.anew:
		return otherFonts
	}
	picture := func(d pdfobj.Dict) origin { return l.resources(l.doc.Dict(d["Resources"]), 0) }
	if r, isRef := pictures["N"].(pdfobj.Ref); isRef {
		if o, ok := l.doc.Object(r); ok && o.Stream {
			return l.once(r, picture)
		}
	}
	all := noFonts
	for _, v := range normal { // one for each state
		all = max(all, l.once(v, picture))
	}
	return all
}
