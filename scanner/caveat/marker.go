package caveat

import "tcode/scanner/pdfobj"

// marker reports whether the appearance o of d leaves the contents below it as
// legible as before, and adds no text: a translucent, light area over the
// words of a Highlight, or a thin line below those of an Underline or
// Squiggly.
func (f *finder) marker(kind pdfobj.Name, d pdfobj.Dict, o pdfobj.Object) bool {
	switch kind {
	case "Highlight", "Underline", "Squiggly":
	default:
		return false
	}
	points, ok := numbers(f.doc.Array(d["QuadPoints"]))
	if !ok || len(points) == 0 || len(points)%8 != 0 || len(points) > 8*1000 {
		return false
	}
	m := marks{doc: f.doc, kind: kind, now: ink{blend: "Normal", alpha: 1}}
	for i := 0; i < len(points); i += 8 {
		q := newRect(points[i], points[i+1], points[i], points[i+1])
		for j := i; j < i+8; j += 2 {
			q = q.with(point{points[j], points[j+1]})
		}
		m.quads = append(m.quads, q)
	}
	// The box of the appearance is drawn on the annotation's rectangle.
	at, ok1 := rectangle(f.doc, d["Rect"])
	box, ok2 := rectangle(f.doc, o.Dict()["BBox"])
	if !ok1 || !ok2 || !f.fits(d, o) || !upright(f.doc.Array(o.Dict()["Matrix"])) {
		return false
	}
	m.dx, m.dy = at.x0-box.x0, at.y0-box.y0
	if x := at.width() / box.width(); x < 0.98 || x > 1.02 {
		return false
	}
	return m.form(o, 0)
}

// with returns r, made larger to hold at.
func (r rect) with(at point) rect {
	return rect{min(r.x0, at.x), min(r.y0, at.y), max(r.x1, at.x), max(r.y1, at.y)}
}

// marks follows the appearance of a marker.
type marks struct {
	doc    *pdfobj.File
	kind   pdfobj.Name
	quads  []rect
	dx, dy float64
	now    ink
	stack  []ink
	parts  []rect // of the path
	steps  int    // of its last part
	drawn  int
}

type ink struct {
	blend        pdfobj.Name
	alpha, light float64
}

// form follows the form o.
func (m *marks) form(o pdfobj.Object, depth int) bool {
	d := o.Dict()
	data, ok := m.doc.Data(o)
	if !ok || depth > 3 || d.Has("OC") {
		return false
	}
	resources, before := m.doc.Dict(d["Resources"]), m.now
	ok = pdfobj.Content(data, func(op string, args []any) bool { return m.operator(op, args, resources, depth) })
	m.now = before
	return ok
}

func (m *marks) operator(op string, args []any, resources pdfobj.Dict, depth int) bool {
	switch op {
	case "q":
		m.stack = append(m.stack, m.now)
		return len(m.stack) <= maxStack
	case "Q":
		if len(m.stack) == 0 {
			return false
		}
		m.now, m.stack = m.stack[len(m.stack)-1], m.stack[:len(m.stack)-1]
		return true
	case "w":
		n, ok := numeric(args, 1)
		return ok && n[0] <= 3
	case "J", "j", "M", "d", "i", "ri", "G", "RG", "K", "BMC", "EMC":
		return true
	case "cm":
		n, ok := numeric(args, 6)
		return ok && n[0] == 1 && n[1] == 0 && n[2] == 0 && n[3] == 1 && n[4] == 0 && n[5] == 0
	case "g", "rg", "k":
		n, ok := numbers(args)
		m.now.light = lightness(n)
		return ok && m.now.light >= 0
	case "gs":
		return m.graphics(args, resources)
	case "Do":
		name, _ := firstName(args)
		r, isRef := m.doc.Dict(resources["XObject"])[name].(pdfobj.Ref)
		if !isRef {
			return false
		}
		o, ok := m.doc.Object(r)
		return ok && o.Dict().Name("Subtype") == "Form" && m.below(o, depth+1)
	}
	return m.path(op, args)
}

