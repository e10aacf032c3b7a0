package pdfstamp

import (
	"slices"
	"strings"

	"tcode/offline/geometry"
)

// A page is a leaf of the page tree with its inherited entries (ISO 32000-1,
// 7.7.3.4).
type page struct {
	number    int // from 1
	ref       ref
	dict      *dict
	resources *dict // own or inherited, may be nil
	visible   rect  // CropBox within MediaBox, in default user space
	drawn     rect  // the area that some viewers show: the CropBox, also beyond the MediaBox
	rotate    int   // degrees clockwise: 0, 90, 180, 270
	userUnit  float64
	shows     []int // numbers of the pages that are this very object, ascending; the first is number
	asked     []int // those of them that the placement names
	unclear   bool  // viewers do not agree on the resources
}

// A rect is a box in default user space units, left < right, bottom < top.
type rect struct {
	left, bottom, right, top float64
}

func (r rect) width() float64  { return r.right - r.left }
func (r rect) height() float64 { return r.top - r.bottom }

// pages walks the whole tree and returns its leaves in order. Count entries are
// not used: a lie there must not move a stamp to another page.
func (d *document) pages() ([]*page, error) {
	if d.leaves != nil {
		return d.leaves, nil
	}
	w := pageWalk{doc: d, above: map[int]bool{}, leaf: map[int]*page{}}
	if err := w.node(d.catalog().get("Pages"), inherited{}, 0); err != nil {
		return nil, err
	}
	if len(w.pages) == 0 {
		return nil, errNoPages
	}
	d.leaves = w.pages
	return w.pages, nil
}

// inherited are the attributes that nodes hand down.
type inherited struct {
	resources, mediaBox, cropBox, rotate any
	chain                                []any // the Resources of all nodes, from the root down
}

type pageWalk struct {
	doc   *document
	above map[int]bool  // nodes on the way to here: to enter one again is a loop
	leaf  map[int]*page // by object number
	pages []*page
	nodes int
}

func (w *pageWalk) node(o any, in inherited, depth int) error {
	if w.nodes++; w.nodes > maxNodes || depth > maxDepth {
		return errTooComplex
	}
	r, isRef := o.(ref)
	n, ok := w.doc.resolve(o).(*dict)
	if !ok {
		return nil // a missing kid is skipped, as viewers do
	}
	for _, a := range []struct {
		key name
		to  *any
	}{{"Resources", &in.resources}, {"MediaBox", &in.mediaBox}, {"CropBox", &in.cropBox}, {"Rotate", &in.rotate}} {
		if v := n.get(a.key); v != nil {
			*a.to = v
		}
	}
	if v := n.get("Resources"); v != nil {
		in.chain = append(slices.Clip(in.chain), v)
	}
	kids, ok := w.doc.resolve(n.get("Kids")).(array)
	// The root is no page, with any Type: all viewers but MuPDF continue with its kids.
	if kind, _ := w.doc.resolve(n.get("Type")).(name); !ok || kind == "Page" && depth > 0 {
		if isRef {
			return w.addLeaf(r, n, in)
		}
		return nil // a page that is no object of its own cannot be replaced
	}
	if isRef {
		if w.above[r.num] {
			return nil
		}
		w.above[r.num] = true
		defer delete(w.above, r.num)
	}
	for _, k := range kids {
		if err := w.node(k, in, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func (w *pageWalk) addLeaf(r ref, n *dict, in inherited) error {
	if t, _ := w.doc.resolve(n.get("Type")).(name); t != "Page" && t != "" && t != "Pages" && n.get("Contents") == nil {
		return nil
	}
	if len(w.pages) == MaxPages {
		return errTooManyPages
	}
	if p := w.leaf[r.num]; p != nil {
		p.shows = append(p.shows, len(w.pages)+1)
		w.pages = append(w.pages, p)
		return nil
	}
	p := w.doc.newPage(n, in)
	p.number, p.ref = len(w.pages)+1, r
	p.shows = []int{p.number}
	w.leaf[r.num] = p
	w.pages = append(w.pages, p)
	return nil
}

// letter is the box that viewers show when a page has no usable MediaBox.
var letter = rect{0, 0, 612, 792}

func (d *document) newPage(n *dict, in inherited) *page {
	p := &page{dict: n, userUnit: 1}
	p.resources, _ = d.resolve(in.resources).(*dict)
	p.unclear = !d.agreed(in.chain, d.chainAbove(n))
	media, ok := d.rect(in.mediaBox)
	if !ok {
		media = letter
	}
	p.visible, p.drawn = media, media
	if crop, ok := d.rect(in.cropBox); ok {
		p.drawn = crop
		crop = rect{max(crop.left, media.left), max(crop.bottom, media.bottom), min(crop.right, media.right), min(crop.top, media.top)}
		if crop.width() > 0 && crop.height() > 0 {
			p.visible = crop
		}
	}
	if deg, ok := integer(d.resolve(in.rotate)); ok && deg%90 == 0 {
		p.rotate = (deg%360 + 360) % 360
	}
	if u, ok := number(d.resolve(n.get("UserUnit"))); ok && u > 0 {
		p.userUnit = u
	}
	return p
}

// rect reads a rectangle, whose corners come in any order (ISO 32000-1, 7.9.5).
func (d *document) rect(o any) (rect, bool) {
	a, _ := d.resolve(o).(array)
	if len(a) < 4 {
		return rect{}, false
	}
	var v [4]float64
	for i := range v {
		o := d.resolve(a[i])
		f, ok := number(o)
		if token, _ := o.(raw); !ok && isHuge(token) {
			f, ok = huge, true
		}
		if !ok {
			return rect{}, false
		}
		v[i] = f
	}
	r := rect{min(v[0], v[2]), min(v[1], v[3]), max(v[0], v[2]), max(v[1], v[3])}
	return r, r.width() > 0 && r.height() > 0
}

// huge replaces a number of either sign that is too large for arithmetic: no viewer
// shows a page with such a side.
const huge = 1e15

// isHuge reports whether token is a number beyond all bounds.
func isHuge(token raw) bool {
	whole, _, _ := strings.Cut(strings.TrimLeft(string(token), "+-0"), ".")
	return len(whole) > 15 && strings.Trim(whole, "0123456789") == ""
}

// choose returns the pages that the placement names, each object once, in order.
func choose(all []*page, pl Placement) ([]*page, error) {
	var out []*page
	take := func(i int) {
		p := all[i]
		if p.asked == nil {
			out = append(out, p)
		}
		p.asked = append(p.asked, i+1)
	}
	switch pl.Scope {
	case "", geometry.LastPage:
		take(len(all) - 1)
	case geometry.FirstPage:
		take(0)
	case geometry.CustomPages:
		want := map[int]bool{}
		for _, n := range pl.Pages {
			if n < 0 {
				n += len(all) + 1
			}
			want[n] = true
		}
		for i := range all {
			if want[i+1] {
				take(i)
			}
		}
	case geometry.AllPages, geometry.OddPages, geometry.EvenPages:
		for i := range all {
			if pl.Scope == geometry.AllPages || (i%2 == 0) == (pl.Scope == geometry.OddPages) {
				take(i)
			}
		}
	}
	if len(out) == 0 {
		return nil, errNoSuchPage
	}
	return out, nil
}
