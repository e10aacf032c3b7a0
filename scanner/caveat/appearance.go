package caveat

import (
	"math"
	"strings"

	"tcode/scanner/pdfobj"
)

// A picture is the content of an appearance stream, as far as it can be found without
// drawing it. It covers forms as programs usually write them: a background and a border,
// and lines of upright text in a usual font, one below the other. Any other content clears
// sure.
type picture struct {
	text string // of its lines, in order
	sure bool   // nothing else is drawn, but a background and a border
	inks bool   // something is drawn
	area bool   // an area is filled, which hides everything below it
	own  bool   // the text uses a font that is in the file, or an unknown one
}

// appearance reads the picture that stream o draws. With comb, lines from edge to edge may
// divide it.
func appearance(doc *pdfobj.File, o pdfobj.Object, comb bool) picture {
	d := o.Dict()
	data, ok := doc.Data(o)
	box, isBox := rectangle(doc, d["BBox"])
	if !ok || !isBox || d.Has("OC") {
		return picture{inks: true}
	}
	p := painter{doc: doc, box: box, comb: comb, grounds: []float64{1}, fonts: doc.Dict(doc.Dict(d["Resources"])["Font"])}
	p.now = state{clip: box}
	p.upright = upright(doc.Array(d["Matrix"]))
	done := pdfobj.Content(data, p.operator)
	return picture{text: p.out.String(), sure: done && !p.odd, inks: p.inks || !done, area: p.area, own: p.own}
}

// upright reports whether a matrix does not turn, mirror or distort.
func upright(m pdfobj.Array) bool {
	if m == nil {
		return true
	}
	n, ok := numbers(m)
	return ok && len(n) == 6 && n[0] > 0 && math.Abs(n[0]-n[3]) < 0.01*n[0] && n[1] == 0 && n[2] == 0
}

// state is the part of the graphics state (ISO 32000-2, 8.4) that matters here.
type state struct {
	clip    rect
	font    *font
	size    float64
	leading float64
	charGap float64
	wordGap float64
	light   float64 // of the fill colour, 1 is white
}

// painter follows the operators of an appearance.
type painter struct {
	doc     *pdfobj.File
	box     rect
	comb    bool
	upright bool
	fonts   pdfobj.Dict
	read    map[string]*font

	now   state
	stack []state

	path  []point // of the path under construction
	rects []rect
	clips bool // the path becomes a clip

	inText          bool
	x, y            float64 // of the next character
	lineX           float64
	last            line
	grounds         []float64 // possible lightness of the ground behind the text
	out             strings.Builder
	inks, odd, area bool
	own             bool
}

// line is the place of the last text.
type line struct {
	end, y, size float64
	any          bool
}

type point struct{ x, y float64 }

// numeric returns args if they are n numbers.
func numeric(args []any, n int) ([]float64, bool) {
	out, ok := numbers(args)
	return out, ok && len(out) == n
}

// numbers returns the values of list if all are numbers.
func numbers(list []any) ([]float64, bool) { return pdfobj.Numbers(list) }

// maxStack bounds q without Q.
const maxStack = 64

// operator follows one operator. It returns false if the effect of the operator is
// unknown.
func (p *painter) operator(op string, args []any) bool {
	switch op {
	case "q":
		p.stack = append(p.stack, p.now)
		return len(p.stack) <= maxStack
	case "Q":
		if len(p.stack) == 0 || p.inText {
			return false
		}
		p.now, p.stack = p.stack[len(p.stack)-1], p.stack[:len(p.stack)-1]
		return true
	case "w":
		n, ok := numeric(args, 1)
		return ok && n[0] <= p.edge() // a line may cover all
	case "J", "j", "M", "d", "i", "ri", "G", "RG", "K", "MP", "DP":
		return true
	case "g", "rg", "k":
		n, ok := numbers(args)
		p.now.light = lightness(n)
		return ok && p.now.light >= 0
	case "BMC", "BDC":
		return len(args) > 0 && args[0] != pdfobj.Name("OC")
	case "EMC":
		return true
	case "BT":
		in := p.inText
		p.inText, p.x, p.y, p.lineX = true, 0, 0, 0
		return !in
	case "ET":
		in := p.inText
		p.inText = false
		return in
	}
	if p.inText {
		return p.textOperator(op, args)
	}
	return p.pathOperator(op, args)
}

