package locate

import (
	"cmp"
	"math"
	"slices"

	"tcode/scanner/gray"
)

const (
	families   = 2
	angleSteps = 13 // most lines on either side of the main direction: 6.5 degrees
	angleRange = 6.5 * math.Pi / 180
	smallSide  = 230 // px, up to which a whole degree between two lines is enough
)

// A line is the set of points p with p . Normal = Rho. Where Sign is 1 it gets
// lighter along the normal, where -1 darker.
type line struct {
	normal gray.Point
	rho    float64
	sign   float64
	weight float64 // sum of the edges on it, gray levels x px
}

// inward points to the dark side.
func (l *line) inward() gray.Point { return l.normal.Mul(-l.sign) }

// meet returns where two lines cross; ok is false for parallels.
func meet(a, b *line) (gray.Point, bool) {
	den := a.normal.Cross(b.normal)
	if math.Abs(den) < 0.1 {
		return gray.Point{}, false
	}
	return gray.Point{
		X: (a.rho*b.normal.Y - b.rho*a.normal.Y) / den,
		Y: (b.rho*a.normal.X - a.rho*b.normal.X) / den,
	}, true
}

// houghMap sums the edges of an image along the lines of two directions that
// are about square to each other.
type houghMap struct {
	angles [families][]gray.Point // normals
	cos    [families][]int32      // their x, 16.16
	base   [families][]int32      // rho of the row's start, 16.16 bins
	bins   int
	origin float64 // rho of bin 0
	acc    [families][]int32
	strong int     // gradient from which a pixel counts
	typic  float64 // gradient of a full edge
}

// directions fills hist with the gradient magnitude by direction modulo 180
// degrees in bins of 2 degrees, and strong and typic from the magnitudes.
//
// The corners of small modules point along the diagonals, so pixels whose edge
// goes straight on count more.
func (m *houghMap) directions(dx, dy []int16, w int) (hist [90]float64) {
	// Every pixel of a small box and as many of a large one are enough. The
	// step is odd, so that it does not run down a column.
	step := len(dx)/20000*2 + 1
	var sizes [256]int // magnitudes / 8
	n := 0
	for i := 0; i < len(dx); i += step {
		a := abs16(dx[i]) + abs16(dy[i])
		sizes[min(a/8, 255)]++
		n++
	}
	// The strongest two percent are full edges whatever the share of paper.
	left, top := n/50, 255
	for ; top > 0; top-- {
		if left -= sizes[top]; left < 0 {
			break
		}
	}
	m.strong = max(top*8/4, 16)
	m.typic = max(float64(top*8), 1) // a flat box has no edges; 0 would divide
	for i := 0; i < len(dx); i += step {
		x, y := dx[i], dy[i]
		a := abs16(x) + abs16(y)
		if a < m.strong {
			continue
		}
		deg := math.Atan2(float64(y), float64(x)) * (90 / math.Pi) // half degrees of 2
		k := int(math.Floor(deg+90.5)) % 90
		if straight(dx, dy, w, i, a) {
			a *= 8
		}
		hist[k] += float64(a)
	}
	return hist
}

// straight reports whether the edge at pixel i, of magnitude a, goes on in the
// same direction two pixels to either side.
func straight(dx, dy []int16, w, i, a int) bool {
	x, y := int(dx[i]), int(dy[i])
	// Two pixels along the edge, rounded to the eight directions and halves.
	l := max(abs16(dx[i]), abs16(dy[i]))
	sx, sy := (-4*y+l)/(2*l), (4*x+l)/(2*l)
	if -4*y+l < 0 {
		sx = -((4*y + l) / (2 * l))
	}
	if 4*x+l < 0 {
		sy = -((-4*x + l) / (2 * l))
	}
	step := sy*w + sx
	for _, j := range [2]int{i + step, i - step} {
		if j < 0 || j >= len(dx) {
			return false
		}
		u, v := int(dx[j]), int(dy[j])
		cross, dot := x*v-y*u, x*u+y*v
		if dot*3 < a*a/2 || 5*max(cross, -cross) > dot {
			return false
		}
	}
	return true
}

func abs16(v int16) int {
	if v < 0 {
		return -int(v)
	}
	return int(v)
}

// axes returns the two main directions of the edges, as normals, in radians.
// Perspective may turn them out of square by up to 14 degrees.
func axes(hist [90]float64) (a, b float64) {
	var smooth [90]float64
	for i := range smooth {
		smooth[i] = hist[(i+89)%90] + 2*hist[i] + hist[(i+1)%90]
	}
	best := 0
	for i := range 45 {
		if smooth[i]+smooth[i+45] > smooth[best]+smooth[best+45] {
			best = i
		}
	}
	near := func(center int) float64 {
		at := center
		for d := -5; d <= 5; d++ {
			if k := (center + d + 90) % 90; smooth[k] > smooth[at] {
				at = k
			}
		}
		return (float64(at) - 90) * 2 * math.Pi / 180
	}
	return near(best), near(best + 45)
}

