package caveat

import (
	"bytes"
	"math"

	"tcode/scanner/pdfobj"
)

// leastSize is the least size of text that people notice, in points.
const leastSize = 3

// textOperator follows the operators of text objects (ISO 32000-2, 9.4).
func (p *painter) textOperator(op string, args []any) bool {
	n, isNumeric := numbers(args)
	one := isNumeric && len(n) == 1
	switch op {
	case "Tf":
		return p.setFont(args)
	case "Tr":
		return one && n[0] == 0
	case "Tz":
		return one && n[0] >= 60 && n[0] <= 140
	case "Ts":
		return one && n[0] == 0
	case "Tc":
		p.now.charGap = first(n)
		return one && math.Abs(n[0]) < 200
	case "Tw":
		p.now.wordGap = first(n)
		return one && math.Abs(n[0]) < 200
	case "TL":
		p.now.leading = first(n)
		return one
	case "Td", "TD":
		if !isNumeric || len(n) != 2 {
			return false
		}
		if op == "TD" {
			p.now.leading = -n[1]
		}
		p.move(n[0], n[1])
		return true
	case "Tm":
		if !isNumeric || len(n) != 6 || n[0] != 1 || n[3] != 1 || n[1] != 0 || n[2] != 0 {
			return false
		}
		p.lineX, p.x, p.y = n[4], n[4], n[5]
		return true
	case "T*":
		p.move(0, -p.now.leading)
		return true
	case "Tj":
		return len(args) == 1 && p.show(args[0])
	case "'":
		p.move(0, -p.now.leading)
		return len(args) == 1 && p.show(args[0])
	case "TJ":
		return len(args) == 1 && p.showAll(args[0])
	}
	return false
}

func first(n []float64) float64 {
	if len(n) == 0 {
		return 0
	}
	return n[0]
}

// move begins a line.
func (p *painter) move(dx, dy float64) {
	p.lineX += dx
	p.x = p.lineX
	p.y += dy
}

// setFont follows Tf.
func (p *painter) setFont(args []any) bool {
	if len(args) != 2 {
		return false
	}
	name, isName := args[0].(pdfobj.Name)
	n, ok := numbers(args[1:])
	if !isName || !ok {
		return false
	}
	if p.read == nil {
		p.read = map[string]*font{}
	}
	f, known := p.read[string(name)]
	if !known {
		f = readFont(p.doc, p.doc.Dict(p.fonts[name]))
		p.read[string(name)] = f
	}
	p.now.font, p.now.size = f, n[0]
	return true
}

func (p *painter) showAll(v any) bool {
	list, ok := v.(pdfobj.Array)
	for _, v := range list {
		if s, isString := v.(pdfobj.String); isString {
			if !p.show(s) {
				return false
			}
			continue
		}
		n, isNumber := numbers([]any{v})
		if !isNumber {
			return false
		}
		p.x -= n[0] / 1000 * p.now.size
	}
	return ok
}

// show follows the string v. Text counts only if a person sees all of it and reads it in
// the order in which it is drawn.
func (p *painter) show(v any) bool {
	s, isString := v.(pdfobj.String)
	if !isString {
		return false
	}
	b := s.Bytes()
	if len(b) == 0 {
		return true
	}
	p.inks = true
	if p.now.font == nil {
		p.own = true
		return false
	}
	text, em, ok := p.now.font.text(b)
	if !ok {
		return false
	}
	width := em*p.now.size + float64(len(b))*p.now.charGap + float64(bytes.Count(b, []byte(" ")))*p.now.wordGap
	if squeezed(text) == "" {
		p.x += width
		return true
	}
	if p.now.size < leastSize || !p.upright || !p.contrasts() {
		return false
	}
	slack := 0.35 * p.now.size
	clip := p.now.clip
	if p.x < clip.x0-slack || p.x+width > clip.x1+slack || p.y < clip.y0-slack || p.y+0.5*p.now.size > clip.y1+slack {
		return false // cut off
	}
	sameLine := p.last.any && math.Abs(p.y-p.last.y) < 0.3*p.now.size
	if p.last.any && sameLine && p.x < p.last.end-slack || p.last.any && !sameLine && p.y > p.last.y-0.6*p.last.size {
		return false // over other text, or out of order
	}
	p.last = line{end: p.x + width, y: p.y, size: p.now.size, any: true}
	p.out.WriteString(text)
	p.x += width
	return true
}

// contrasts reports whether text differs visibly from the possible grounds behind it.
func (p *painter) contrasts() bool {
	for _, g := range p.grounds {
		if math.Abs(p.now.light-g) < 0.15 {
			return false
		}
	}
	return true
}

// rect is a rectangle in the space of a form, in its units.
type rect struct{ x0, y0, x1, y1 float64 }

func newRect(x0, y0, x1, y1 float64) rect {
	return rect{min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)}
}

// rectangle reads an array of four numbers.
func rectangle(doc *pdfobj.File, v any) (rect, bool) {
	n, ok := numbers(doc.Array(v))
	if !ok || len(n) != 4 {
		return rect{}, false
	}
	return newRect(n[0], n[1], n[2], n[3]), true
}

func (r rect) width() float64  { return r.x1 - r.x0 }
func (r rect) height() float64 { return r.y1 - r.y0 }

func (r rect) inset(d float64) rect { return rect{r.x0 + d, r.y0 + d, r.x1 - d, r.y1 - d} }

func (r rect) within(o rect) rect {
	return rect{max(r.x0, o.x0), max(r.y0, o.y0), min(r.x1, o.x1), min(r.y1, o.y1)}
}

// covers reports whether o lies inside of r.
func (r rect) covers(o rect) bool {
	return r.x0 <= o.x0 && r.y0 <= o.y0 && r.x1 >= o.x1 && r.y1 >= o.y1
}

// strips reports whether o lies within e of one edge of r.
func (r rect) strips(e float64, o rect) bool {
	return o.x1 < r.x0+e || o.x0 > r.x1-e || o.y1 < r.y0+e || o.y0 > r.y1-e
}
