package caveat

import (
	"fmt"

	"tcode/scanner/pdfobj"
)

// maxContents bounds the contents of all pages and forms that are read, in bytes.
const maxContents = 64 << 20

// maxPictures bounds the samples of pictures that are counted. Those of larger
// ones are left to programs that draw them.
const maxPictures = 2 << 20

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
	var walk func(v any, inherited pdfobj.Dict, depth int)
	walk = func(v any, inherited pdfobj.Dict, depth int) {
		d := f.doc.Dict(v)
		if pages--; pages < 0 || depth > maxDepth || d == nil || c.over {
			return
		}
		if d.Has("Resources") {
			inherited = f.doc.Dict(d["Resources"])
		}
		if kids := f.doc.Array(d["Kids"]); kids != nil {
			for _, k := range kids {
				walk(k, inherited, depth+1)
			}
			return
		}
		c.page++
		c.onePage(d, inherited)
	}
	walk(f.doc.Dict(f.doc.Trailer()["Root"])["Pages"], nil, 0)
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
	var g grammar
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

func (c *contents) drawn() resource { return resource{c.f.doc, &c.rest} }

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

// resources looks at the forms that contents may draw.
func (c *contents) resources(d pdfobj.Dict, part bool, depth int) {
	if depth > maxDepth {
		return
	}
	if what := c.drawn().wrong(d, part); what != "" {
		c.tell("%s that programs draw differently", what)
	}
	for _, v := range c.f.doc.Dict(d["XObject"]) {
		r, isRef := v.(pdfobj.Ref)
		if !isRef || c.seen[r] {
			continue
		}
		c.seen[r] = true
		o, ok := c.f.doc.Object(r)
		if !ok || o.Dict().Name("Subtype") != "Form" {
			continue
		}
		var g grammar
		if !c.read(o, &g) {
			c.tell("the contents in object %d are against the grammar of PDF", o.Num)
		}
		group := c.f.doc.Dict(o.Dict()["Group"])
		if !c.drawn().group(o.Dict()["Group"]) {
			c.tell("a group in object %d that programs draw differently", o.Num)
		}
		c.resources(c.f.doc.Dict(o.Dict()["Resources"]), group != nil && c.f.doc.Value(group["I"]) != true, depth+1)
	}
}