// fill sums the edges. Only those whose own direction is within 30 degrees of a
// family count for it.
func (m *houghMap) fill(img *gray.Image, dx, dy []int16, dirs [families]float64) {
	w, h := img.Width, img.Height
	diag := math.Hypot(float64(w), float64(h))
	m.origin = -diag - 2
	m.bins = int(2*diag) + 6
	steps := angleSteps
	if max(w, h) <= smallSide {
		steps = (angleSteps + 1) / 2
	}
	for k, dir := range dirs {
		m.angles[k], m.cos[k] = m.angles[k][:0], m.cos[k][:0]
		for i := -steps; i <= steps; i++ {
			sin, cos := math.Sincos(dir + float64(i)*angleRange/float64(steps))
			m.angles[k] = append(m.angles[k], gray.Point{X: cos, Y: sin})
			m.cos[k] = append(m.cos[k], int32(math.Round(cos*65536)))
		}
		m.base[k] = append(m.base[k][:0], m.cos[k]...)
		n := len(m.angles[k]) * m.bins
		if cap(m.acc[k]) < n {
			m.acc[k] = make([]int32, n)
		}
		m.acc[k] = m.acc[k][:n]
		clear(m.acc[k])
	}
	mid := [families]gray.Point{m.angles[0][steps], m.angles[1][steps]}
	for y := 1; y < h-1; y++ {
		for k := range families {
			for i, n := range m.angles[k] {
				m.base[k][i] = int32((0.5*n.X + (float64(y)+0.5)*n.Y - m.origin + 0.5) * 65536)
			}
		}
		rx, ry := dx[y*w:(y+1)*w], dy[y*w:(y+1)*w]
		for x, gx := range rx {
			gy := ry[x]
			if abs16(gx)+abs16(gy) < m.strong {
				continue
			}
			for k := range families {
				along := float32(gx)*float32(mid[k].X) + float32(gy)*float32(mid[k].Y)
				across := float32(gx)*float32(mid[k].Y) - float32(gy)*float32(mid[k].X)
				if 3*across*across <= along*along {
					m.vote(k, int32(x), int32(along))
				}
			}
		}
	}
}

// vote adds an edge of pixel x of the present row to all lines through it.
func (m *houghMap) vote(family int, x, v int32) {
	acc, bins := m.acc[family], m.bins
	base := m.base[family]
	at := 0
	for i, c := range m.cos[family] {
		acc[at+int((base[i]+x*c)>>16)] += v
		at += bins
	}
}

// lineAt returns the line of a bin; its weight is a parabola's top over the
// neighbouring bins.
func (m *houghMap) lineAt(family, angle, bin int) line {
	row := m.acc[family][angle*m.bins : (angle+1)*m.bins]
	v := float64(row[bin])
	l := line{normal: m.angles[family][angle], sign: 1, weight: math.Abs(v)}
	if v < 0 {
		l.sign = -1
	}
	shift := 0.0
	if bin > 0 && bin+1 < m.bins {
		a, b, c := math.Abs(float64(row[bin-1])), math.Abs(v), math.Abs(float64(row[bin+1]))
		if float64(row[bin-1])*v >= 0 && float64(row[bin+1])*v >= 0 && 2*b-a-c > 0 {
			shift = min(max((c-a)/2/(2*b-a-c), -0.5), 0.5)
		}
	}
	l.rho = m.origin + float64(bin) + shift
	return l
}

// peaks returns the strongest lines of a family of both signs, at most n, with
// no stronger one of the same sign within apart px at the middle of the image.
func (m *houghMap) peaks(family, n int, center gray.Point, apart float64) []line {
	// For each place at the centre keep the best angle only.
	best := make([]line, 0, 4*n)
	for angle := range m.angles[family] {
		row := m.acc[family][angle*m.bins : (angle+1)*m.bins]
		for bin := 1; bin < m.bins-1; bin++ {
			v := row[bin]
			if v == 0 || v > 0 && (v < row[bin-1] || v < row[bin+1]) || v < 0 && (v > row[bin-1] || v > row[bin+1]) {
				continue
			}
			w := math.Abs(float64(v))
			if len(best) >= 4*n && w <= best[len(best)-1].weight {
				continue
			}
			best = m.insert(best, m.lineAt(family, angle, bin), 4*n, center, apart)
		}
	}
	return best[:min(len(best), n)]
}

// insert keeps best sorted by weight and free of near doubles.
func (m *houghMap) insert(best []line, l line, most int, center gray.Point, apart float64) []line {
	at := center.Dot(l.normal) - l.rho
	for i := range best {
		o := &best[i]
		if o.sign != l.sign || math.Abs(center.Dot(o.normal)-o.rho-at) > apart {
			continue
		}
		if o.weight >= l.weight {
			return best
		}
		best = slices.Delete(best, i, i+1)
		break
	}
	i, _ := slices.BinarySearchFunc(best, l.weight, func(o line, w float64) int { return cmp.Compare(w, o.weight) })
	best = slices.Insert(best, i, l)
	return best[:min(len(best), most)]
}