// below follows a form that another form draws.
func (m *marks) below(o pdfobj.Object, depth int) bool {
	by, x, y := m.doc.Array(o.Dict()["Matrix"]), m.dx, m.dy
	if by != nil {
		n, ok := numeric(by, 6)
		if !ok || n[0] != 1 || n[1] != 0 || n[2] != 0 || n[3] != 1 {
			return false
		}
		m.dx, m.dy = x+n[4], y+n[5]
	}
	ok := m.form(o, depth)
	m.dx, m.dy = x, y
	return ok
}

func firstName(args []any) (pdfobj.Name, bool) {
	if len(args) != 1 {
		return "", false
	}
	n, ok := args[0].(pdfobj.Name)
	return n, ok
}

// graphics follows the operator gs.
func (m *marks) graphics(args []any, resources pdfobj.Dict) bool {
	name, _ := firstName(args)
	d := m.doc.Dict(m.doc.Dict(resources["ExtGState"])[name])
	if d == nil || d.Has("SMask") && d["SMask"] != pdfobj.Name("None") || d.Has("Font") {
		return false
	}
	if b := m.doc.Value(d["BM"]); b != nil {
		n, ok := b.(pdfobj.Name)
		if !ok {
			return false
		}
		m.now.blend = n
	}
	if v, ok := numbers([]any{d["ca"]}); ok && d.Has("ca") {
		m.now.alpha = v[0]
	}
	return true
}

// path follows paths.
func (m *marks) path(op string, args []any) bool {
	const most = 400 // steps of one part, which a wavy line takes
	n, ok := numbers(args)
	switch op {
	case "re":
		if !ok || len(n) != 4 {
			return false
		}
		m.parts = append(m.parts, newRect(n[0]+m.dx, n[1]+m.dy, n[0]+n[2]+m.dx, n[1]+n[3]+m.dy))
		return len(m.parts) <= 1000
	case "m", "l", "c", "v", "y":
		if !ok || len(n) < 2 || len(n)%2 != 0 || op != "m" && len(m.parts) == 0 {
			return false
		}
		if op == "m" {
			m.parts = append(m.parts, newRect(n[0]+m.dx, n[1]+m.dy, n[0]+m.dx, n[1]+m.dy))
			m.steps = 0
		}
		last := &m.parts[len(m.parts)-1]
		for i := 0; i < len(n); i += 2 {
			*last = last.with(point{n[i] + m.dx, n[i+1] + m.dy})
		}
		if m.steps++; m.kind == "Highlight" && m.steps > 10 {
			return false // more than the outline of an area
		}
		return m.steps <= most && len(m.parts) <= 1000
	case "h":
		return true
	case "W", "W*", "n":
		return true // less is drawn
	case "f", "F", "f*", "S", "s", "B", "b":
		harmless := true
		for _, part := range m.parts {
			harmless = harmless && m.marks(part, op == "f" || op == "F" || op == "f*")
		}
		m.drawn += len(m.parts)
		m.parts = nil
		return harmless && m.drawn <= 2*len(m.quads)
	}
	return false
}

// marks reports whether a drawn part lies on a quad.
func (m *marks) marks(part rect, fill bool) bool {
	for _, q := range m.quads {
		slack := 0.35 * q.height()
		if q.height() < 4 || !(rect{q.x0 - slack, q.y0 - slack, q.x1 + slack, q.y1 + slack}).covers(part) {
			continue
		}
		if m.kind == "Highlight" {
			clear := (m.now.blend == "Multiply" || m.now.blend == "Darken" || m.now.alpha <= 0.5) && m.now.light >= 0.5
			whole := part.width() >= 0.8*q.width() && part.height() >= 0.6*q.height()
			return fill && clear && whole
		}
		low := part.height() <= 0.25*q.height() && part.y1 <= q.y0+0.3*q.height()
		if low && part.width() >= 0.5*q.width() {
			return true
		}
	}
	return false
}
