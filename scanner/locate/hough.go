package locate

import (
	"cmp"
	"math"
	"slices"

	"tcode/scanner/gray"
)

const (
	families   = 2
	octantBits = 8
	smallSide  = 230 // px, up to which lines a whole degree apart are enough
)

// A slant is the deviation from a right angle at which a symbol is searched for.
type slant struct {
	steps   int     // most lines on either side of a main direction
	square  int     // bins of 2 degrees by which the main directions may be out of square
	own     int32   // three times the squared tangent of the angle up to which an edge counts for a main direction
	stretch float64 // of a module's sides against each other
	lines   int     // of a family, the strongest
	corners int     // that are looked at, the best
	apart   float64 // degrees between two lines; 0: half a degree, a whole one in small images
	reach   float64 // share of a bar of the finder pattern by which the side opposite may miss its end
}

var (
	// upright is the view of a scanner, or of a phone held over the page: lines of 6.5 degrees
	// to either side, edges of 30.
	upright = slant{steps: 13, square: 5, own: 1, stretch: 1.42, reach: 0.08, lines: 10, corners: 6}
	// tilted is the view of a camera that is held close and at up to 60 degrees: lines of 24
	// degrees to either side, edges of 49.
	tilted = slant{steps: 48, square: 16, own: 4, stretch: 2.3, reach: 0.25, lines: 20, corners: 16}
	// coarse and coarseTilted are the same for Evidence, which looks at coarseSide px at most.
	coarse       = slant{steps: 3, apart: 2, square: 5, own: 1, reach: 0.08, lines: 8, corners: 6}
	coarseTilted = slant{steps: 12, apart: 2, square: 16, own: 4, reach: 0.25, lines: 12, corners: 8}
)

// A line is the set of points p with p . normal = rho. If sign is 1, the image gets
// lighter along the normal, if -1 darker.
type line struct {
	normal gray.Point
	rho    float64
	sign   float64
	weight float64 // sum of the edges on it, gray levels x px
}

// inward returns the direction of the dark side.
func (l *line) inward() gray.Point { return l.normal.Mul(-l.sign) }

// meet returns the crossing of two lines; ok is false for parallels.
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

// houghMap sums the edges of an image along the lines of two directions that are about
// perpendicular.
type houghMap struct {
	angles [families][]gray.Point // normals
	cos    [families][]int32      // their x, 16.16
	sin    [families][]int32      // their y, 16.16
	base   [families][]int32      // rho of the row's start, 16.16 bins
	row    [families][]ballot     // the strong edges of a row
	bins   int
	origin float64 // rho of bin 0
	acc    [families][]int32
	octant [1<<octantBits + 1]uint8 // direction in eighths of 2 degrees, by the tangent
	strong int                      // gradient from which a pixel counts
	typic  float64                  // gradient of a full edge
}

// directions fills hist with the gradient magnitude by direction modulo 180
// degrees in bins of 2 degrees, and strong and typic from the magnitudes.
//
// The corners of small modules point along the diagonals, so pixels whose edge continues
// straight count more.
func (m *houghMap) directions(dx, dy []int16, w, step int) (hist [90]float64) {
	// Every step-th pixel of a small box is read, and about as many of a large one. The step
	// is odd, so that it does not follow a column.
	step = sampleStep(len(dx), step)
	var sizes [256]int // magnitudes / 8
	n := 0
	for i := 0; i < len(dx); i += step {
		a := abs16(dx[i]) + abs16(dy[i])
		sizes[min(a/8, 255)]++
		n++
	}
	m.grade(&sizes, n)
	for i := 0; i < len(dx); i += step {
		x, y := dx[i], dy[i]
		a := abs16(x) + abs16(y)
		if a < m.strong {
			continue
		}
		k := m.direction(x, y)
		if straight(dx, dy, w, i, a) {
			a *= 8
		}
		hist[k] += float64(a)
	}
	return hist
}

// sampleStep returns the step, at least least, with which n pixels are read.
func sampleStep(n, least int) int { return max(least, n/20000*2+1) }

// grade sets strong and typic from the magnitudes of n pixels, counted by their eighth.
func (m *houghMap) grade(sizes *[256]int, n int) {
	// The strongest two percent are full edges, whatever the share of paper is.
	left, top := n/50, 255
	for ; top > 0; top-- {
		if left -= sizes[top]; left < 0 {
			break
		}
	}
	m.strong = max(top*8/4, 16)
	m.typic = max(float64(top*8), 1) // a flat box has no edges; 0 would divide
}

// direction returns the bin, of 90 bins of 2 degrees modulo 180, of the direction of the
// gradient (x, y). Bin 0 is centred on the x axis.
func (m *houghMap) direction(x, y int16) int {
	if m.octant[1<<octantBits] == 0 {
		for i := range m.octant {
			m.octant[i] = uint8(math.Round(math.Atan(float64(i)/(1<<octantBits)) * 90 / math.Pi * 8))
		}
	}
	u, v := uint32(abs16(x)), uint32(abs16(y))
	short, long := min(u, v), max(u, v, 1)
	k := int(m.octant[short<<octantBits/long]) // eighths of a bin, up to 45 degrees
	if v > u {
		k = 45*8 - k
	}
	if (x < 0) != (y < 0) {
		k = 90*8 - k
	}
	return (k + 4) / 8 % 90
}

