package locate

import (
	"math"

	"tcode/scanner/gray"
)

const (
	polishReach = 2   // px to either side of a line in which its edge is searched for
	polishKeep  = 0.8 // px from the fit beyond which an edge is an outlier
	polishEdge  = 0.3 // share of a full edge that counts
)

// polish moves l to the edges on it between the points a and b: it fits a straight line
// through the strongest edge at each pixel, then fits again without the outliers that
// strokes, data modules and noise cause. A line of the map may lie a quarter degree
// off.
func (f *Finder) polish(img *gray.Image, l line, a, b gray.Point) line {
	dir := gray.Point{X: -l.normal.Y, Y: l.normal.X}
	mid := a.Add(b).Mul(0.5)
	foot := mid.Add(l.normal.Mul(l.rho - mid.Dot(l.normal)))
	half := b.Sub(a).Len() / 2
	if half < minArm/2 {
		return l
	}
	step := max(1, half/150)
	var slope, shift float64
	for pass := range 3 {
		reach, keep := float64(polishReach), float64(polishReach)+1
		if pass > 0 {
			reach, keep = 1.5, polishKeep
		}
		var n, st, so, stt, sto float64
		for t := -half; t <= half; t += step {
			base := shift + slope*t
			at := foot.Add(dir.Mul(t)).Add(l.normal.Mul(base))
			off, w := f.edgeNear(img, &l, at, reach)
			if w < polishEdge || math.Abs(off) > keep {
				continue
			}
			off += base
			n, st, so = n+w, st+w*t, so+w*off
			stt, sto = stt+w*t*t, sto+w*t*off
		}
		den := n*stt - st*st
		if n < 6 || den <= 0 {
			return l
		}
		slope = (n*sto - st*so) / den
		shift = (so - slope*st) / n
	}
	if math.Abs(shift) > 2*polishReach || math.Abs(slope)*half > 2*polishReach {
		return l // it moved onto another edge
	}
	sin, cos := math.Sincos(math.Atan(slope))
	on := foot.Add(l.normal.Mul(shift))
	l.normal = l.normal.Mul(cos).Sub(dir.Mul(sin))
	l.rho = on.Dot(l.normal)
	return l
}

// edgeNear returns the offset, within reach px of p along the normal of l, at which the
// edge of l's sign is strongest, and its share of a full edge.
func (f *Finder) edgeNear(img *gray.Image, l *line, p gray.Point, reach float64) (off, weight float64) {
	w, h := img.Width, img.Height
	nx, ny := l.normal.X*l.sign, l.normal.Y*l.sign
	var v [2*polishReach + 3]float64
	k := int(reach)
	for i := -k - 1; i <= k+1; i++ {
		x, y := int(p.X+float64(i)*l.normal.X), int(p.Y+float64(i)*l.normal.Y)
		if x < 0 || y < 0 || x >= w || y >= h {
			continue
		}
		v[i+k+1] = max(nx*float64(f.dx[y*w+x])+ny*float64(f.dy[y*w+x]), 0)
	}
	best := 1
	for i := 2; i <= 2*k+1; i++ {
		if v[i] > v[best] {
			best = i
		}
	}
	if v[best] <= 0 {
		return 0, 0
	}
	// This is the centre of mass of three pixels, which needs no peak.
	sum := v[best-1] + v[best] + v[best+1]
	off = float64(best-k-1) + (v[best+1]-v[best-1])/sum
	// This takes back the distance between the line and the pixel that was read.
	i := float64(best - k - 1)
	px, py := p.X+i*l.normal.X, p.Y+i*l.normal.Y
	off += (math.Floor(px)+0.5-px)*l.normal.X + (math.Floor(py)+0.5-py)*l.normal.Y
	return off, v[best] / f.acc.typic
}