// lightness returns the lightness of a colour of one, three or four parts: 1 for white,
// below 0 for none.
func lightness(c []float64) float64 {
	switch len(c) {
	case 1:
		return c[0]
	case 3:
		return 0.3*c[0] + 0.59*c[1] + 0.11*c[2]
	case 4:
		return max(0, 1-0.3*c[0]-0.59*c[1]-0.11*c[2]-c[3])
	}
	return -1
}

// pathOperator follows paths: only a path along the edges, or over all of the box, is a
// border or background.
func (p *painter) pathOperator(op string, args []any) bool {
	switch op {
	case "Tf", "Tc", "Tw", "TL", "Tr", "Tz", "Ts":
		return p.textOperator(op, args)
	case "re":
		n, ok := numeric(args, 4)
		if ok {
			p.rects = append(p.rects, newRect(n[0], n[1], n[0]+n[2], n[1]+n[3]))
		}
		return ok && len(p.rects) < 100
	case "m", "l", "c", "v", "y":
		n, ok := numbers(args)
		if !ok || len(n) < 2 || len(n)%2 != 0 || len(p.path) > 1000 {
			return false
		}
		if op != "m" && len(p.path) == 0 {
			return false
		}
		at := point{n[len(n)-2], n[len(n)-1]}
		if op == "m" {
			p.path = append(p.path, at)
			return true
		}
		from := p.path[len(p.path)-1]
		p.odd = p.odd || !p.alongEdge(from, at)
		p.path = append(p.path, at)
		return true
	case "h":
		return true
	case "W", "W*":
		p.clips = true
		return true
	case "n":
		return p.paint(false, false)
	case "S", "s":
		return p.paint(false, true)
	case "f", "F", "f*":
		return p.paint(true, false)
	case "B", "B*", "b", "b*":
		return p.paint(true, true)
	}
	return false
}

// paint ends a path.
func (p *painter) paint(fill, stroke bool) bool {
	for _, r := range p.rects {
		if p.clips {
			p.now.clip = p.now.clip.within(r)
		}
		whole := r.covers(p.box.inset(p.edge()))
		thin := p.box.strips(p.edge(), r)
		switch {
		case !fill && !stroke:
		case fill && whole:
			p.grounds = []float64{p.now.light}
			p.odd = p.odd || p.last.any // over the text
		case !fill && whole || thin:
		default:
			p.odd = true
		}
	}
	if p.clips && (len(p.path) > 0 || len(p.rects) != 1) {
		p.odd = true
	}
	if fill && len(p.path) > 0 {
		p.odd = p.odd || p.last.any || len(p.grounds) > 100
		p.grounds = append(p.grounds, p.now.light)
	}
	p.area = p.area || fill
	p.inks = p.inks || (fill || stroke) && len(p.path)+len(p.rects) > 0
	p.path, p.rects, p.clips = nil, nil, false
	return true
}

// edge returns the greatest distance of a border from the edges of the box.
func (p *painter) edge() float64 {
	return min(4, max(1.5, 0.15*min(p.box.width(), p.box.height())))
}

// alongEdge reports whether the line from a to b follows an edge, goes from one
// edge to another around a corner, or divides a comb.
func (p *painter) alongEdge(a, b point) bool {
	e := p.edge()
	near := func(at point) [4]bool {
		return [4]bool{at.x < p.box.x0+e, at.x > p.box.x1-e, at.y < p.box.y0+e, at.y > p.box.y1-e}
	}
	na, nb := near(a), near(b)
	for i := range na {
		if na[i] && nb[i] {
			return true
		}
	}
	corner := math.Abs(a.x-b.x) <= 2*e && math.Abs(a.y-b.y) <= 2*e && na != [4]bool{} && nb != [4]bool{}
	divides := p.comb && a.x == b.x && (na[2] && nb[3] || na[3] && nb[2])
	return corner || divides
}
