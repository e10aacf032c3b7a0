package pageimage

import (
	"bytes"
	"slices"

	"tcode/scanner/pdfobj"
)

// Bounds of the contents of one page.
const (
	maxSaved  = 64
	maxForms  = 6 // inside of one another
	maxPlaced = 2000
	edge      = 3 // points at a page's edge, in which nothing that a person could read has room
)

// A Placed is a picture on a page.
type Placed struct {
	Picture *Picture
	m       matrix // from the unit square, whose top is at 1, to user space
	seen    rect   // the part that the page shows, in user space
}

// state is the graphics state, as far as it counts.
type state struct {
	m      matrix
	clip   rect
	odd    bool // the clip is no rectangle, or the state mixes with the contents below
	black  bool // the colour to fill with
	silent bool // text is invisible
	font   bool // and has glyphs that are shapes, not contents of their own
}

// A painter follows the contents of a page and keeps what shows.
type painter struct {
	d     *Document
	page  rect
	now   state
	saved []state
	shown []Placed
	other bool // something else shows

	path  []rect // the rectangles of the path
	bent  bool   // the path has other lines
	clips bool   // the next operator clips to the path
	depth int
}

// contents follows the contents of page p. It returns false if they cannot be followed.
func (w *painter) contents(p found) bool {
	w.now = state{m: identity, clip: p.box, black: true}
	parts := pdfobj.Array{p.dict["Contents"]}
	if list := w.d.doc.Array(p.dict["Contents"]); list != nil {
		parts = list
	}
	var all bytes.Buffer
	for _, part := range parts {
		if part == nil {
			continue
		}
		r, _ := part.(pdfobj.Ref)
		o, ok := w.d.doc.Object(r)
		data, whole := w.d.doc.Data(o)
		if !ok || !whole || len(data) > w.d.contents-all.Len() {
			return false
		}
		all.Write(data)
		all.WriteByte('\n')
	}
	return w.follow(all.Bytes(), p.resources)
}

// follow follows one stream of contents.
func (w *painter) follow(data []byte, resources pdfobj.Dict) bool {
	if w.d.contents -= len(data); w.d.contents < 0 {
		return false
	}
	base := len(w.saved)
	return pdfobj.Content(data, func(op string, args []any) bool {
		switch op {
		case "q":
			w.saved = append(w.saved, w.now)
			return len(w.saved) <= maxSaved
		case "Q":
			if len(w.saved) == base {
				return false
			}
			w.now = w.saved[len(w.saved)-1]
			w.saved = w.saved[:len(w.saved)-1]
			return true
		case "cm":
			m, ok := matrixOf(args)
			w.now.m = m.then(w.now.m)
			return ok
		case "Do":
			return len(args) == 1 && w.object(args[0], resources)
		case "gs", "Tf", "BDC", "Tr":
			return w.named(op, args, resources)
		}
		return w.lines(op, args) || w.rest(op, args)
	})
}

// matrixOf returns the matrix of six operands.
func matrixOf(args []any) (matrix, bool) {
	n, ok := pdfobj.Numbers(args)
	if !ok || len(n) != 6 {
		return identity, false
	}
	return matrix{n[0], n[1], n[2], n[3], n[4], n[5]}, true
}

// lines follows the operators of paths. It returns false for others.
func (w *painter) lines(op string, args []any) bool {
	switch op {
	case "re":
		n, ok := pdfobj.Numbers(args)
		if !ok || len(n) != 4 || !w.now.m.straight() {
			w.bent = true
			return true
		}
		w.path = append(w.path, w.now.m.box(rect{min(n[0], n[0]+n[2]), min(n[1], n[1]+n[3]), max(n[0], n[0]+n[2]), max(n[1], n[1]+n[3])}))
	case "m", "l", "c", "v", "y", "h":
		w.bent = true
	case "W", "W*":
		w.clips = true
	case "n", "f", "F", "f*", "S", "s", "B", "B*", "b", "b*":
		w.other = w.other || op != "n"
		if w.clips && (w.bent || len(w.path) != 1) {
			w.now.odd = true
		} else if w.clips {
			w.now.clip = w.now.clip.within(w.path[0])
		}
		w.path, w.bent, w.clips = nil, false, false
	default:
		return false
	}
	return len(w.path) <= maxPlaced
}

