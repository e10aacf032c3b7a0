package pdfstamp

import "errors"

// Reasons why a signed document is not stamped.
var (
	errCertified = errors.New("the document is certified and forbids changes")
	errLocked    = errors.New("a signature locks the document")
)

// signatures reports whether the document carries signatures. The error is
// errForbidden by the permissions of an encrypted file, errLocked, or
// errCertified if the certification allows no more than form filling: DocMDP
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
		signed = true
	}
	form, _ := d.resolve(d.catalog().get("AcroForm")).(*dict)
	fields, _ := d.resolve(form.get("Fields")).(array)
	w := fieldWalk{doc: d, seen: map[int]bool{}}
	w.walk(fields, "", 0)
	if w.locked {
		return true, errLocked
	}
	return signed || w.signed, nil
}

// permission returns P of the certifying signature.
func (d *document) permission(sig *dict) int {
	if p := d.transformP(sig, "DocMDP"); p > 0 {
		return p
	}
	return 2
}

// transformP returns P of the signature's reference with that method, or 0.
func (d *document) transformP(sig *dict, method name) int {
	for _, o := range d.list(sig.get("Reference")) {
		r, _ := d.resolve(o).(*dict)
		if m, _ := d.resolve(r.get("TransformMethod")).(name); m != method {
			continue
		}
		params, _ := d.resolve(r.get("TransformParams")).(*dict)
		if p, ok := integer(d.resolve(params.get("P"))); ok {
			return p
		}
	}
	return 0
}

// locks reports whether the signature sig of field f closes the document: its lock,
// or the signed copy of it, allows no more than form filling (ISO 32000-2, 12.7.5.5
// and table 258). A lock of fields alone does not restrict pages.
func (d *document) locks(f, sig *dict) bool {
	lock, _ := d.resolve(f.get("Lock")).(*dict)
	p, ok := integer(d.resolve(lock.get("P")))
	if !ok {
		p = d.transformP(sig, "FieldMDP")
	}
	return p == 1 || p == 2
}

// A fieldWalk looks for signature fields with a value. It stops at maxNodes: a
// form that large is stamped without the warning.
type fieldWalk struct {
	doc            *document
	seen           map[int]bool
	nodes          int
	signed, locked bool
}

func (w *fieldWalk) walk(fields array, inherited name, depth int) {
	for _, o := range fields {
		if w.nodes++; w.nodes > maxNodes || depth > maxDepth {
			return
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
		if sig, ok := w.doc.resolve(f.get("V")).(*dict); ok && kind == "Sig" {
			w.signed = true
			w.locked = w.locked || w.doc.locks(f, sig)
		}
		kids, _ := w.doc.resolve(f.get("Kids")).(array)
		w.walk(kids, kind, depth+1)
	}
}

// Warnings on the limits of a stamp on a page. The words are for people.
const (
	warnRights    = "the document carries usage rights of Adobe Reader, which end with any change"
	warnDynamic   = "the document is a dynamic XFA form: viewers that draw its pages themselves show them without the stamp"
	warnPortfolio = "the document is a portfolio: the stamp is on its cover sheet, the attached files are not stamped"
)

// cautions returns the warnings that the catalog calls for.
func (d *document) cautions() (out []string) {
	c := d.catalog()
	perms, _ := d.resolve(c.get("Perms")).(*dict)
	if perms.get("UR3") != nil || perms.get("UR") != nil {
		out = append(out, warnRights)
	}
	form, _ := d.resolve(c.get("AcroForm")).(*dict)
	if d.resolve(c.get("NeedsRendering")) == raw("true") && form.get("XFA") != nil {
		out = append(out, warnDynamic)
	}
	if _, ok := d.resolve(c.get("Collection")).(*dict); ok {
		out = append(out, warnPortfolio)
	}
	return out
}
