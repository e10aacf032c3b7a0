package caveat

import (
	"bytes"
	"slices"

	"tcode/scanner/pdfobj"
)

// blends are the modes of ISO 32000-2, table 134, which all programs apply alike.
// Those of table 135 mix colours as a whole, and poppler does so differently in a gray
// space.
var blends = []pdfobj.Name{
	"Normal", "Compatible", "Multiply", "Screen", "Overlay", "Darken", "Lighten", "ColorDodge", "ColorBurn", "HardLight", "SoftLight",
	"Difference", "Exclusion",
}

// wrong describes the resource of d that programs may draw differently; it is empty if
// none is known. part says that the resources belong to a group that is not isolated.
func (r resource) wrong(d pdfobj.Dict, part bool) string {
	if d = r.doc.Dict(d); !r.spaces(r.doc.Dict(d["ColorSpace"])) {
		return "a colour space"
	}
	for _, v := range r.doc.Dict(d["ExtGState"]) {
		if !r.state(r.doc.Dict(v), part) {
			return "a graphics state"
		}
	}
	for _, v := range r.doc.Dict(d["Pattern"]) {
		if !r.pattern(v) {
			return "a pattern"
		}
	}
	for _, v := range r.doc.Dict(d["Shading"]) {
		if !r.shading(r.doc.Dict(v)) {
			return "a shading"
		}
	}
	for _, v := range r.doc.Dict(d["Font"]) {
		if !r.font(r.doc.Dict(v)) {
			return "a font"
		}
	}
	for _, v := range r.doc.Dict(d["XObject"]) {
		ref, isRef := v.(pdfobj.Ref)
		if o, ok := r.doc.Object(ref); isRef && ok && o.Stream && o.Dict().Name("Subtype") == "Image" && !r.image(o, 0) {
			return "a picture"
		}
	}
	return ""
}

// state checks a dictionary of graphics state parameters.
func (r resource) state(d pdfobj.Dict, part bool) bool {
	for _, key := range []pdfobj.Name{"ca", "CA"} {
		_, given := d[key] // some programs ignore null, and others read it as 0
		if n, ok := numbers([]any{r.doc.Value(d[key])}); given && (!ok || n[0] < 0 || n[0] > 1) {
			return false
		}
	}
	if mode, isName := r.doc.Value(d["BM"]).(pdfobj.Name); d.Has("BM") {
		if !isName || !slices.Contains(blends, mode) || part && mode != "Normal" && mode != "Compatible" {
			return false
		}
	}
	// Some programs leave out transfer functions. A font that is set here is not examined.
	if !r.straight(d["TR"]) || !r.straight(d["TR2"]) || d.Has("Font") {
		return false
	}
	if !d.Has("SMask") || r.doc.Value(d["SMask"]) == pdfobj.Name("None") {
		return true
	}
	mask := r.doc.Dict(d["SMask"])
	ref, _ := mask["G"].(pdfobj.Ref)
	o, ok := r.doc.Object(ref)
	kind := mask.Name("S")
	// Some programs ignore a mask without a picture or shading, and hide nothing.
	with := r.doc.Dict(o.Dict()["Resources"])
	if !with.Has("XObject") && !with.Has("Shading") && !with.Has("Pattern") {
		return false
	}
	return ok && o.Stream && r.straight(mask["TR"]) && (kind == "Alpha" || kind == "Luminosity") && r.doc.Dict(o.Dict()["Group"]).Name("S") == "Transparency"
}

// straight reports whether v is no transfer function, or one without effect.
func (r resource) straight(v any) bool {
	v = r.doc.Value(v)
	return v == nil || v == pdfobj.Name("Identity") || v == pdfobj.Name("Default")
}

// group checks the group dictionary of a form or page; nil is none.
func (r resource) group(v any) bool {
	if v = r.doc.Value(v); v == nil {
		return true
	}
	d, _ := v.(pdfobj.Dict)
	for _, key := range []pdfobj.Name{"I", "K"} {
		if _, isBool := r.doc.Value(d[key]).(bool); d.Has(key) && !isBool {
			return false
		}
	}
	n, ok := r.space(d["CS"], 0)
	return d.Name("S") == "Transparency" && (!d.Has("CS") || ok && n > 0)
}

// pattern checks a pattern.
func (r resource) pattern(v any) bool {
	d := r.doc.Dict(v)
	switch r.doc.Value(d["PatternType"]) {
	case 1:
		box, ok := rectangle(r.doc, d["BBox"])
		steps, isNumber := numbers([]any{r.doc.Value(d["XStep"]), r.doc.Value(d["YStep"])})
		paint, tiling := r.doc.Value(d["PaintType"]), r.doc.Value(d["TilingType"])
		return ok && isNumber && steps[0] != 0 && steps[1] != 0 && box.width() > 0 && box.height() > 0 &&
			(paint == 1 || paint == 2) && (tiling == 1 || tiling == 2 || tiling == 3)
	case 2:
		return r.shading(r.doc.Dict(d["Shading"]))
	}
	return false
}