// named follows the operators that name a resource or set how text shows.
func (w *painter) named(op string, args []any, resources pdfobj.Dict) bool {
	doc := w.d.doc
	switch op {
	case "gs":
		if len(args) != 1 {
			return false
		}
		name, _ := args[0].(pdfobj.Name)
		if !w.usual(doc.Dict(doc.Dict(resources["ExtGState"])[name])) {
			w.now.odd, w.now.font = true, false // it may set another font
		}
	case "Tf":
		if len(args) != 2 {
			return false
		}
		name, _ := args[0].(pdfobj.Name)
		kind, _ := doc.Value(doc.Dict(doc.Dict(resources["Font"])[name])["Subtype"]).(pdfobj.Name)
		w.now.font = slices.Contains([]pdfobj.Name{"Type0", "Type1", "TrueType", "MMType1"}, kind)
	case "BDC":
		return len(args) == 2 && args[0] != pdfobj.Name("OC") // an optional part shows or not
	case "Tr":
		if len(args) != 1 {
			return false
		}
		w.now.silent = args[0] == 3
		mode, isInt := args[0].(int)
		w.now.odd = w.now.odd || !isInt || mode < 0 || mode > 3 // text clips
	}
	return true
}

// usual reports whether a graphics state has no parameter by which contents mix with those below.
func (w *painter) usual(d pdfobj.Dict) bool {
	if d == nil {
		return false
	}
	for key, v := range d {
		switch v = w.d.doc.Value(v); key {
		case "Type", "LW", "LC", "LJ", "ML", "D", "RI", "FL", "SM", "SA", "AIS", "TK", "OP", "op", "OPM":
		case "ca", "CA":
			if n, ok := pdfobj.Numbers([]any{v}); !ok || n[0] != 1 {
				return false
			}
		case "BM":
			if v != pdfobj.Name("Normal") && v != pdfobj.Name("Compatible") {
				return false
			}
		case "SMask":
			if v != pdfobj.Name("None") {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// rest follows the operators that set colours, and takes all others for ones that show something. It
// returns false for those after which nothing is known.
func (w *painter) rest(op string, args []any) bool {
	switch op {
	case "Tj", "TJ", "'", "\"":
		w.other = w.other || !w.now.silent || !w.now.font
	case "g", "rg", "k":
		n, ok := pdfobj.Numbers(args)
		want := map[string][]float64{"g": {0}, "rg": {0, 0, 0}, "k": {0, 0, 0, 1}}[op]
		w.now.black = slices.Equal(n, want)
		return ok
	case "cs", "sc", "scn":
		w.now.black = false
	case "CS", "SC", "SCN", "G", "RG", "K", "w", "J", "j", "M", "d", "ri", "i", "BT", "ET", "Tc", "Tw", "Tz", "TL", "Ts",
		"Td", "TD", "Tm", "T*", "BMC", "EMC", "MP", "DP":
	case "sh":
		w.other = true
	default:
		return false // an inline picture, or an operator that only some programs know
	}
	return true
}

// object follows the picture or form that name names.
func (w *painter) object(name any, resources pdfobj.Dict) bool {
	key, _ := name.(pdfobj.Name)
	r, _ := w.d.doc.Dict(resources["XObject"])[key].(pdfobj.Ref)
	o, ok := w.d.doc.Object(r)
	d := o.Dict()
	switch {
	case !ok || !o.Stream:
		return false
	case d.Has("OC"), d.Has("OPI"), d.Has("Ref"), d.Has("Alternates"), d.Has("F"):
		w.other = true
		return true
	case d.Name("Subtype") == "Image":
		w.picture(o, resources)
		return len(w.shown) <= maxPlaced
	case d.Name("Subtype") == "Form" && w.depth < maxForms:
		return w.form(o, resources)
	}
	return false
}

// form follows a form.
func (w *painter) form(o pdfobj.Object, resources pdfobj.Dict) bool {
	d := o.Dict()
	data, whole := w.d.doc.Data(o)
	box, ok := w.d.rectangle(d["BBox"])
	if !whole || !ok {
		return false
	}
	before, open := w.now, len(w.saved)
	if d.Has("Matrix") {
		m, ok := matrixOf(w.d.doc.Array(d["Matrix"]))
		if !ok {
			return false
		}
		w.now.m = m.then(w.now.m)
	}
	if !w.now.m.straight() {
		w.now.odd = true
	} else {
		w.now.clip = w.now.clip.within(w.now.m.box(box))
	}
	if d.Has("Resources") {
		resources = w.d.doc.Dict(d["Resources"])
	}
	w.path, w.bent, w.clips = nil, false, false
	w.depth++
	followed := w.follow(data, resources)
	w.depth--
	w.now, w.saved = before, w.saved[:open]
	return followed
}

// picture notes a picture. One that covers the page hides all before it.
func (w *painter) picture(o pdfobj.Object, resources pdfobj.Dict) {
	pic := w.d.read(o, resources)
	if w.now.odd || pic.Masked || pic.Stencil && !w.now.black || !w.now.m.straight() {
		w.other = true
		return
	}
	seen := w.now.m.box(rect{0, 0, 1, 1}).within(w.now.clip)
	if seen.empty() {
		return
	}
	if !pic.Stencil && seen.covers(w.page, edge) {
		w.shown, w.other = nil, false
	}
	w.shown = append(w.shown, Placed{pic, w.now.m, seen})
}