// straight reports whether the edge at pixel i, of magnitude a, continues in the same
// direction two pixels to either side.
func straight(dx, dy []int16, w, i, a int) bool {
	x, y := int(dx[i]), int(dy[i])
	// The neighbours are two pixels along the edge, rounded to the eight directions and halves.
	l := max(abs16(dx[i]), abs16(dy[i]))
	step := doubled(x, l)*w - doubled(y, l)
	if i < max(step, -step) || i+max(step, -step) >= len(dx) {
		return false
	}
	u, v := int(dx[i+step]), int(dy[i+step])
	if cross, dot := x*v-y*u, x*u+y*v; dot*3 < a*a/2 || 5*max(cross, -cross) > dot {
		return false
	}
	u, v = int(dx[i-step]), int(dy[i-step])
	cross, dot := x*v-y*u, x*u+y*v
	return dot*3 >= a*a/2 && 5*max(cross, -cross) <= dot
}

// doubled returns 2*v/l rounded, for v between -l and l.
func doubled(v, l int) int {
	n, q := 0, 4*max(v, -v)
	if q >= l {
		n = 1
	}
	if q >= 3*l {
		n = 2
	}
	if v < 0 {
		return -n
	}
	return n
}

func abs16(v int16) int {
	if v < 0 {
		return -int(v)
	}
	return int(v)
}

// axes returns the two main directions of the edges, as normals, in radians. Perspective
// may move them from a right angle by slack bins.
func axes(hist [90]float64, slack int) (a, b float64) {
	var smooth [90]float64
	for i := range smooth {
		smooth[i] = hist[(i+89)%90] + 2*hist[i] + hist[(i+1)%90]
	}
	near := func(center int) int {
		at := center
		for d := -slack; d <= slack; d++ {
			if k := (center + d + 90) % 90; smooth[k] > smooth[at] {
				at = k
			}
		}
		return at
	}
	// A symbol has both directions; stripes, however strong, have only one.
	best, top := 0, -1.0
	for i := range 90 {
		if v := smooth[i] * smooth[near((i+45)%90)]; v > top {
			best, top = i, v
		}
	}
	angle := func(k int) float64 { return (float64(k) - 90) * 2 * math.Pi / 180 }
	return angle(best), angle(near((best + 45) % 90))
}

// fill sums the edges. An edge counts for a family only if its own direction is close
// enough to the family's, as view defines it.
func (m *houghMap) fill(img *gray.Image, dx, dy []int16, dirs [families]float64, view *slant) {
	w, h := img.Width, img.Height
	diag := math.Hypot(float64(w), float64(h))
	m.origin = -diag - 2
	m.bins = int(2*diag) + 6
	steps, step := view.steps, math.Pi/360
	switch {
	case view.apart > 0:
		step = view.apart * math.Pi / 180
	case max(w, h) <= smallSide:
		step *= float64(steps) / float64((steps+1)/2)
		steps = (steps + 1) / 2
	}
	for k, dir := range dirs {
		m.angles[k], m.cos[k], m.sin[k] = m.angles[k][:0], m.cos[k][:0], m.sin[k][:0]
		for i := -steps; i <= steps; i++ {
			sin, cos := math.Sincos(dir + float64(i)*step)
			m.angles[k] = append(m.angles[k], gray.Point{X: cos, Y: sin})
			m.cos[k] = append(m.cos[k], int32(math.Round(cos*65536)))
			m.sin[k] = append(m.sin[k], int32(math.Round(sin*65536)))
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
	for k := range families {
		for i, n := range m.angles[k] {
			m.base[k][i] = int32((0.5*n.X + 1.5*n.Y - m.origin + 0.5) * 65536)
		}
	}
	for y := 1; y < h-1; y++ {
		m.strongest(dx[y*w:(y+1)*w], dy[y*w:(y+1)*w], mid, view.own)
		for k := range families {
			m.vote(k)
		}
	}
}

// strongest fills row with the strong edges of a row, by family.
func (m *houghMap) strongest(rx, ry []int16, mid [families]gray.Point, own int32) {
	var nx, ny [families]int32
	for k, n := range mid {
		nx[k], ny[k] = int32(math.Round(n.X*1024)), int32(math.Round(n.Y*1024))
		m.row[k] = m.row[k][:0]
	}
	ry = ry[:len(rx)]
	for x, gx := range rx {
		gy := ry[x]
		if abs16(gx)+abs16(gy) < m.strong {
			continue
		}
		for k := range families {
			along := (int32(gx)*nx[k] + int32(gy)*ny[k]) >> 10
			across := (int32(gx)*ny[k] - int32(gy)*nx[k]) >> 10
			if 3*across*across <= own*along*along {
				m.row[k] = append(m.row[k], ballot{int32(x), along})
			}
		}
	}
}

// A ballot is an edge of a row that counts for the lines of a family.
type ballot struct{ x, weight int32 }

// vote adds the edges of the current row to all lines through them, and moves to the next
// row.
func (m *houghMap) vote(family int) {
	row, base, cos, sin := m.row[family], m.base[family], m.cos[family], m.sin[family]
	acc := m.acc[family]
	for i, c := range cos {
		line := acc[i*m.bins : (i+1)*m.bins]
		b := base[i]
		for _, e := range row {
			line[(b+e.x*c)>>16] += e.weight
		}
		base[i] = b + sin[i]
	}
}

// lineAt returns the line of a bin; its weight is the maximum of a parabola over the
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

// peaks returns the strongest lines of a family of both signs, at most n. No stronger line
// of the same sign lies within apart px of any of them at the middle of the image.
func (m *houghMap) peaks(family, n int, center gray.Point, apart float64) []line {
	// For each place at the centre, only the best angle is kept.
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

// insert keeps best sorted by weight and free of near duplicates.
func (m *houghMap) insert(best []line, l line, limit int, center gray.Point, apart float64) []line {
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
	return best[:min(len(best), limit)]
}
