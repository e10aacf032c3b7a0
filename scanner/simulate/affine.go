package simulate

import "tcode/scanner/gray"

// An affine map turns, scales and moves a page. The coordinates of a sample are then the
// sum of a part from its column and a part from its row.
type affine struct {
	page   *gray.Image
	to     gray.Homography
	n      int
	ground byte

	columnX, columnY []float64 // to[0]*x and to[3]*x of the samples, n a pixel
}

func newAffine(page *gray.Image, to gray.Homography, w, n int, ground byte) *affine {
	a := &affine{page: page, to: to, n: n, ground: ground, columnX: make([]float64, w*n), columnY: make([]float64, w*n)}
	step := 1 / float64(n)
	for i := range a.columnX {
		x := float64(i/n) + (float64(i%n)+0.5)*step
		a.columnX[i], a.columnY[i] = to[0]*x, to[3]*x
	}
	return a
}

// warp fills out with the same pixels as the general map of a homography.
func (a *affine) warp(out *gray.Image) {
	step := 1 / float64(a.n)
	rowX, rowY := make([]float64, a.n), make([]float64, a.n)
	for y := range out.Height {
		for j := range a.n {
			at := float64(y) + (float64(j)+0.5)*step
			rowX[j], rowY[j] = a.to[1]*at, a.to[4]*at
		}
		row := out.Row(y)
		for x := range row {
			cx, cy := a.columnX[x*a.n:(x+1)*a.n], a.columnY[x*a.n:(x+1)*a.n]
			seen, inside := a.seen(cx, cy, rowX, rowY)
			if inside && a.even(seen) {
				row[x] = a.page.Row(seen.Y0)[seen.X0]
				continue
			}
			var sum float64
			for j := range rowX {
				for i := range cx {
					p := gray.Point{X: cx[i] + rowX[j] + a.to[2], Y: cy[i] + rowY[j] + a.to[5]}
					if inside {
						sum += a.page.Bilinear(p.X, p.Y)
					} else {
						sum += sample(a.page, p, a.ground)
					}
				}
			}
			row[x] = byte(sum*step*step + 0.5)
		}
	}
}

// seen returns the pixels of the page that the samples of one pixel meet, and reports
// whether all of them lie inside the page.
func (a *affine) seen(cx, cy, rowX, rowY []float64) (r gray.Rect, inside bool) {
	last := a.n - 1
	x0, x1 := min(cx[0], cx[last])+min(rowX[0], rowX[last])+a.to[2]-0.5, max(cx[0], cx[last])+max(rowX[0], rowX[last])+a.to[2]-0.5
	y0, y1 := min(cy[0], cy[last])+min(rowY[0], rowY[last])+a.to[5]-0.5, max(cy[0], cy[last])+max(rowY[0], rowY[last])+a.to[5]-0.5
	if x0 < 0 || y0 < 0 || x1 >= float64(a.page.Width-1) || y1 >= float64(a.page.Height-1) {
		return r, false
	}
	return gray.Rect{X0: int(x0), Y0: int(y0), X1: int(x1) + 2, Y1: int(y1) + 2}, true
}

// even reports whether all pixels of r are equal: most of a page is paper.
func (a *affine) even(r gray.Rect) bool {
	v := a.page.Row(r.Y0)[r.X0]
	for y := r.Y0; y < r.Y1; y++ {
		for _, p := range a.page.Row(y)[r.X0:r.X1] {
			if p != v {
				return false
			}
		}
	}
	return true
}
