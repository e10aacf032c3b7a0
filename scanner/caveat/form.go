package caveat

import (
	"fmt"

	"tcode/scanner/pdfobj"
)

// Flags of form fields (ISO 32000-2, 12.7.5).
const (
	flagPassword   = 1 << 13
	flagPushbutton = 1 << 16
	flagCombo      = 1 << 17
	flagComb       = 1 << 24
)

// maxDepth bounds the parents of a field.
const maxDepth = 32

// examine examines the annotations and form fields that count.
func (f *finder) examine() {
	for _, num := range f.drawn {
		o, ok := f.doc.Object(num)
		if !ok {
			f.at = fmt.Sprintf("object %d", num)
			f.tell(Unseen)
			continue
		}
		pdfobj.Each(o.Value, func(v any) {
			if d, isDict := v.(pdfobj.Dict); isDict {
				f.annotation(num, d)
			}
		})
	}
	if f.anew && f.valued {
		f.at = "each program draws all of them again"
		f.tell(Fields)
	}
}

// A field is a form field with the entries that it inherits.
type field struct {
	f     *finder
	num   pdfobj.Ref // of its object
	d     pdfobj.Dict
	chain []pdfobj.Dict // d and its parents
}

func (f *finder) newField(num pdfobj.Ref, d pdfobj.Dict) field {
	l := field{f: f, num: num, d: d}
	for up := d; up != nil && len(l.chain) < maxDepth; up = f.doc.Dict(up["Parent"]) {
		l.chain = append(l.chain, up)
	}
	return l
}

// get returns the value of key, the field's own or inherited.
func (l *field) get(key pdfobj.Name) any {
	for _, d := range l.chain {
		if d.Has(key) {
			return l.f.doc.Value(d[key])
		}
	}
	return nil
}

// has reports whether the field has key, or a parent.
func (l *field) has(key pdfobj.Name) bool {
	for _, d := range l.chain {
		if d.Has(key) {
			return true
		}
	}
	return false
}

func (l *field) ff() int {
	n, _ := l.get("Ff").(int)
	return n
}

// place returns a name of the field for people.
func (l *field) place() string {
	name := ""
	for i := len(l.chain) - 1; i >= 0; i-- {
		s, _ := l.f.doc.Value(l.chain[i]["T"]).(pdfobj.String)
		if part, ok := textString(s); ok && part != "" {
			if name != "" {
				name += "."
			}
			name += part
		}
	}
	where := l.f.page(l.num, l.d)
	if name = clean(name); name == "" {
		return fmt.Sprintf("the field of object %d%s", l.num, where)
	}
	return "“" + name + "”" + where
}

// page returns the page on which the annotation d of object num is shown, with a space before it.
func (f *finder) page(num pdfobj.Ref, d pdfobj.Dict) string {
	if f.pages == nil {
		f.pages = pagesOf(f.doc)
	}
	n, ok := f.pages[num]
	if p, isRef := d["P"].(pdfobj.Ref); !ok && isRef {
		n, ok = f.pages[p]
	}
	if !ok {
		return ""
	}
	return fmt.Sprintf(" on page %d", n)
}

// tell notes that something is wrong with the field.
func (l *field) tell(how string) {
	l.f.at = l.place() + " " + how
	l.f.tell(Fields)
}

// field examines a form field that is shown, or that is not shown but has a value.
func (f *finder) field(num pdfobj.Ref, d pdfobj.Dict) {
	l := f.newField(num, d)
	widget := d.Name("Subtype") == "Widget"
	if !widget && !d.Has("T") && !d.Has("FT") || d.Name("Type") == "Page" {
		return
	}
	kind, _ := l.get("FT").(pdfobj.Name)
	switch {
	case kind == "Btn" && widget:
		l.button()
	case kind == "Btn" || kind == "Sig":
	case widget:
		l.text(kind)
	case d.Has("V"):
		l.parts()
	}
}

// parts examines a field whose kids show its value.
func (l *field) parts() {
	v, ok := l.value()
	if ok && v == "" {
		return
	}
	kids := l.f.doc.Array(l.d["Kids"])
	if len(kids) == 0 {
		l.tell("holds a value that it shows nowhere")
		return
	}
	for _, k := range kids {
		if kid := l.f.doc.Dict(k); kid["Parent"] != any(l.num) {
			l.tell("has a part that does not belong to it")
			return
		}
	}
}

// value returns the text that a field holds. It returns false if the value is no text.
func (l *field) value() (string, bool) {
	v := l.get("V")
	if a, isArray := v.(pdfobj.Array); isArray && len(a) == 1 {
		v = l.f.doc.Value(a[0])
	}
	switch v := v.(type) {
	case pdfobj.String:
		return textString(v)
	case nil:
		return "", !l.has("V")
	case pdfobj.Array:
		return "", len(v) == 0
	}
	return "", false
}

// text examines a widget of a text or choice field: it must show the text that the field
// holds.
func (l *field) text(kind pdfobj.Name) {
	v, ok := l.value()
	if !ok {
		l.f.valued = true
		l.tell("holds something that is no text")
		return
	}
	if l.f.valued = l.f.valued || v != ""; kind == "Ch" {
		v = l.shown(v)
	}
	o, ok := l.f.appearance(l.d)
	if !ok {
		if v != "" || l.d.Has("AP") {
			l.tell("holds a value and has no picture of it")
		}
		return
	}
	p := appearance(l.f.doc, o, l.ff()&flagComb != 0)
	if !l.f.fits(l.d, o) {
		p.sure = false
	}
	switch {
	case p.sure && squeezed(p.text) == squeezed(v):
	case p.sure && kind == "Tx" && l.ff()&flagPassword != 0 && masked(p.text):
	case kind == "Ch" && l.ff()&flagCombo == 0 && v != "":
		l.tell("is a list, whose choice programs show in different ways")
	case p.own:
		l.tell("draws its text in a font of its own")
	case p.sure:
		l.tell("holds something else than it shows")
	default:
		l.tell("draws more than its text")
	}
}

// masked reports whether s is the display of a password.
func masked(s string) bool {
	for _, r := range s {
		if r != '*' && r != '•' && r != '●' {
			return false
		}
	}
	return true
}

// shown returns the displayed text of the choice v, which Opt may define (ISO 32000-2, 12.7.5.4).
func (l *field) shown(v string) string {
	options, _ := l.get("Opt").(pdfobj.Array)
	for _, option := range options {
		pair := l.f.doc.Array(option)
		if len(pair) != 2 {
			continue
		}
		export, _ := l.f.doc.Value(pair[0]).(pdfobj.String)
		display, _ := l.f.doc.Value(pair[1]).(pdfobj.String)
		e, ok1 := textString(export)
		t, ok2 := textString(display)
		if ok1 && ok2 && e == v {
			return t
		}
	}
	return v
}

// button examines a widget of a check box or radio button: it must show the state that the
// field holds.
func (l *field) button() {
	if l.ff()&flagPushbutton != 0 {
		caption := l.f.doc.Dict(l.d["MK"]).Has("CA")
		if l.f.valued = l.f.valued || caption; caption && !l.d.Has("AP") {
			l.tell("has a caption and no picture of it")
		}
		return
	}
	states := l.f.doc.Dict(l.f.doc.Dict(l.d["AP"])["N"])
	held, _ := l.get("V").(pdfobj.Name)
	shows := l.d.Name("AS")
	on := held != "" && held != "Off" && states.Has(held)
	if on && shows != held || !on && shows != "" && shows != "Off" && states.Has(shows) {
		l.tell("holds another state than it shows")
	}
}
