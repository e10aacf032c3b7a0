package pdfstamp

import (
	"fmt"
	"slices"
	"strings"

	"tcode/offline/geometry"
)

// chainAbove returns the Resources of n and of the nodes that its Parent entries
// lead to, the root's first: MuPDF and PDFium inherit along these, poppler down
// the tree.
func (d *document) chainAbove(n *dict) (chain []any) {
	seen := map[*dict]bool{}
	for ; n != nil && !seen[n] && len(seen) < maxDepth; n, _ = d.resolve(n.get("Parent")).(*dict) {
		seen[n] = true
		if v := n.get("Resources"); v != nil {
			chain = append(chain, v)
		}
	}
	slices.Reverse(chain)
	return chain
}

// agreed reports whether viewers find the same resources along both chains. The
// stamp's page has resources of its own: where they do not, some would draw the
// contents with others than before. Some take the nearest entry there is, some
// the nearest that is an object, or a dictionary; poppler follows one reference.
func (d *document) agreed(chains ...[]any) bool {
	direct := func(v any) any {
		if r, ok := v.(ref); ok {
			v = d.load(r.num)
		}
		return v
	}
	readings := []struct {
		skip  func(v any) bool
		value func(v any) any
	}{
		{func(any) bool { return false }, d.resolve},
		{func(v any) bool { o := d.resolve(v); return o == nil || o == raw("null") }, d.resolve},
		{func(v any) bool { _, ok := d.resolve(v).(*dict); return !ok }, d.resolve},
		{func(v any) bool { _, ok := direct(v).(*dict); return !ok }, direct},
	}
	var first *dict
	for i, chain := range chains {
		for j, r := range readings {
			var found *dict
			for k := len(chain) - 1; k >= 0; k-- {
				if !r.skip(chain[k]) {
					found, _ = r.value(chain[k]).(*dict)
					break
				}
			}
			if i+j == 0 {
				first = found
			}
			if found != first {
				return false
			}
		}
	}
	return true
}

// cautionsOf returns the cautions on p before it is stamped.
func (d *document) cautionsOf(p *page) (out []string) {
	if len(p.shows) > 1 {
		w := fmt.Sprintf("%s are one object of the document: the stamp shows on each of them", numbers(p.shows))
		if len(p.asked) < len(p.shows) {
			w += fmt.Sprintf(", though the placement names %s only", numbers(p.asked))
		}
		out = append(out, w)
	}
	c := p.dict.get("Contents")
	list, isList := d.resolve(c).(array)
	if !isList {
		list = nil
		if _, ok := d.resolve(c).(*stream); ok {
			list = array{c}
		}
	}
	gaps, exact := false, d.exact(p.ref) && d.exact(c)
	for _, o := range list {
		s, ok := d.resolve(o).(*stream)
		if !ok {
			gaps = true
			continue
		}
		exact = exact && d.exact(o) && (!s.lie || s.other)
	}
	if !exact {
		out = append(out, warnHidden)
	}
	if gaps {
		out = append(out, warnGaps)
	}
	return out
}

// exact reports whether every viewer finds the object that o refers to: some viewers
// compare its generation, and do not follow a reference with another one.
func (d *document) exact(o any) bool {
	r, ok := o.(ref)
	if !ok {
		return true
	}
	_, again := d.load(r.num).(ref)
	e, known := d.entries[r.num]
	switch {
	case !known || again:
		return !again
	case e.kind == inFile:
		return e.gen == r.gen
	}
	return r.gen == 0
}

// numbers names pages for people, the first ten of them.
func numbers(list []int) string {
	const most = 10
	var words []string
	for _, n := range list[:min(len(list), most)] {
		words = append(words, fmt.Sprint(n))
	}
	if n := len(list) - most; n > 0 {
		words = append(words, fmt.Sprintf("%d more", n))
	}
	if len(words) < 2 {
		return "page " + strings.Join(words, "")
	}
	return "pages " + strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

// onEach returns place as it is on each page that is the object p, ascending.
func (p *page) onEach(place geometry.Place) (out []geometry.Place) {
	for _, n := range p.shows {
		place.Page = n
		out = append(out, place)
	}
	return out
}
