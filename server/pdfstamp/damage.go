package pdfstamp

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"tcode/offline/astext"
)

// Damage that leaves pages without their contents.
var (
	errAsText   = errors.New("changed as text on its way")
	errContents = errors.New("contents that cannot be decoded")
)

// changed returns the error of a file that was changed as text. It names the first page whose contents or resources
// have the damaged stream. d may be nil: nothing of the file can be found.
func (d *document) changed(damage astext.Damage) error {
	err := fmt.Errorf("%w: the bytes of object %d %s", errAsText, damage.Object, damage.How)
	if d == nil {
		return err
	}
	pages, _ := d.pages()
	w := route{doc: d, want: damage.Object, seen: map[int]bool{}, left: maxNodes}
	for _, p := range pages {
		if w.leads(p.dict.get("Contents"), 0) || w.leads(p.resources, 0) || w.leads(p.dict.get("Annots"), 0) {
			return fmt.Errorf("page %d: %w", p.number, err)
		}
	}
	return err
}

// A route looks for an object below others.
type route struct {
	doc  *document
	want int // its number
	seen map[int]bool
	left int // values that may still be visited
}

// elsewhere are the entries that lead to other pages, or to what no page shows.
var elsewhere = map[name]bool{"Parent": true, "P": true, "Popup": true, "Dest": true, "A": true, "AA": true, "Metadata": true}

// leads reports whether o refers to the object, directly or by others.
func (w *route) leads(o any, depth int) bool {
	if w.left--; w.left < 0 || depth > maxDepth {
		return false
	}
	if r, isRef := o.(ref); isRef {
		if r.num == w.want {
			return true
		}
		if w.seen[r.num] {
			return false
		}
		w.seen[r.num] = true
		o = w.doc.resolve(r)
	}
	switch v := o.(type) {
	case array:
		for _, e := range v {
			if w.leads(e, depth+1) {
				return true
			}
		}
	case *stream:
		return w.leads(v.dict, depth+1)
	case *dict:
		if v == nil {
			return false
		}
		for _, e := range v.pairs {
			if !elsewhere[e.key] && w.leads(e.val, depth+1) {
				return true
			}
		}
	}
	return false
}

// decodable notes the pages with contents, and returns an error for the first page of which nothing can be decoded. It
// decodes only the first part of contents: where they are damaged later on, viewers show the part before. It leaves
// encrypted files alone.
func (d *document) decodable(pages []*page) error {
	if d.crypt != nil {
		return nil
	}
	known := map[int]bool{} // streams; true: they begin as they should
	for i, p := range pages {
		c := p.dict.get("Contents")
		list, ok := d.resolve(c).(array)
		if !ok {
			list = array{c}
		}
		filled, begun := false, false
		for _, o := range list[:min(len(list), maxNodes)] {
			s, isStream := d.resolve(o).(*stream)
			if !isStream || len(bytes.TrimSpace(s.data)) == 0 {
				continue
			}
			begins, seen := known[s.from.num]
			if !seen {
				begins = d.begins(s)
				known[s.from.num] = begins
			}
			filled, begun = true, begun || begins
		}
		if filled && !begun {
			return fmt.Errorf("page %d: %w", p.number, errContents)
		}
		if filled {
			d.filled = append(d.filled, i+1)
		}
	}
	return nil
}

// begins reports whether the first byte of s can be decoded, as far as zlib is concerned.
func (d *document) begins(s *stream) bool {
	filters := d.list(s.dict.get("Filter"))
	if len(filters) == 0 {
		return true
	}
	if n, _ := d.resolve(filters[0]).(name); n != "FlateDecode" && n != "Fl" {
		return true
	}
	z, err := d.inflate(s.data)
	if err != nil {
		return false
	}
	_, err = z.Read(make([]byte, 1))
	return err == nil || errors.Is(err, io.EOF)
}
