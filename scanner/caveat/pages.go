package caveat

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	"tcode/scanner/pdfobj"
)

// maxContents bounds the contents of all pages and forms that are read, in bytes.
const maxContents = 64 << 20

// maxPictures bounds the samples of pictures that are counted. Those of larger
// ones are left to programs that draw them.
const maxPictures = 2 << 20

// plainSpaces are the colour spaces that need no resource.
var plainSpaces = map[pdfobj.Name]bool{"DeviceGray": true, "DeviceRGB": true, "DeviceCMYK": true, "Pattern": true}

// contents looks at the contents of pages and of the forms that they draw.
// Programs that read what is against the grammar go on in different ways.
type contents struct {
	f    *finder
	seen map[pdfobj.Ref]bool // forms and fonts
	left int
	page int
	rest int  // bytes of pictures that may be inflated
	over bool // more than is looked at
}

// contents looks at all pages.
func (f *finder) contents() {
	if f.doc.Wrong() != "" {
		return
	}
	c := contents{f: f, seen: map[pdfobj.Ref]bool{}, left: maxContents, rest: maxPictures}
	pages := maxPages
	catalog := f.doc.Dict(f.doc.Trailer()["Root"])
	if catalog == nil {
		f.at = ""
		f.tell(Unseen)
		return
	}
	root := catalog["Pages"]
	if _, isRef := root.(pdfobj.Ref); !isRef {
		f.at = "its page tree is no object of its own"
		f.tell(Ambiguous)
	}
	var walk func(v, above any, inherited pdfobj.Dict, depth int)
	walk = func(v, above any, inherited pdfobj.Dict, depth int) {
		d := f.doc.Dict(v)
		if pages--; pages < 0 || depth > maxDepth || d == nil || c.over {
			return
		}
		if odd := f.node(d); odd != "" {
			f.at = odd + " that programs take differently"
			f.tell(Ambiguous)
		}
		if d.Has("Resources") {
			inherited = f.doc.Dict(d["Resources"])
		}
		if kids := f.doc.Array(d["Kids"]); kids != nil {
			if d.Has("Annots") {
				f.at = "its page tree has annotations that are on no page"
				f.tell(Ambiguous)
			}
			for _, k := range kids {
				walk(k, v, inherited, depth+1)
			}
			return
		}
		c.page++
		if o, isRef := v.(pdfobj.Ref); isRef && f.isStream(o) {
			c.tell("the page in object %d is a stream", o)
		}
		if parent, isRef := d["Parent"].(pdfobj.Ref); isRef && above != any(parent) {
			c.tell("the page has another parent than it is a part of")
		}
		if turn := f.doc.Value(d["Rotate"]); turn != nil {
			if n, isInt := turn.(int); !isInt || n%90 != 0 {
				c.tell("the page is turned by what is no quarter")
			}
		}
		c.onePage(d, inherited)
	}
	walk(root, nil, nil, 0)
	if c.over || pages < 0 {
		f.at = ""
		f.tell(Unseen)
	}
}

// tell notes what is wrong with what stands on the page.
func (c *contents) tell(format string, args ...any) {
	c.f.at = fmt.Sprintf("%s on page %d", fmt.Sprintf(format, args...), c.page)
	c.f.tell(Ambiguous)
}

// onePage looks at page d.
func (c *contents) onePage(d, resources pdfobj.Dict) {
	parts := pdfobj.Array{d["Contents"]}
	if list, isArray := c.f.doc.Value(d["Contents"]).(pdfobj.Array); isArray {
		parts = list
	}
	g := grammar{uses: c.uses(resources)}
	for _, part := range parts {
		if part == nil {
			if len(parts) > 1 {
				c.tell("the list of contents has what is no stream")
			}
			continue
		}
		r, isRef := part.(pdfobj.Ref)
		o, ok := pdfobj.Object{}, false
		if isRef {
			o, ok = c.f.doc.Object(r)
		}
		if !ok || !o.Stream {
			c.tell("the list of contents has what is no stream")
			return
		}
		if !c.read(o, &g) {
			c.tell("the contents in object %d are against the grammar of PDF", o.Num)
			return
		}
	}
	if g.saved < 0 || len(g.kinds) > 0 {
		c.tell("the contents end before they are complete")
	}
	if !c.drawn().group(d["Group"]) {
		c.tell("a group that programs draw differently")
	}
	c.resources(resources, false, 0)
}

