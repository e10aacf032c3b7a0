package caveat

import (
	"bytes"
	"slices"

	"tcode/scanner/pdfobj"
)

// resource checks the dictionaries that contents draw with. Programs differ on entries
// that are against the standard, or beyond the part of it on which all programs agree.
type resource struct {
	doc  *pdfobj.File
	left *int // bytes of pictures that may still be inflated
}

// device are the numbers of components of colour spaces that need no parameters.
var device = map[pdfobj.Name]int{"DeviceGray": 1, "DeviceRGB": 3, "DeviceCMYK": 4}

// spaces checks the named colour spaces of a page or form.
func (r resource) spaces(d pdfobj.Dict) bool {
	for key, v := range d {
		n, ok := r.space(v, 0)
		switch key {
		case "DefaultGray":
			ok = ok && n == 1 && r.based(v)
		case "DefaultRGB":
			ok = ok && n == 3 && r.based(v)
		case "DefaultCMYK":
			ok = ok && n == 4 && r.based(v)
		}
		if !ok {
			return false
		}
	}
	return true
}

// based reports whether v may take the place of a device's colour space.
func (r resource) based(v any) bool {
	list := r.doc.Array(v)
	return len(list) == 2 && slices.Contains([]any{pdfobj.Name("ICCBased"), pdfobj.Name("CalGray"), pdfobj.Name("CalRGB")}, r.doc.Value(list[0]))
}

// space returns the number of components of a colour space, 0 for patterns. It returns
// false if programs may differ about the space.
func (r resource) space(v any, depth int) (int, bool) {
	v = r.doc.Value(v)
	if name, isName := v.(pdfobj.Name); isName {
		return device[name], device[name] > 0 || name == "Pattern"
	}
	list, isArray := v.(pdfobj.Array)
	if !isArray || len(list) == 0 || depth > 3 {
		return 0, false
	}
	name, _ := r.doc.Value(list[0]).(pdfobj.Name)
	switch {
	case len(list) == 1:
		return device[name], device[name] > 0 || name == "Pattern"
	case name == "Pattern":
		_, ok := r.space(list[1], depth+1)
		return 0, ok
	case name == "ICCBased":
		return r.profile(list[1])
	case name == "CalGray" || name == "CalRGB" || name == "Lab":
		return r.calibrated(name, r.doc.Dict(list[1]))
	case name == "Indexed" && len(list) == 4:
		return 1, r.indexed(list, depth)
	case name == "Separation" && len(list) >= 4:
		colorant, _ := r.doc.Value(list[1]).(pdfobj.Name)
		return 1, colorant != "" && colorant != "None" && r.tint(1, list[2], list[3], depth) && r.process(colorant, list[2], list[3])
	case name == "DeviceN" && len(list) >= 4:
		n := len(r.doc.Array(list[1]))
		return n, n > 0 && r.tint(n, list[2], list[3], depth)
	}
	return 0, false
}

// profile checks a colour space with a profile (ISO 15076-1, 7.2).
func (r resource) profile(v any) (int, bool) {
	ref, _ := v.(pdfobj.Ref)
	o, ok := r.doc.Object(ref)
	if !ok || !o.Stream {
		return 0, false
	}
	d := o.Dict()
	n, _ := r.doc.Value(d["N"]).(int)
	if d.Has("Alternate") {
		if m, ok := r.space(d["Alternate"], 2); !ok || m != n {
			return 0, false
		}
	}
	data, ok := r.doc.Data(o)
	if !ok || len(data) < 128 || string(data[36:40]) != "acsp" {
		return 0, false
	}
	kinds := map[string]int{"GRAY": 1, "RGB ": 3, "Lab ": 3, "CMYK": 4}
	return n, n > 0 && kinds[string(data[16:20])] == n
}

func (r resource) calibrated(kind pdfobj.Name, d pdfobj.Dict) (int, bool) {
	white, ok := numbers(r.doc.Array(d["WhitePoint"]))
	if !ok || len(white) != 3 {
		return 0, false
	}
	if kind != "CalGray" {
		return 3, true
	}
	gamma, isNumber := numbers([]any{r.doc.Value(d["Gamma"])})
	return 1, !d.Has("Gamma") || isNumber && gamma[0] > 0
}

// indexed checks a table of colours, which must be complete.
func (r resource) indexed(list pdfobj.Array, depth int) bool {
	n, ok := r.space(list[1], depth+1)
	most, isInt := r.doc.Value(list[2]).(int)
	if !ok || n == 0 || !isInt || most < 0 || most > 255 {
		return false
	}
	if base := r.doc.Array(list[1]); len(base) > 0 && r.doc.Value(base[0]) == pdfobj.Name("Indexed") {
		return false
	}
	size := 0
	if s, isString := r.doc.Value(list[3]).(pdfobj.String); isString {
		size = len(s.Bytes())
	} else if ref, isRef := list[3].(pdfobj.Ref); isRef {
		o, _ := r.doc.Object(ref)
		data, _ := r.doc.Data(o)
		size = len(data)
	}
	return size >= (most+1)*n
}

