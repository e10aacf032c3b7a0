package locate

import (
	"tcode/scanner/ecc200"
	"tcode/scanner/gray"
)

const (
	// around6 is the number of modules to either side of the local mean.
	around6 = 6
	// weakStep is the share of full contrast below which alternation counts less.
	weakStep = 0.15
	// lightBits is the number of binary places of a sampled gray level behind the point.
	lightBits = 4
	// shareBits is the same for a share of full contrast.
	shareBits = 12
)

// A timer measures how well the timing tracks of a symbol fit an image. A search calls it
// for all sizes at all places, so it computes with integers.
type timer struct {
	img  *gray.Image
	full [2*around6 + 2]int64 // factor to a share of full contrast, by the size of the window
	v    [ecc200.MaxSide]int32
	sums [ecc200.MaxSide + 1]int32 // of v; the first is 0
}

// reset prepares t for img, where half is the number of gray levels from the local mean to
// full light or dark.
func (t *timer) reset(img *gray.Image, half float64) {
	t.img = img
	for n := 1; n < len(t.full); n++ {
		t.full[n] = int64((1 << (shareBits + 16)) / (half * (1 << lightBits) * float64(n)))
	}
}

// timing returns how well the two timing tracks of a symbol of size z fit at the place to
// which unit maps the unit square: 1 for a perfect fit, 0 for chance.
func (t *timer) timing(z *ecc200.Size, unit *gray.Homography) float64 {
	cols, rows := 1/float64(z.Cols), 1/float64(z.Rows)
	top := t.alternates(unit, z.Cols, gray.Point{X: 0.5 * cols, Y: 0.5 * rows}, gray.Point{X: cols}, -1)
	if top < -0.1 {
		return 0
	}
	right := t.alternates(unit, z.Rows, gray.Point{X: 1 - 0.5*cols, Y: 0.5 * rows}, gray.Point{Y: rows}, 1)
	if top < 0.1 || right < 0.1 {
		// One side may be out of step before the corners are refined.
		return (top + right) / 2 * 0.7
	}
	return (top + right) / 2
}

// alternates walks n modules from p on; the first is light if first is 1 and dark if
// -1. It returns how well their signs, relative to the mean of those around, agree,
// weighted by their size: blur makes them small and keeps their signs. The mean covers
// more than six modules, so that a third of the true module side is not accepted as the
// side.
func (t *timer) alternates(h *gray.Homography, n int, p, step gray.Point, first int64) float64 {
	t.walk(h, n, p, step)
	v, sums := t.v[:n], t.sums[:n+1]
	const one = 1 << shareBits
	var sum, all int64
	for i, light := range v {
		lo, hi := max(i-around6, 0), min(i+around6+1, n)
		d := (int64(light)*int64(hi-lo) - int64(sums[hi]-sums[lo])) * t.full[hi-lo] >> 16
		d = min(max(d, -one), one)
		sum += first * d
		all += max(d, -d)
		first = -first
	}
	// If all steps are weak, they are paper or a smooth shade.
	return float64(sum) / max(float64(all), weakStep*one*float64(n))
}

// walk fills v with the lightness at n places from p on, and sums with their sums.
func (t *timer) walk(h *gray.Homography, n int, p, step gray.Point) {
	m := t.img
	x, dx := h[0]*p.X+h[1]*p.Y+h[2], h[0]*step.X+h[1]*step.Y
	y, dy := h[3]*p.X+h[4]*p.Y+h[5], h[3]*step.X+h[4]*step.Y
	w, dw := h[6]*p.X+h[7]*p.Y+h[8], h[6]*step.X+h[7]*step.Y
	v, sums := t.v[:n], t.sums[1:n+1]
	width, height := m.Width-1, m.Height-1
	const one = 256
	var sum int32
	for i := range v {
		k := one / w
		// This is the pixel whose centre lies before the point, and the distance from it.
		ix, iy := int(x*k)-one/2, int(y*k)-one/2
		x, y, w = x+dx, y+dy, w+dw
		fx, fy := int32(ix&(one-1)), int32(iy&(one-1))
		ix, iy = ix>>8, iy>>8
		var a, b int32
		if uint(ix) < uint(width) && uint(iy) < uint(height) {
			at := iy*m.Stride + ix
			up, down := m.Pix[at:at+2:at+2], m.Pix[at+m.Stride:at+m.Stride+2:at+m.Stride+2]
			a = int32(up[0])<<8 + fx*(int32(up[1])-int32(up[0]))
			b = int32(down[0])<<8 + fx*(int32(down[1])-int32(down[0]))
		} else {
			a = (int32(m.At(ix, iy))*(one-fx) + int32(m.At(ix+1, iy))*fx)
			b = (int32(m.At(ix, iy+1))*(one-fx) + int32(m.At(ix+1, iy+1))*fx)
		}
		v[i] = (a<<8 + fy*(b-a)) >> (16 - lightBits)
		sum += v[i]
		sums[i] = sum
	}
}
