package caveat

import (
	"slices"

	"tcode/scanner/pdfobj"
)

// font checks a font. A font that is not in the file must have letters by their usual
// names, because each program replaces it by a different one.
func (r resource) font(d pdfobj.Dict) bool {
	switch d.Name("Subtype") {
	case "Type0":
		list := r.doc.Array(d["DescendantFonts"])
		return len(list) == 1 && r.embedded(r.doc.Dict(list[0]))
	case "Type3":
		return r.drawn(d)
	case "Type1", "TrueType", "MMType1":
		return r.embedded(d) || r.replaced(d)
	}
	return false
}

func (r resource) embedded(d pdfobj.Dict) bool {
	desc := r.doc.Dict(d["FontDescriptor"])
	return desc.Has("FontFile") || desc.Has("FontFile2") || desc.Has("FontFile3")
}

// drawn checks a font whose characters are contents.
func (r resource) drawn(d pdfobj.Dict) bool {
	matrix, ok := numbers(r.doc.Array(d["FontMatrix"]))
	encoding := r.doc.Dict(d["Encoding"])
	return ok && len(matrix) == 6 && matrix[0]*matrix[3]-matrix[1]*matrix[2] != 0 && r.doc.Dict(d["CharProcs"]) != nil && r.differences(encoding, false)
}

// replaced checks a font that a program replaces by one of its own.
func (r resource) replaced(d pdfobj.Dict) bool {
	base := d.Name("BaseFont")
	encoding := r.doc.Value(d["Encoding"])
	flags, _ := r.doc.Value(r.doc.Dict(d["FontDescriptor"])["Flags"]).(int)
	if base == "Symbol" || base == "ZapfDingbats" {
		e, isDict := encoding.(pdfobj.Dict)
		return encoding == nil || isDict && !e.Has("BaseEncoding") && r.differences(e, false)
	}
	const symbolic, latin = 1 << 2, 1 << 5
	if base == "" || flags&symbolic != 0 && flags&latin == 0 {
		return false
	}
	switch e := encoding.(type) {
	case nil:
		return true
	case pdfobj.Name:
		return usual(e)
	case pdfobj.Dict:
		return (!e.Has("BaseEncoding") || usual(e.Name("BaseEncoding"))) && r.differences(e, true)
	}
	return false
}

func usual(encoding pdfobj.Name) bool {
	return slices.Contains([]pdfobj.Name{"WinAnsiEncoding", "MacRomanEncoding", "StandardEncoding"}, encoding)
}

// differences checks the list of other characters. With known, all programs must know the
// names.
func (r resource) differences(encoding pdfobj.Dict, known bool) bool {
	if !encoding.Has("Differences") {
		return true
	}
	code := -1
	for _, v := range r.doc.Array(encoding["Differences"]) {
		switch v := r.doc.Value(v).(type) {
		case int:
			code = v
		case pdfobj.Name:
			if code < 0 || code > 255 || v == "" || known && v != ".notdef" && len(v) > 1 && glyphs()[string(v)] == 0 {
				return false
			}
			code++
		default:
			return false
		}
	}
	return code >= 0
}
