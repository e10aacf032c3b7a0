package pdfstamp

import (
	"strings"

	"tcode/offline/geometry"
)

// Flags of an annotation (ISO 32000-1, table 165).
const (
	annotHidden = 1 << 1
	annotPrint  = 1 << 2
	annotNoView = 1 << 5
)

// obstacles returns the stamps, form fields and annotations of p whose area meets
// box. Popups, links without a border and hidden annotations are none.
func (d *document) obstacles(p *page, box geometry.Rect) []geometry.Obstacle {
	var out []geometry.Obstacle
	for _, ob := range d.stampsOn(p) {
		if ob.Area.Meets(box) {
			out = append(out, ob)
		}
	}
	annots, _ := d.resolve(p.dict.get("Annots")).(array)
	for _, o := range annots[:min(len(annots), maxNodes)] {
		a, _ := d.resolve(o).(*dict)
		if a == nil || d.unseen(a) {
			continue
		}
		area, ok := d.drawnArea(a)
		if !ok {
			continue
		}
		ob := geometry.Obstacle{Area: p.onPage(area)}
		if !ob.Area.Meets(box) {
			continue
		}
		d.describe(a, &ob)
		out = append(out, ob)
	}
	return out
}

// unseen reports whether a is shown neither on a screen nor on paper, or
// without ink.
func (d *document) unseen(a *dict) bool {
	flags, _ := integer(d.resolve(a.get("F")))
	if flags&annotHidden != 0 || flags&annotNoView != 0 && flags&annotPrint == 0 {
		return true
	}
	switch kind, _ := d.resolve(a.get("Subtype")).(name); kind {
	case "Popup":
		return true // opens on demand
	case "Link":
		return d.borderWidth(a) == 0
	}
	return false
}

// borderWidth returns the width of a's border in user space units (ISO 32000-1,
// 12.5.4): of BS, else of Border, else 1.
func (d *document) borderWidth(a *dict) float64 {
	if bs, ok := d.resolve(a.get("BS")).(*dict); ok {
		if w, ok := number(d.resolve(bs.get("W"))); ok {
			return max(w, 0)
		}
		return 1
	}
	if border, ok := d.resolve(a.get("Border")).(array); ok && len(border) > 2 {
		if w, ok := number(d.resolve(border[2])); ok {
			return max(w, 0)
		}
	}
	return 1
}

// noteIcon is the side of the icon that viewers draw for a note or file without
// an appearance, from the top left of its rectangle, in user space units.
const noteIcon = 24

// drawnArea returns where a may draw. An appearance stays within Rect (12.5.5);
// where a viewer makes one up, it follows the annotation's own points.
func (d *document) drawnArea(a *dict) (rect, bool) {
	area, ok := d.rect(a.get("Rect"))
	if appearance, _ := d.resolve(a.get("AP")).(*dict); appearance.get("N") != nil {
		return area, ok
	}
	switch kind, _ := d.resolve(a.get("Subtype")).(name); kind {
	case "Text", "FileAttachment", "Sound":
		area.right = max(area.right, area.left+noteIcon)
		area.bottom = min(area.bottom, area.top-noteIcon)
		return area, true
	case "Widget", "Link":
		return area, ok
	}
	grow := d.borderWidth(a) / 2
	for _, key := range []name{"QuadPoints", "L", "Vertices", "InkList"} {
		points := d.points(a.get(key), 0)
		for i := 0; i+1 < len(points); i += 2 {
			x, y := points[i], points[i+1]
			at := rect{x - grow, y - grow, x + grow, y + grow}
			if !ok {
				area, ok = at, true
			}
			area = rect{min(area.left, at.left), min(area.bottom, at.bottom), max(area.right, at.right), max(area.top, at.top)}
		}
	}
	return area, ok
}

// points returns the numbers of o and of the arrays in it.
func (d *document) points(o any, depth int) []float64 {
	list, _ := d.resolve(o).(array)
	var out []float64
	for _, e := range list[:min(len(list), maxNodes)] {
		e = d.resolve(e)
		if v, ok := number(e); ok {
			out = append(out, v)
		} else if depth == 0 {
			out = append(out, d.points(e, 1)...)
		}
	}
	return out
}

// describe returns the kind of a and its name.
func (d *document) describe(a *dict, ob *geometry.Obstacle) {
	kind, _ := d.resolve(a.get("Subtype")).(name)
	if kind != "Widget" {
		ob.Kind, ob.Type, ob.Name = "annotation", string(kind), d.text(a.get("T"))
		return
	}
	ob.Kind = "field"
	var names []string
	for n := a; n != nil && len(names) < maxDepth; n, _ = d.resolve(n.get("Parent")).(*dict) {
		if ob.Type == "" {
			t, _ := d.resolve(n.get("FT")).(name)
			ob.Type = string(t)
		}
		names = append(names, d.text(n.get("T")))
	}
	for i := len(names) - 1; i >= 0; i-- { // from the root down; widgets of one field have no name
		if names[i] != "" {
			ob.Name = strings.TrimPrefix(ob.Name+"."+names[i], ".")
		}
	}
	if ob.Type == "Sig" {
		ob.Kind = "signature field"
	}
}