// read reads the contents in o.
func (c *contents) read(o pdfobj.Object, g *grammar) bool {
	data, ok := c.f.doc.Data(o)
	if !ok {
		c.over = c.over || c.f.doc.Encrypted() // with a key that is not known
		return c.over
	}
	if c.left -= len(data); c.left < 0 {
		c.over = true
		return true
	}
	return g.stream(data)
}

// form looks at a form, pattern or drawn character, which may have its resources
// from above.
func (c *contents) form(o pdfobj.Object, resources pdfobj.Dict, depth int) {
	d := o.Dict()
	if d.Has("Resources") {
		resources = c.f.doc.Dict(d["Resources"])
	}
	g := grammar{uses: c.uses(resources)}
	if !c.read(o, &g) {
		c.tell("the contents in object %d are against the grammar of PDF", o.Num)
	}
	group := c.f.doc.Dict(d["Group"])
	if !c.drawn().group(d["Group"]) {
		c.tell("a group in object %d that programs draw differently", o.Num)
	}
	c.resources(resources, group != nil && c.f.doc.Value(group["I"]) != true, depth+1)
}

func (c *contents) drawn() resource { return resource{c.f.doc, &c.rest} }

// once calls look with the streams to which the values of d refer, in the order
// of their names, unless they were looked at before.
func (c *contents) once(d pdfobj.Dict, look func(o pdfobj.Object)) {
	for _, name := range slices.Sorted(maps.Keys(d)) {
		r, isRef := d[name].(pdfobj.Ref)
		if !isRef || c.seen[r] || c.over {
			continue
		}
		c.seen[r] = true
		if o, ok := c.f.doc.Object(r); ok && o.Stream {
			look(o)
		}
	}
}

// resources looks at what contents may draw with. part is whether they are of a
// group that is not isolated.
func (c *contents) resources(d pdfobj.Dict, part bool, depth int) {
	if depth > maxDepth || c.over {
		return
	}
	doc := c.f.doc
	if what := c.drawn().wrong(d, part); what != "" {
		c.tell("%s that programs draw differently", what)
	}
	fonts := doc.Dict(d["Font"])
	for _, name := range slices.Sorted(maps.Keys(fonts)) {
		if r, isRef := fonts[name].(pdfobj.Ref); isRef {
			if c.seen[r] {
				continue
			}
			c.seen[r] = true
		}
		if font := doc.Dict(fonts[name]); font.Name("Subtype") == "Type3" {
			own := d
			if font.Has("Resources") {
				own = doc.Dict(font["Resources"])
			}
			c.once(doc.Dict(font["CharProcs"]), func(o pdfobj.Object) { c.form(o, own, depth) })
		}
	}
	c.once(doc.Dict(d["Pattern"]), func(o pdfobj.Object) {
		if o.Dict()["PatternType"] == 1 {
			c.form(o, d, depth)
		}
	})
	c.once(doc.Dict(d["XObject"]), func(o pdfobj.Object) {
		if o.Dict().Name("Subtype") == "Form" {
			c.form(o, d, depth)
		}
	})
}

// uses returns a function that tells whether resources have what an operator
// names.
func (c *contents) uses(resources pdfobj.Dict) func(op string, name []byte) bool {
	kinds := map[string]pdfobj.Name{
		"cs": "ColorSpace", "CS": "ColorSpace", "gs": "ExtGState", "Do": "XObject", "sh": "Shading", "Tf": "Font",
		"scn": "Pattern", "SCN": "Pattern",
	}
	known := map[string]bool{}
	return func(op string, name []byte) bool {
		kind := kinds[op]
		if kind == "ColorSpace" && plainSpaces[pdfobj.Name(name)] || bytes.IndexByte(name, '#') >= 0 {
			return true
		}
		key := string(kind) + "/" + string(name)
		ok, seen := known[key]
		if !seen {
			v := c.f.doc.Dict(resources[kind])[pdfobj.Name(name)]
			r, isRef := v.(pdfobj.Ref)
			ok = isRef && c.f.doc.Has(r) || !isRef && v != nil
			known[key] = ok
		}
		return ok
	}
}
