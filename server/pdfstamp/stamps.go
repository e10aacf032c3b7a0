package pdfstamp

import (
	"math"
	"slices"

	"tcode/offline/binding"
	"tcode/offline/geometry"
)

// Bounds on the search for stamps that a page carries.
const (
	maxForms   = 64  // that are read, each time one is drawn
	maxStamps  = 256 // that are found on one page
	maxWithin  = 4   // forms within forms
	maxBoxArea = 12  // of a white box, in areas of its symbol
)

// stampsOn returns the TCode stamps that p carries: the images with a mark that its
// contents, or forms in them, draw. One that was flattened into another picture
// is not found: only a reader of symbols sees it.
func (d *document) stampsOn(p *page) []geometry.Obstacle {
	if found, ok := d.stamps[p]; ok {
		return found
	}
	var found []geometry.Obstacle
	if d.hasMark(p.resources, 0) {
		if _, texts, _, err := d.texts(p); err == nil {
			s := search{doc: d, page: p, forms: maxForms}
			s.read(joined(texts), p.resources, matrix{1, 0, 0, 1, 0, 0}, 0)
			for _, t := range texts { // a stream of ours begins in the state of the page
				if len(texts) > 1 {
					s.read(t, p.resources, matrix{1, 0, 0, 1, 0, 0}, 0)
				}
			}
			found = s.found
		}
	}
	d.stamps[p] = found
	return found
}

// hasMark reports whether an image with a mark is among resources, or those of a
// form among them.
func (d *document) hasMark(resources *dict, depth int) bool {
	if resources == nil || depth > maxWithin {
		return false
	}
	if has, ok := d.marked[resources]; ok {
		return has
	}
	d.marked[resources] = false // while it is looked for: resources may hold themselves
	objects, _ := d.resolve(resources.get("XObject")).(*dict)
	if objects == nil {
		return false
	}
	has := false
	for _, o := range objects.pairs[:min(len(objects.pairs), maxNodes)] {
		s, ok := d.resolve(o.val).(*stream)
		if !ok {
			continue
		}
		inner, _ := d.resolve(s.dict.get("Resources")).(*dict)
		if has = d.markOf(s) != nil || d.hasMark(inner, depth+1); has {
			break
		}
	}
	d.marked[resources] = has
	return has
}

// markOf returns the mark of an image; nil: it has none.
func (d *document) markOf(s *stream) *dict {
	if kind, _ := d.resolve(s.dict.get("Subtype")).(name); kind != "Image" {
		return nil
	}
	mark, _ := d.resolve(s.dict.get("TCode")).(*dict)
	return mark
}

// A search looks for the stamps that contents draw.
type search struct {
	doc   *document
	page  *page
	forms int // that may still be read
	found []geometry.Obstacle
}

// read goes through contents that begin with the matrix ctm.
func (s *search) read(text []byte, resources *dict, ctm matrix, depth int) {
	var saved []matrix
	var box rect // the last rectangle, on the page
	m := meter{l: lexer{b: text}, work: maxWork}
	m.tell = func(op []byte) {
		n := m.numbers
		switch string(op) {
		case "q":
			if len(saved) < maxOpen {
				saved = append(saved, ctm)
			}
		case "Q":
			if i := len(saved) - 1; i >= 0 {
				ctm, saved = saved[i], saved[:i]
			}
		case "cm":
			if len(n) == len(ctm) {
				ctm = matrix(n).then(ctm)
			}
		case "re":
			if len(n) == 4 {
				box = ctm.around(rect{n[0], n[1], n[0] + n[2], n[1] + n[3]})
			}
		case "Do":
			objects, _ := s.doc.resolve(resources.get("XObject")).(*dict)
			if o, ok := s.doc.resolve(objects.get(m.last)).(*stream); ok {
				s.object(o, resources, ctm, box, depth)
			}
		}
	}
	m.all()
}

// object takes account of an image or form that is drawn.
func (s *search) object(o *stream, resources *dict, ctm matrix, box rect, depth int) {
	if mark := s.doc.markOf(o); mark != nil {
		s.add(o, mark, ctm, box)
		return
	}
	kind, _ := s.doc.resolve(o.dict.get("Subtype")).(name)
	if kind != "Form" || depth == maxWithin || s.forms == 0 {
		return
	}
	if own, ok := s.doc.resolve(o.dict.get("Resources")).(*dict); ok {
		resources = own
	}
	if !s.doc.hasMark(resources, 0) {
		return
	}
	s.forms--
	if n := s.doc.points(o.dict.get("Matrix"), 1); len(n) == len(ctm) {
		ctm = matrix(n).then(ctm)
	}
	if text, err := s.doc.decode(o); err == nil {
		s.read(text, resources, ctm, depth+1)
	}
}

// add notes a stamp whose symbol fills the unit square of ctm. box is its white
// box if it lies around it.
func (s *search) add(image *stream, mark *dict, ctm matrix, box rect) {
	modules := 10.0 // the fewest that a Data Matrix has
	if px, ok := integer(s.doc.resolve(image.dict.get("Width"))); ok && px > 10*binding.PxPerModule {
		modules = float64(px) / binding.PxPerModule
	}
	quiet := defaultQuiet / modules
	symbol := ctm.around(rect{0, 0, 1, 1})
	area := ctm.around(rect{-quiet, -quiet, 1 + quiet, 1 + quiet})
	if box.holds(symbol) && box.width()*box.height() <= maxBoxArea*symbol.width()*symbol.height() {
		area = rect{min(area.left, box.left), min(area.bottom, box.bottom), max(area.right, box.right), max(area.top, box.top)}
	}
	reference, _ := s.doc.resolve(mark.get("R")).(name)
	ob := geometry.Obstacle{Kind: geometry.KindStamp, Name: string(reference), Area: s.page.onPage(area)}
	if len(s.found) < maxStamps && !slices.Contains(s.found, ob) {
		s.found = append(s.found, ob)
	}
}

// holds reports whether s lies within r, to a thousandth of a unit.
func (r rect) holds(s rect) bool {
	const slack = 1e-3
	return s.left >= r.left-slack && s.bottom >= r.bottom-slack && s.right <= r.right+slack && s.top <= r.top+slack
}

// around returns the upright rectangle around r after m.
func (m matrix) around(r rect) rect {
	out := rect{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}
	for _, x := range []float64{r.left, r.right} {
		for _, y := range []float64{r.bottom, r.top} {
			px, py := m[0]*x+m[2]*y+m[4], m[1]*x+m[3]*y+m[5]
			out = rect{min(out.left, px), min(out.bottom, py), max(out.right, px), max(out.top, py)}
		}
	}
	return out
}
