package caveat

import (
	"fmt"
	"maps"
	"slices"

	"tcode/scanner/pdfobj"
)

// A tree is the page tree of a file. Some programs show as many pages as a node
// counts, others as many as it has, and only some show pages that are no objects of
// their own.
type tree struct {
	nodes map[pdfobj.Ref]node // newest node of each number
	pages map[pdfobj.Ref]bool
	odd   string // why programs may show other pages, a clause
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
			if !isRef {
				t.odd = fmt.Sprintf("a page in object %d is no object of its own", o.Num)
			}
			n.kids = append(n.kids, kid)
		}
		if !isInt || !isArray {
			t.odd = fmt.Sprintf("its page tree does not say in object %d how many pages it has", o.Num)
		}
		t.nodes[num] = n
	}
}

// wrong names, as a clause, the node that counts more or fewer pages than it has; it
// returns an empty string if there is none.
func (t *tree) wrong() string {
	for _, num := range slices.Sorted(maps.Keys(t.nodes)) {
		n := t.nodes[num]
		for _, kid := range n.kids {
			switch below, isNode := t.nodes[kid]; {
			case isNode:
				n.count -= below.count
			case t.pages[kid]:
				n.count--
			}
		}
		if n.count != 0 {
			return fmt.Sprintf("its page tree counts other pages in object %d than it has", num)
		}
	}
	return t.odd
}
