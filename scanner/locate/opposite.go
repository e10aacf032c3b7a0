package locate

import (
	"math"

	"tcode/scanner/gray"
)

const (
	oppositeLines = 6 // strongest lines near the end of an arm that are examined
	oppositeKept  = 2 // number of those that are kept
	apartPx       = 2 // px between two of them
)

// opposite returns the possible lines of the timing track across the corner from a bar of the
// finder pattern: lines of the opposite sign that pass within reach px of p, the end of the arm
// that leads to them, and have edges all along span from there. Ink next to the symbol may have
// the stronger lines, but they are shorter. If there is no line, it returns the parallel
// through p.
func (f *Finder) opposite(img *gray.Image, family int, side *line, p, span gray.Point, reach float64) []line {
	m := &f.acc
	near := make([]line, 0, oppositeLines+1)
	for angle := range m.angles[family] {
		n := m.angles[family][angle]
		row := m.acc[family][angle*m.bins : (angle+1)*m.bins]
		mid := p.Dot(n) - m.origin
		for bin := max(int(mid-reach), 1); bin <= min(int(mid+reach)+1, m.bins-2); bin++ {
			v := float64(row[bin]) * -side.sign
			if v <= 0 || len(near) == oppositeLines && v <= near[len(near)-1].weight ||
				v < float64(row[bin-1])*-side.sign || v < float64(row[bin+1])*-side.sign {
				continue
			}
			near = m.insert(near, m.lineAt(family, angle, bin), oppositeLines, p.Add(span.Mul(0.5)), apartPx)
		}
	}
	var best [oppositeKept]line
	var rating [oppositeKept]float64
	for _, l := range near {
		far := math.Abs(p.Dot(l.normal) - l.rho)
		v := f.coverage(img, &l, p, span) * (1 - 0.4*far/reach)
		switch {
		case v > rating[0]:
			best[1], rating[1] = best[0], rating[0]
			best[0], rating[0] = l, v
		case v > rating[1]:
			best[1], rating[1] = l, v
		}
	}
	out := make([]line, 0, oppositeKept+1)
	for i, l := range best {
		if rating[i] > 0 {
			out = append(out, l)
		}
	}
	if len(out) == 0 || math.Abs(p.Dot(out[0].normal)-out[0].rho) > 1.5 {
		out = append(out, line{normal: side.normal, sign: -side.sign, rho: p.Dot(side.normal)})
	}
	return out
}

// coverage returns the mean edge of l's sign on it, from p along span: about a half for a
// timing track.
func (f *Finder) coverage(img *gray.Image, l *line, p, span gray.Point) float64 {
	w, h := img.Width, img.Height
	n := int(span.Len())
	if n == 0 {
		return 0
	}
	start := p.Add(l.normal.Mul(l.rho - p.Dot(l.normal)))
	dir := gray.Point{X: -l.normal.Y, Y: l.normal.X}
	if dir.Dot(span) < 0 {
		dir = dir.Mul(-1)
	}
	nx, ny := l.normal.X*l.sign, l.normal.Y*l.sign
	var sum float64
	for i := range n {
		x, y := int(start.X+dir.X*float64(i)), int(start.Y+dir.Y*float64(i))
		if x < 0 || y < 0 || x >= w || y >= h {
			continue
		}
		e := nx*float64(f.dx[y*w+x]) + ny*float64(f.dy[y*w+x])
		sum += min(max(e/f.acc.typic, 0), 1)
	}
	return sum / float64(n)
}
