package pageimage

import "math"

// A matrix maps (x, y) to (a*x + c*y + e, b*x + d*y + f).
type matrix struct{ a, b, c, d, e, f float64 }

var identity = matrix{a: 1, d: 1}

// then returns the matrix that maps as m first and as n then.
func (m matrix) then(n matrix) matrix {
	return matrix{
		m.a*n.a + m.b*n.c, m.a*n.b + m.b*n.d,
		m.c*n.a + m.d*n.c, m.c*n.b + m.d*n.d,
		m.e*n.a + m.f*n.c + n.e, m.e*n.b + m.f*n.d + n.f,
	}
}

func (m matrix) at(x, y float64) (float64, float64) {
	return m.a*x + m.c*y + m.e, m.b*x + m.d*y + m.f
}

// straight reports whether m maps upright rectangles to upright rectangles, and to an area.
func (m matrix) straight() bool {
	const slack = 1e-3 // of the side
	for _, v := range []float64{m.a, m.b, m.c, m.d, m.e, m.f} {
		if math.IsNaN(v) || math.Abs(v) > 1e7 {
			return false
		}
	}
	upright, turned := min(math.Abs(m.a), math.Abs(m.d)), min(math.Abs(m.b), math.Abs(m.c))
	return upright > 1e-9 && max(math.Abs(m.b), math.Abs(m.c)) <= slack*upright ||
		turned > 1e-9 && max(math.Abs(m.a), math.Abs(m.d)) <= slack*turned
}

// turned reports whether a straight m maps across to up.
func (m matrix) turned() bool { return math.Abs(m.b) > math.Abs(m.a) }

// box returns the bounds of what r becomes.
func (m matrix) box(r rect) rect {
	out := rect{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}
	for _, x := range []float64{r.x0, r.x1} {
		for _, y := range []float64{r.y0, r.y1} {
			x, y := m.at(x, y)
			out = rect{min(out.x0, x), min(out.y0, y), max(out.x1, x), max(out.y1, y)}
		}
	}
	return out
}

// A rect is an upright rectangle, with x0 <= x1 and y0 <= y1 unless it is empty.
type rect struct{ x0, y0, x1, y1 float64 }

func (r rect) empty() bool { return !(r.x0 < r.x1 && r.y0 < r.y1) }

func (r rect) within(o rect) rect {
	return rect{max(r.x0, o.x0), max(r.y0, o.y0), min(r.x1, o.x1), min(r.y1, o.y1)}
}

// covers reports whether o lies inside of r, or reaches beyond it by slack at most.
func (r rect) covers(o rect, slack float64) bool {
	return r.x0 <= o.x0+slack && r.y0 <= o.y0+slack && r.x1 >= o.x1-slack && r.y1 >= o.y1-slack
}
