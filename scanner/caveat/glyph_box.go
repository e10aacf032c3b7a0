package caveat

import (
	"bytes"
	"strconv"
	"strings"
)

// A glyphBox follows the marks of the contents of a drawn character (Type 3). Some programs
// cut off the parts beyond the box of a character that has one (d1, ISO 32000-2, 9.6.4).
type glyphBox struct {
	box    rect
	boxed  bool         // the contents set a box
	now    [6]float64   // matrix
	saved  [][6]float64 // by q
	width  float64      // of lines, not changed by Q
	path   rect         // around the points so far
	began  bool         // path has a point
	beyond bool         // something reaches beyond the box, or may do so
}

func newGlyphBox() *glyphBox { return &glyphBox{now: [6]float64{1, 0, 0, 1, 0, 0}, width: 1} }

// boxSlack is the distance by which a character may reach beyond its box, as a part of the
// box: boxes are rounded.
const boxSlack = 0.02

// maxSavedBoxes bounds the matrices that are kept.
const maxSavedBoxes = 64

// operator follows op with the text of its operands.
func (g *glyphBox) operator(op string, operands []byte) {
	var n []float64
	for _, w := range bytes.Fields(operands) {
		v, err := strconv.ParseFloat(string(w), 64)
		if err != nil {
			break
		}
		n = append(n, v)
	}
	switch {
	case op == "d1" && len(n) == 6:
		g.box = rect{n[2], n[3], n[4], n[5]}
		g.boxed = g.box != rect{} // all programs ignore a box of zeros
	case op == "q":
		if g.saved = append(g.saved, g.now); len(g.saved) > maxSavedBoxes {
			g.saved, g.beyond = nil, true
		}
	case op == "Q" && len(g.saved) > 0:
		g.now, g.saved = g.saved[len(g.saved)-1], g.saved[:len(g.saved)-1]
	case op == "cm" && len(n) == 6:
		m, a := g.now, n
		g.now = [6]float64{
			a[0]*m[0] + a[1]*m[2], a[0]*m[1] + a[1]*m[3], a[2]*m[0] + a[3]*m[2], a[2]*m[1] + a[3]*m[3],
			a[4]*m[0] + a[5]*m[2] + m[4], a[4]*m[1] + a[5]*m[3] + m[5],
		}
	case op == "w" && len(n) == 1:
		g.width = max(g.width, n[0])
	case op == "re" && len(n) == 4:
		g.points(n[0], n[1], n[0]+n[2], n[1], n[0], n[1]+n[3], n[0]+n[2], n[1]+n[3])
	case op == "m", op == "l", op == "c", op == "v", op == "y":
		g.points(n...)
	default:
		g.paint(op)
	}
}

// paint follows the operators that mark something.
func (g *glyphBox) paint(op string) {
	switch op {
	case "f", "F", "f*":
		g.mark(0)
	case "S", "s", "B", "B*", "b", "b*":
		g.mark(g.width / 2)
	case "Do", "sh", "Tj", "TJ", "'", "\"": // their extent is unknown here
		g.beyond = true
	case "n":
		g.began = false
	}
}

// picture follows an inline image. For a stencil without a filter, only the painted
// samples count: its rows are padded to whole bytes. Other images fill the unit square.
func (g *glyphBox) picture(entries map[string]string, data []byte) {
	g.began = false
	x0, y0, x1, y1 := 0.0, 0.0, 1.0, 1.0
	w, _ := strconv.Atoi(either(entries, "/W", "/Width"))
	h, _ := strconv.Atoi(either(entries, "/H", "/Height"))
	stride := (w + 7) / 8
	raw := either(entries, "/F", "/Filter") == "" && either(entries, "/IM", "/ImageMask") == "true"
	if raw && w > 0 && h > 0 && w < 1<<16 && h < 1<<16 && stride*h <= len(data) {
		blank := byte(0xff) // samples of 1 are not painted
		if strings.HasPrefix(strings.ReplaceAll(either(entries, "/D", "/Decode"), " ", ""), "[1") {
			blank = 0
		}
		x0, y0, x1, y1 = 1, 1, 0, 0
		for y := range h {
			for x := range w {
				if (data[y*stride+x/8]^blank)>>(7-x%8)&1 == 0 {
					continue
				}
				left, top := float64(x)/float64(w), 1-float64(y)/float64(h)
				x0, x1 = min(x0, left), max(x1, left+1/float64(w))
				y0, y1 = min(y0, top-1/float64(h)), max(y1, top)
			}
		}
		if x0 > x1 {
			return // it paints nothing
		}
	}
	g.points(x0, y0, x1, y0, x0, y1, x1, y1)
	g.mark(0)
}

// points adds the points x, y, ... to the path.
func (g *glyphBox) points(n ...float64) {
	for i := 0; i+1 < len(n); i += 2 {
		x, y := n[i]*g.now[0]+n[i+1]*g.now[2]+g.now[4], n[i]*g.now[1]+n[i+1]*g.now[3]+g.now[5]
		if !g.began {
			g.path, g.began = rect{x, y, x, y}, true
		}
		g.path = rect{min(g.path.x0, x), min(g.path.y0, y), max(g.path.x1, x), max(g.path.y1, y)}
	}
}

// mark ends a path that is painted. Its lines reach line units of the matrix to each
// side.
func (g *glyphBox) mark(line float64) {
	if !g.began {
		return
	}
	g.began = false
	across := line * max(abs(g.now[0]), abs(g.now[1]), abs(g.now[2]), abs(g.now[3]))
	w, h := g.box.x1-g.box.x0, g.box.y1-g.box.y0
	slack := boxSlack * max(w, h)
	// A line may end a little beyond: only half of its width counts.
	p := g.path.inset(-across / 2)
	g.beyond = g.beyond || w <= 0 || h <= 0 || !g.box.inset(-slack).covers(p)
}

func abs(v float64) float64 { return max(v, -v) }

// wrong reports whether programs may cut off a part of the character.
func (g *glyphBox) wrong() bool { return g.boxed && g.beyond }