// shading checks a shading of the kinds that all programs draw.
func (r resource) shading(d pdfobj.Dict) bool {
	n, ok := r.space(d["ColorSpace"], 0)
	kind, _ := r.doc.Value(d["ShadingType"]).(int)
	switch {
	case !ok || n == 0 || kind < 1 || kind > 7:
		return false
	case kind > 3:
		return true
	case kind == 1 || !d.Has("Function"):
		return false
	}
	if list := r.doc.Array(d["Function"]); list != nil {
		return len(list) == n && !slices.ContainsFunc(list, func(f any) bool { return !r.function(f, 1, 1, 0) })
	}
	return r.function(d["Function"], 1, n, 0)
}

// leastBits is the number of samples below which a picture of black and white gets a
// caveat: pdf.js leaves out up to seven at its end.
const leastBits = 4096

// image checks a picture: its samples must be complete, its colour space known to all
// programs, and its mask sound.
func (r resource) image(o pdfobj.Object, depth int) bool {
	d := o.Dict()
	last := pdfobj.Name("")
	if name, isName := r.doc.Value(d["Filter"]).(pdfobj.Name); isName {
		last = name
	} else if list := r.doc.Array(d["Filter"]); len(list) > 0 {
		last, _ = r.doc.Value(list[len(list)-1]).(pdfobj.Name)
	}
	w, wide := r.doc.Value(d["Width"]).(int)
	h, high := r.doc.Value(d["Height"]).(int)
	if !wide || !high || w < 1 || h < 1 || depth > 1 || !r.masks(d, depth) {
		return false
	}
	stencil, n, ok := r.doc.Value(d["ImageMask"]) == true, 1, true
	switch {
	case d.Has("ImageMask") && !stencil && r.doc.Value(d["ImageMask"]) != false:
		return false
	case stencil && d.Has("ColorSpace"):
		return false
	case !stencil && (last != "JPXDecode" || d.Has("ColorSpace")):
		if n, ok = r.space(d["ColorSpace"], 0); !ok || n == 0 {
			return false
		}
	}
	if decode, ok := numbers(r.doc.Array(d["Decode"])); d.Has("Decode") && last != "JPXDecode" && (!ok || len(decode) != 2*n) {
		return false
	}
	if space := r.doc.Array(d["ColorSpace"]); !stencil && r.doc.Value(d["BitsPerComponent"]) == 1 && w < leastBits && h < leastBits && w*h < leastBits && len(space) != 4 {
		return false
	}
	switch last {
	case "DCTDecode", "JPXDecode", "JBIG2Decode", "CCITTFaxDecode":
		return r.coded(o, last, w, h)
	}
	bits, isInt := r.doc.Value(d["BitsPerComponent"]).(int)
	if stencil && (!isInt || bits == 1) {
		bits = 1
	} else if !slices.Contains([]int{1, 2, 4, 8, 16}, bits) || stencil {
		return false
	}
	size := (w*n*bits + 7) / 8 * h
	if w > 1<<20 || h > 1<<20 || size > *r.left {
		return w <= 1<<20 && h <= 1<<20
	}
	*r.left -= size
	data, ok := r.doc.Data(o)
	return !ok || len(data) >= size // another check reports data that cannot be inflated here
}

// masks checks the entries that make parts of a picture transparent.
func (r resource) masks(d pdfobj.Dict, depth int) bool {
	for _, key := range []pdfobj.Name{"SMask", "Mask"} {
		if list := r.doc.Array(d[key]); key == "Mask" && list != nil {
			n, _ := r.space(d["ColorSpace"], 0)
			if keys, ok := numbers(list); !ok || len(keys) != 2*n {
				return false
			}
			continue
		}
		if !d.Has(key) {
			continue
		}
		ref, _ := d[key].(pdfobj.Ref)
		o, ok := r.doc.Object(ref)
		if !ok || !o.Stream || !r.image(o, depth+1) {
			return false
		}
		if stencil := r.doc.Value(o.Dict()["ImageMask"]) == true; stencil != (key == "Mask") {
			return false
		}
	}
	return !d.Has("SMaskInData") || r.doc.Value(d["SMaskInData"]) == 0 || bytes.Contains([]byte("JPXDecode"), []byte(d.Name("Filter")))
}
