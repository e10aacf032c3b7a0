package caveat

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	"tcode/scanner/pdfobj"
)

// maxContents bounds the contents that are read from all pages and forms, in bytes.
const maxContents = 64 << 20

// maxPictures bounds the samples of pictures that are counted. Larger pictures are left to
// programs that draw them.
const maxPictures = 8 << 20

// plainSpaces are the colour spaces that need no resource.
var plainSpaces = map[pdfobj.Name]bool{"DeviceGray": true, "DeviceRGB": true, "DeviceCMYK": true, "Pattern": true}

// contents examines the contents of pages and of the forms that they draw. Programs
// continue in different ways after a part that is against the grammar.
type contents struct {
	f    *finder
	seen map[pdfobj.Ref]bool // forms and fonts
	left int
	page int
	rest int  // bytes of pictures that may be inflated
	over bool // the limits left some contents unread
}

// contents examines all pages.
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
	if len(f.doc.Hybrid()) > 0 && c.hybrid(catalog) {
		f.at = "it has a second cross-reference, which some programs leave out, for what it shows"
		f.tell(Ambiguous)
	}
	var walk func(v, above any, from above, depth int)
	walk = func(v, above any, from above, depth int) {
		d := f.doc.Dict(v)
		if pages--; pages < 0 || depth > maxDepth || d == nil || c.over {
			return
		}
		if odd := f.node(d); odd != "" {
			f.at = odd + " that programs take differently"
			f.tell(Ambiguous)
		}
		from = from.with(f.doc, d)
		if kids := f.doc.Array(d["Kids"]); kids != nil {
			if d.Has("Annots") {
				f.at = "its page tree has annotations that are on no page"
				f.tell(Ambiguous)
			}
			for _, k := range kids {
				walk(k, v, from, depth+1)
			}
			return
		}
		c.page++
		if o, isRef := v.(pdfobj.Ref); isRef && f.isStream(o) {
			c.tell("the page in object %d is a stream", o)
		}
		if parent, isRef := d["Parent"].(pdfobj.Ref); isRef && above != any(parent) {
			c.tell("the page names another parent than the node that has it")
		}
		if turn := f.doc.Value(d["Rotate"]); turn != nil {
			if n, isInt := turn.(int); !isInt || n%90 != 0 {
				c.tell("the page has a rotation that is no multiple of 90 degrees")
			}
		}
		if !f.cropped(from.media, from.crop) {
			c.tell("the crop box of the page lies partly outside of the page")
		}
		c.onePage(d, from.resources)
	}
	walk(root, nil, above{}, 0)
	if c.over || pages < 0 {
		f.at = ""
		f.tell(Unseen)
	}
}

// above are the entries that a page inherits from the nodes above it.
type above struct {
	resources   pdfobj.Dict
	media, crop any
}

// with returns a with the entries of d in place of the inherited ones.
func (a above) with(doc *pdfobj.File, d pdfobj.Dict) above {
	if d.Has("Resources") {
		a.resources = doc.Dict(d["Resources"])
	}
	if d.Has("MediaBox") {
		a.media = d["MediaBox"]
	}
	if d.Has("CropBox") {
		a.crop = d["CropBox"]
	}
	return a
}

// hybrid reports whether the catalog leads to objects that are found only by programs
// that read the cross-reference stream of a hybrid file (ISO 32000-2, 7.5.8.4).
// Programs that write such files keep the structure of the text there, which shows
// nothing.
func (c *contents) hybrid(catalog pdfobj.Dict) bool {
	only, seen := c.f.doc.Hybrid(), map[pdfobj.Ref]bool{}
	top := maps.Clone(catalog)
	delete(top, "StructTreeRoot")
	if root, _ := c.f.doc.Trailer()["Root"].(pdfobj.Ref); only[int(root)] {
		return true
	}
	found := false
	for left := []any{top}; len(left) > 0 && !found; {
		v := left[len(left)-1]
		left = left[:len(left)-1]
		pdfobj.Each(v, func(v any) {
			r, isRef := v.(pdfobj.Ref)
			if !isRef || seen[r] || len(seen) > maxPages {
				return
			}
			seen[r] = true
			found = found || only[int(r)]
			if o, ok := c.f.doc.Object(r); ok {
				left = append(left, o.Value)
			}
		})
	}
	return found
}

// tell notes a problem with the contents of the page.
func (c *contents) tell(format string, args ...any) {
	c.f.at = fmt.Sprintf("%s on page %d", fmt.Sprintf(format, args...), c.page)
	c.f.tell(Ambiguous)
}

// onePage examines page d.
func (c *contents) onePage(d, resources pdfobj.Dict) {
	parts := pdfobj.Array{d["Contents"]}
	if list, isArray := c.f.doc.Value(d["Contents"]).(pdfobj.Array); isArray {
		parts = list
	}
	g := grammar{uses: c.uses(resources), draws: c.known(resources), now: paints{fill: paint{parts: 1}, stroke: paint{parts: 1}}}
	for _, part := range parts {
		if part == nil {
			if len(parts) > 1 {
				c.tell("the list of contents has an entry that is no stream")
			}
			continue
		}
		r, isRef := part.(pdfobj.Ref)
		o, ok := pdfobj.Object{}, false
		if isRef {
			o, ok = c.f.doc.Object(r)
		}
		if !ok || !o.Stream {
			c.tell("the list of contents has an entry that is no stream")
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

// form reads a form, pattern or drawn character (glyph), which may inherit its
// resources.
func (c *contents) form(o pdfobj.Object, resources pdfobj.Dict, glyph bool, depth int) {
	d := o.Dict()
	if d.Has("Resources") {
		resources = c.f.doc.Dict(d["Resources"])
	}
	g := grammar{uses: c.uses(resources), draws: c.known(resources), now: paints{fill: inherited, stroke: inherited}, glyph: glyph}
	if glyph {
		g.box = newGlyphBox()
	}
	if !c.read(o, &g) {
		c.tell("the contents in object %d are against the grammar of PDF", o.Num)
	}
	if glyph && g.box.wrong() {
		c.tell("a drawn character in object %d reaches beyond its box, where some programs cut it off,", o.Num)
	}
	group := c.f.doc.Dict(d["Group"])
	if !c.drawn().group(d["Group"]) {
		c.tell("a group in object %d that programs draw differently", o.Num)
	}
	c.resources(resources, group != nil && c.f.doc.Value(group["I"]) != true, depth+1)
}

func (c *contents) drawn() resource { return resource{c.f.doc, &c.rest} }

// known returns what draws with resources.
func (c *contents) known(resources pdfobj.Dict) draws {
	return &known{resource: c.drawn(), resources: resources, fonts: map[string]*codes{}, spaces: map[string]paint{}}
}

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

// resources examines the resources of contents. part says that they belong to a group that
// is not isolated.
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
			c.once(doc.Dict(font["CharProcs"]), func(o pdfobj.Object) { c.form(o, own, true, depth) })
		}
	}
	c.once(doc.Dict(d["Pattern"]), func(o pdfobj.Object) {
		if o.Dict()["PatternType"] == 1 {
			c.form(o, d, false, depth)
		}
	})
	c.once(doc.Dict(d["XObject"]), func(o pdfobj.Object) {
		if o.Dict().Name("Subtype") == "Form" {
			c.form(o, d, false, depth)
		}
	})
}

// uses returns a function that reports whether resources have the resource that an
// operator names.
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
