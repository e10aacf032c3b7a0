package compare

import "math"

// A matcher compares windows of two planes.
type matcher struct {
	a, b *plane
	n    int     // px of a window's side
	win  []int16 // the window of b, moved
	left []int32 // part of the window of a that b does not explain

	here   sums // sums of the window that was read last
	bx, by int  // the move of the window that was searched last; its neighbours mostly have the same
}

func newMatcher(a, b *plane, n int) *matcher {
	return &matcher{a: a, b: b, n: n, win: make([]int16, n*n), left: make([]int32, n*n)}
}

// sums are those of a window of a and the window of b at the same place.
type sums struct {
	a, aa, b, bb, ab     int // of the pixels, their squares and their products
	contrastA, contrastB int
}

// look reads the window at x, y, for score.
func (m *matcher) look(x, y int) {
	n := m.n
	var a, aa, b, bb, ab int
	loA, hiA, loB, hiB := byte(255), byte(0), byte(255), byte(0)
	for r := range n {
		ra, rb := m.a.pix[m.a.at(x, y+r):][:n:n], m.b.pix[m.b.at(x, y+r):][:n:n]
		for i, v := range ra {
			w := rb[i]
			loA, hiA, loB, hiB = min(loA, v), max(hiA, v), min(loB, w), max(hiB, w)
			p, q := int(v), int(w)
			a += p
			b += q
			aa += p * p
			bb += q * q
			ab += p * q
		}
	}
	m.here = sums{a, aa, b, bb, ab, int(hiA) - int(loA), int(hiB) - int(loB)}
}

// score returns how much of the window at x, y differs after the best small move and the best gain: 0 for windows that
// agree, and more than 1 for ink that nothing explains. It is the geometric mean of two figures, both as parts of the
// window's contrast: the largest mean of 3 x 3 px of the difference, and 1.5 times the root of its mean square. The first
// one finds a stroke that is missing, the second one a glyph of another shape. score does not search for the best move if
// the window as it is, or with the move of the window before, has a score of at most early: the result is then an upper
// bound. Call look first.
func (m *matcher) score(x, y int, early float64) float64 {
	contrastA, contrastB := float64(m.here.contrastA), float64(m.here.contrastB)
	if max(contrastA, contrastB) < faint {
		return 0
	}
	of := func(worst, rms, gain float64) float64 {
		return math.Sqrt(worst*1.5*rms) / max(contrastA, gain*contrastB, floor*min(1, gain))
	}
	judge := func(move func(), gain, offset, left float64) float64 {
		rms := m.rms(left)
		// The mean of 9 differences is at most the root of a ninth of all their squares.
		if s := of(float64(m.n)*rms/3, rms, gain); s <= early {
			return s
		}
		move()
		return of(m.worst(x, y, gain, offset), rms, gain)
	}
	moved := func() float64 {
		m.move(x, y, m.bx, m.by)
		gain, offset, left := m.fit(x, y)
		return judge(func() {}, gain, offset, left)
	}
	if m.bx != 0 || m.by != 0 {
		if s := moved(); s <= early {
			return s
		}
	}
	gain, offset, left := m.explain(m.here.b, m.here.bb, m.here.ab)
	if s := judge(func() { m.move(x, y, 0, 0) }, gain, offset, left); s <= early {
		m.bx, m.by = 0, 0
		return s
	}
	m.bx, m.by = m.search(x, y)
	return moved()
}

// rms returns the root of the mean of the squares left.
func (m *matcher) rms(left float64) float64 { return math.Sqrt(max(0, left) / float64(m.n*m.n)) }

// search returns the move of b, in half pixels, that leaves the least squares of differences.
func (m *matcher) search(x, y int) (bx, by int) {
	best := math.Inf(1)
	for step := 2; step >= 1; step-- {
		cx, cy := bx, by
		for dy := -step; dy <= step; dy += step {
			for dx := -step; dx <= step; dx += step {
				m.move(x, y, cx+dx, cy+dy)
				if _, _, left := m.fit(x, y); left < best {
					best, bx, by = left, cx+dx, cy+dy
				}
			}
		}
	}
	return bx, by
}

// move reads the window of b at x, y moved by hx, hy half pixels.
func (m *matcher) move(x, y, hx, hy int) {
	i := m.b.at(x+(hx>>1), y+(hy>>1))
	n, stride, pix := m.n, m.b.stride, m.b.pix
	right, down := hx&1, (hy&1)*stride
	for r := range n {
		p, q := pix[i+r*stride:][:n+1:n+1], pix[i+r*stride+down:][:n+1:n+1]
		out := m.win[r*n:][:n:n]
		switch {
		case right == 0 && down == 0:
			for c := range out {
				out[c] = int16(p[c])
			}
		case right == 0:
			for c := range out {
				out[c] = int16((int(p[c]) + int(q[c]) + 1) >> 1)
			}
		default:
			for c := range out {
				out[c] = int16((int(p[c]) + int(p[c+1]) + int(q[c]) + int(q[c+1]) + 2) >> 2)
			}
		}
	}
}

// fit returns the gain and offset with which b's moved window explains a's best, and the remaining squares.
func (m *matcher) fit(x, y int) (gain, offset, left float64) {
	n := m.n
	var sb, sbb, sab int
	for r := range n {
		ra := m.a.pix[m.a.at(x, y+r):][:n:n]
		rb := m.win[r*n:][:n:n]
		for c, v := range rb {
			b := int(v)
			sb += b
			sbb += b * b
			sab += int(ra[c]) * b
		}
	}
	return m.explain(sb, sbb, sab)
}

// explain is fit, given the sum of b's pixels, of their squares and of their products with a's.
func (m *matcher) explain(sb, sbb, sab int) (gain, offset, left float64) {
	k, sum := float64(m.n*m.n), float64(m.here.a)
	va := float64(m.here.aa) - sum*sum/k
	vb := float64(sbb) - float64(sb)*float64(sb)/k
	cov := float64(sab) - sum*float64(sb)/k
	gain = 1
	if vb > 0 {
		gain = min(max(cov/vb, 1/maxGain), maxGain)
	}
	return gain, (sum - gain*float64(sb)) / k, va - 2*gain*cov + gain*gain*vb
}

// worst returns the largest mean of 3 x 3 px of the difference that gain and offset leave, in gray levels.
func (m *matcher) worst(x, y int, gain, offset float64) float64 {
	n := m.n
	g, o := int32(gain*256), int32(offset*256)
	for r := range n {
		ra := m.a.pix[m.a.at(x, y+r):][:n:n]
		rb := m.win[r*n:][:n:n]
		out := m.left[r*n:][:n:n]
		for c, v := range rb {
			out[c] = int32(ra[c])<<8 - g*int32(v) - o
		}
	}
	var most int32
	for r := 1; r < n-1; r++ {
		p, q, s := m.left[(r-1)*n:][:n:n], m.left[r*n:][:n:n], m.left[(r+1)*n:][:n:n]
		for c := 1; c < n-1; c++ {
			v := p[c-1] + p[c] + p[c+1] + q[c-1] + q[c] + q[c+1] + s[c-1] + s[c] + s[c+1]
			most = max(most, v, -v)
		}
	}
	return float64(most) / 256 / 9
}
