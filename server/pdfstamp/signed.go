package pdfstamp

import "errors"

// errCertified is returned for a document whose author forbade changes.
var errCertified = errors.New("the document is certified and forbids changes")

// signatures reports whether the document carries signatures, or
// errCertified if its certification allows no more than form filling: DocMDP
// with P 1 or 2, which is also the default (ISO 32000-1, 12.8.2.2).
func (d *document) signatures() (signed bool, err error) {
	if err := d.crypt.permitted(); err != nil {
		return false, err
	}
	perms, _ := d.resolve(d.catalog().get("Perms")).(*dict)
	if sig, ok := d.resolve(perms.get("DocMDP")).(*dict); ok {
		if d.permission(sig) < 3 {
			return true, errCertified
		}
		return true, nil
	}
	form, _ := d.resolve(d.catalog().get("AcroForm")).(*dict)
	fields, _ := d.resolve(form.get("Fields")).(array)
	w := fieldWalk{doc: d, seen: map[int]bool{}}
	return w.signed(fields, "", 0), nil
}

// permission returns P of the certifying signature.
func (d *document) permission(sig *dict) int {
	for _, o := range d.list(sig.get("Reference")) {
		r, _ := d.resolve(o).(*dict)
		if method, _ := d.resolve(r.get("TransformMethod")).(name); method != "DocMDP" {
			continue
		}
		params, _ := d.resolve(r.get("TransformParams")).(*dict)
		if p, ok := integer(d.resolve(params.get("P"))); ok {
			return p
		}
	}
	return 2
}

// A fieldWalk looks for signature fields with a value. It stops at maxNodes: a
// form that large is stamped without the warning.
type fieldWalk struct {
	doc   *document
	seen  map[int]bool
	nodes int
}

func (w *fieldWalk) signed(fields array, inherited name, depth int) bool {
	for _, o := range fields {
		if w.nodes++; w.nodes > maxNodes || depth > maxDepth {
			return false
		}
		if r, ok := o.(ref); ok {
			if w.seen[r.num] {
				continue
			}
			w.seen[r.num] = true
		}
		f, _ := w.doc.resolve(o).(*dict)
		kind := inherited
		if t, ok := w.doc.resolve(f.get("FT")).(name); ok {
			kind = t
		}
		if _, ok := w.doc.resolve(f.get("V")).(*dict); ok && kind == "Sig" {
			return true
		}
		kids, _ := w.doc.resolve(f.get("Kids")).(array)
		if w.signed(kids, kind, depth+1) {
			return true
		}
	}
	return false
}
