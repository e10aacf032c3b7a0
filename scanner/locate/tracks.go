package locate

import (
	"math"
	"slices"

	"tcode/scanner/ecc200"
	"tcode/scanner/gray"
)

const (
	trackSteps   = 10   // places a module at which a timing track is looked at
	trackEnd     = 1.5  // modules of paper before and behind it
	trackAlike   = 0.98 // share of the clearness of the clearest track that others have which are as clear
	trackNearly  = 0.97 // the same for those that are nearly as clear
	minTrackSide = 8    // modules of the shortest side
	trackFlat    = 40   // gray levels between dark and light below which there is no track
)

// trackDepths are the distances in modules from the edge at which both ends of a timing track are looked for: the sides with
// the tracks may be off.
var trackDepths = [...]float64{0.5, 0.2, 0.8, -0.1, 1.1, -0.4, -0.7}

// Tracks returns the gray values of the modules of c, whose rows and columns may differ in width, as where a scanner or
// printer moved the paper unevenly. The changes along both timing tracks are the borders of the modules. The two bars of c must
// be at their place, the other two sides nearly. The number of changes is that of the modules, whatever c's size is; ok is false
// if no size has it.
func Tracks(img *gray.Image, c *Candidate) (m Modules, ok bool) {
	z, quad := c.Size, c.Corners
	var cols, rows []float64
	var unit gray.Homography
	for range 2 { // the second time with the sides that the tracks show
		if unit, ok = gray.ToQuad(1, 1, quad); !ok {
			return m, false
		}
		across, down := 1/float64(z.Cols), 1/float64(z.Rows)
		top, ok := clearestTrack(func(a, b float64) (trackLook, bool) {
			return track(img, &unit, z.Cols, gray.Point{X: -trackEnd * across, Y: a * down}, gray.Point{X: 1 + trackEnd*across, Y: b * down})
		})
		if !ok {
			return m, false
		}
		// The track on the right runs up from the bar at the bottom.
		right, ok := clearestTrack(func(a, b float64) (trackLook, bool) {
			return track(img, &unit, z.Rows, gray.Point{X: 1 - a*across, Y: 1 + trackEnd*down}, gray.Point{X: 1 - b*across, Y: -trackEnd * down})
		})
		if !ok {
			return m, false
		}
		if z, ok = sizeOf(len(right.borders)-1, len(top.borders)-1); !ok {
			return m, false
		}
		cols, rows = top.borders, right.borders
		quad[0] = unit.Map(gray.Point{Y: (top.from - 0.5) * down})
		quad[2] = unit.Map(gray.Point{X: 1 - (right.from-0.5)*across, Y: 1})
		quad[1], ok = crossing(quad[0], unit.Map(gray.Point{X: 1, Y: (top.to - 0.5) * down}), quad[2], unit.Map(gray.Point{X: 1 - (right.to-0.5)*across}))
		if !ok {
			return m, false
		}
	}
	for i := range rows {
		rows[i] = 1 - rows[i]
	}
	slices.Reverse(rows)
	return Modules{z, unevenly(img, &unit, z, cols, rows)}, true
}

// sizeOf returns the size of a symbol of this number of modules.
func sizeOf(rows, cols int) (z ecc200.Size, ok bool) {
	for size := range ecc200.All {
		if size.Rows == rows && size.Cols == cols {
			return size, true
		}
	}
	return z, false
}

// A trackLook is a look along a timing track.
type trackLook struct {
	from, to float64   // its depths, modules
	borders  []float64 // of the modules, 0 to 1 along the side of the symbol
	clear    float64   // mean difference of the modules from the tone between dark and light, gray levels
}

// clearestTrack returns the clearest of the tracks that look sees between two depths. It prefers, among those that are nearly as clear,
// the one with the most changes, because the track has more than any row of data, and takes the mean of several of these.
func clearestTrack(look func(from, to float64) (trackLook, bool)) (best trackLook, ok bool) {
	var all []trackLook
	var top float64
	for _, a := range trackDepths {
		for _, b := range trackDepths {
			if l, ok := look(a, b); ok {
				l.from, l.to = a, b
				all = append(all, l)
				top = max(top, l.clear)
			}
		}
	}
	for _, l := range all {
		if more := len(l.borders) - len(best.borders); l.clear >= trackNearly*top && (more > 0 || more == 0 && l.clear > best.clear) {
			best = l
		}
	}
	var from, to, n float64
	for _, l := range all {
		if len(l.borders) == len(best.borders) && l.clear >= trackAlike*best.clear {
			from, to, n = from+l.from, to+l.to, n+1
		}
	}
	if n == 0 {
		return best, false
	}
	if l, ok := look(from/n, to/n); ok && len(l.borders) == len(best.borders) {
		l.from, l.to = from/n, to/n
		return l, true
	}
	return best, true
}

// track looks along a timing track of about n modules, which begins in paper at from in the unit square and ends in paper at
// to. ok is false if it sees none. The last border is a guess, because a light module and paper follow each other.
func track(img *gray.Image, unit *gray.Homography, n int, from, to gray.Point) (l trackLook, ok bool) {
	long := float64(n) + 2*trackEnd
	total := int(long * trackSteps)
	step := to.Sub(from).Mul(1 / float64(total))
	levels := make([]float64, total)
	for i := range levels {
		p := unit.Map(from.Add(step.Mul(float64(i) + 0.5)))
		levels[i] = img.Bilinear(p.X, p.Y)
	}
	sorted := slices.Sorted(slices.Values(levels))
	dark, light := sorted[total/5], sorted[total*4/5]
	if light-dark < trackFlat {
		return l, false
	}
	mid, last := (dark+light)/2, 0
	for i := 1; i < total; i++ {
		a, b := levels[i-1], levels[i]
		if (a < mid) == (b < mid) {
			continue
		}
		if k := len(l.borders); k == 0 && b > mid {
			return l, false // it does not begin in paper
		} else if k > 0 {
			l.clear += math.Abs(levels[(last+i)/2] - mid)
		}
		last = i
		at := float64(i) - 0.5 + (mid-a)/(b-a)
		l.borders = append(l.borders, (at/float64(total)*long-trackEnd)/float64(n))
	}
	k := len(l.borders)
	if k < minTrackSide || k%2 != 0 || k > ecc200.MaxSide {
		return l, false
	}
	l.clear /= float64(k)
	l.borders = append(l.borders, 2*l.borders[k-1]-l.borders[k-2])
	return l, true
}

// unevenly returns the mean gray levels in the middle of the modules between the borders cols and rows.
func unevenly(img *gray.Image, unit *gray.Homography, z ecc200.Size, cols, rows []float64) []float64 {
	const tap = 0.2 // of the side of a module
	out := make([]float64, 0, z.Rows*z.Cols)
	for r := range z.Rows {
		y, h := (rows[r]+rows[r+1])/2, rows[r+1]-rows[r]
		for c := range z.Cols {
			x, w := (cols[c]+cols[c+1])/2, cols[c+1]-cols[c]
			var sum float64
			for dy := -1.0; dy <= 1; dy++ {
				for dx := -1.0; dx <= 1; dx++ {
					p := unit.Map(gray.Point{X: x + dx*tap*w, Y: y + dy*tap*h})
					sum += img.Bilinear(p.X, p.Y)
				}
			}
			out = append(out, sum/9)
		}
	}
	return out
}