// tint checks the conversion of n components to a colour of the alternate space.
func (r resource) tint(n int, alternate, function any, depth int) bool {
	m, ok := r.space(alternate, depth+1)
	return ok && m > 0 && r.function(function, n, m, 0)
}

// process checks the inks of printers, which programs mix without the function: a full
// tint must be that ink.
func (r resource) process(ink pdfobj.Name, alternate, function any) bool {
	d := r.doc.Dict(function)
	full, ok := numbers(r.doc.Array(d["C1"]))
	if !d.Has("C1") {
		full = []float64{1} // as the standard says
	}
	if !ok || len(full) == 0 || r.doc.Value(d["FunctionType"]) != 2 {
		return true
	}
	switch n := slices.Index([]pdfobj.Name{"Cyan", "Magenta", "Yellow", "Black"}, ink); {
	case n < 0:
		return true
	case len(full) == 4:
		return full[n] > 0.9
	}
	return ink != "Black" || slices.Max(full) < 0.3
}

// function checks a function of from numbers to to numbers.
func (r resource) function(v any, from, to, depth int) bool {
	d := r.doc.Dict(v)
	domain, ok := numbers(r.doc.Array(d["Domain"]))
	if !ok || len(domain) != 2*from || depth > 3 {
		return false
	}
	limits, ok := numbers(r.doc.Array(d["Range"]))
	if d.Has("Range") && (!ok || len(limits) != 2*to) {
		return false
	}
	count := func(key pdfobj.Name) int { return len(r.doc.Array(d[key])) }
	switch r.doc.Value(d["FunctionType"]) {
	case 0:
		return len(limits) > 0 && r.samples(v, d, from, to)
	case 2:
		n, isNumber := numbers([]any{r.doc.Value(d["N"])})
		return isNumber && n[0] > 0 && from == 1 && (count("C0") == to || !d.Has("C0") && to == 1) && (count("C1") == to || !d.Has("C1") && to == 1)
	case 3:
		parts := r.doc.Array(d["Functions"])
		if len(parts) == 0 || count("Bounds") != len(parts)-1 || count("Encode") != 2*len(parts) {
			return false
		}
		return !slices.ContainsFunc(parts, func(p any) bool { return !r.function(p, 1, to, depth+1) })
	case 4:
		return len(limits) > 0 && r.calculator(v)
	}
	return false
}

// samples checks that a table of samples is complete.
func (r resource) samples(v any, d pdfobj.Dict, from, to int) bool {
	ref, _ := v.(pdfobj.Ref)
	o, _ := r.doc.Object(ref)
	data, ok := r.doc.Data(o)
	bits, _ := r.doc.Value(d["BitsPerSample"]).(int)
	size := r.doc.Array(d["Size"])
	if !ok || len(size) != from || !slices.Contains([]int{1, 2, 4, 8, 12, 16, 24, 32}, bits) {
		return false
	}
	n := to * bits
	for _, s := range size {
		k, _ := r.doc.Value(s).(int)
		if n *= k; k < 1 || n > 1<<30 {
			return false
		}
	}
	return len(data) >= (n+7)/8
}

// calculations are the operators of functions of type 4 (ISO 32000-2, 7.10.5).
const calculations = " abs add atan ceiling cos cvi cvr div exp floor idiv ln log mod mul neg round sin sqrt sub truncate and bitshift eq false ge gt le lt ne not or true xor if ifelse copy dup exch index pop roll { } "

func (r resource) calculator(v any) bool {
	ref, _ := v.(pdfobj.Ref)
	o, _ := r.doc.Object(ref)
	data, ok := r.doc.Data(o)
	if !ok || len(data) > 1<<16 {
		return false
	}
	data = bytes.ReplaceAll(bytes.ReplaceAll(data, []byte("{"), []byte(" { ")), []byte("}"), []byte(" } "))
	depth := 0
	for i, w := range bytes.Fields(data) {
		switch {
		case w[0] == '{':
			depth++
		case w[0] == '}':
			depth--
		case !bytes.Contains([]byte(calculations), slices.Concat([]byte(" "), w, []byte(" "))) && !number(w):
			return false
		}
		if (depth == 0) != (w[0] == '}' && depth == 0) || i == 0 && w[0] != '{' {
			return false
		}
	}
	return depth == 0
}
