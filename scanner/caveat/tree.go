package caveat

import "tcode/scanner/pdfobj"

// A tree is what a file says of its pages. Programs show as many pages as a node
// counts, or as many as it has, and pages that are no objects of their own show
// in some only.
type tree struct {
	nodes map[pdfobj.Ref]node // the newest of each number
	pages map[pdfobj.Ref]bool
	odd   bool
}

type node struct {
	count int
	kids  []pdfobj.Ref
}

// object notes o if it is a page or a node. Nodes of other trees have no Count.
func (t *tree) object(o pdfobj.Object) {
	if t.nodes == nil {
		t.nodes, t.pages = map[pdfobj.Ref]node{}, map[pdfobj.Ref]bool{}
	}
	d, num := o.Dict(), pdfobj.Ref(o.Num)
	delete(t.nodes, num)
	delete(t.pages, num)
	switch {
	case d.Name("Type") == "Page" || d.Has("Parent") && d.Has("Contents"):
		t.pages[num] = true
	case d.Name("Type") == "Pages" || d.Has("Kids") && d.Has("Count"):
		count, isInt := d["Count"].(int)
		kids, isArray := d["Kids"].(pdfobj.Array)
		n := node{count: count}
		for _, k := range kids {
			kid, isRef := k.(pdfobj.Ref)
			t.odd = t.odd || !isRef
			n.kids = append(n.kids, kid)
		}
		t.odd = t.odd || !isInt || !isArray
		t.nodes[num] = n
	}
}

// wrong reports whether a node counts other pages than it has.
func (t *tree) wrong() bool {
	for _, n := range t.nodes {
		for _, kid := range n.kids {
			switch below, isNode := t.nodes[kid]; {
			case isNode:
				n.count -= below.count
			case t.pages[kid]:
				n.count--
			}
		}
		if n.count != 0 {
			return true
		}
	}
	return t.odd
}
