package locate

import (
	"tcode/scanner/gray"
)

const (
	// reliefWhole is the number of pixels of an image up to which its whole gradient costs little.
	reliefWhole = 1 << 14
	// reliefBorder is the number of px around the window of a lattice at which neighbours of its pixels are looked at.
	reliefBorder = 4
	// sharpness is the number of times that the difference of a pixel from its neighbours is added to it.
	sharpness = 5
)

// A relief is the gradient of an image, calculated where it is needed: at some pixels, around some places, or everywhere.
type relief struct {
	src    *gray.Image
	sharp  *gray.Image // src after some blur was undone, where dx and dy are known; nil: src is taken as it is
	dx, dy []int16
	whole  bool // dx and dy are known everywhere
}

// relief prepares the gradient of img, in the memory of f, and sets the strength of edges by it. With sharp, it undoes some
// blur first.
func (f *Finder) relief(img *gray.Image, sharp bool) *relief {
	n := img.Width * img.Height
	if cap(f.dx) < n {
		f.dx, f.dy = make([]int16, n), make([]int16, n)
	}
	f.dx, f.dy = f.dx[:n], f.dy[:n]
	r := &relief{src: img, dx: f.dx, dy: f.dy}
	if sharp {
		r.sharp = &f.sharp
		r.sharp.Reset(img.Width, img.Height)
	}
	if n <= reliefWhole {
		r.all()
	}
	var sizes [256]int
	step := sampleStep(n, coarseStep)
	samples := 0
	for i := 0; i < n; i += step {
		dx, dy := r.at(i)
		sizes[min((abs16(dx)+abs16(dy))/8, 255)]++
		samples++
	}
	f.acc.grade(&sizes, samples)
	return r
}

// at returns the gradient at pixel i.
func (r *relief) at(i int) (dx, dy int16) {
	if r.whole {
		return r.dx[i], r.dy[i]
	}
	w, h := r.src.Width, r.src.Height
	x, y := i%w, i/w
	if x == 0 || y == 0 || x == w-1 || y == h-1 {
		return 0, 0
	}
	var near [3][3]byte
	for v := range near {
		for u := range near[v] {
			if r.sharp != nil {
				near[v][u] = sharpened(r.src, x+u-1, y+v-1)
			} else {
				near[v][u] = r.src.Pix[(y+v-1)*r.src.Stride+x+u-1]
			}
		}
	}
	a, b, c := &near[0], &near[1], &near[2]
	dx = int16(a[2]) + 2*int16(b[2]) + int16(c[2]) - int16(a[0]) - 2*int16(b[0]) - int16(c[0])
	dy = int16(c[0]) + 2*int16(c[1]) + int16(c[2]) - int16(a[0]) - 2*int16(a[1]) - int16(a[2])
	return dx, dy
}

// around fills dx and dy up to radius px from p.
func (r *relief) around(p gray.Point, radius int) {
	if r.whole {
		return
	}
	x, y := int(p.X), int(p.Y)
	box := gray.Rect{X0: x, Y0: y, X1: x + 1, Y1: y + 1}.Grow(radius + reliefBorder)
	if 2*box.Clip(r.src.Width, r.src.Height).Area() > len(r.dx) {
		r.all()
		return
	}
	r.fill(box)
}

// all fills dx and dy everywhere.
func (r *relief) all() {
	if r.whole {
		return
	}
	r.fill(gray.Rect{X1: r.src.Width, Y1: r.src.Height})
	r.whole = true
}

func (r *relief) fill(box gray.Rect) {
	w, h := r.src.Width, r.src.Height
	if w < 3 || h < 3 {
		clear(r.dx)
		clear(r.dy)
		return
	}
	from := r.src
	if r.sharp != nil {
		sharpen(r.sharp, r.src, box.Grow(1).Clip(w, h))
		from = r.sharp
	}
	gray.GradientIn(from, r.dx, r.dy, box)
}

// sharpen writes the pixels of src in box to dst, with the differences between a pixel and its neighbours enlarged. dst is as
// large as src.
func sharpen(dst, src *gray.Image, box gray.Rect) {
	w, h := src.Width, src.Height
	for y := box.Y0; y < box.Y1; y++ {
		to := dst.Row(y)
		if y == 0 || y == h-1 {
			for x := box.X0; x < box.X1; x++ {
				to[x] = sharpened(src, x, y)
			}
			continue
		}
		up, mid, down := src.Row(y-1), src.Row(y), src.Row(y+1)
		x0, x1 := max(box.X0, 1), min(box.X1, w-1)
		if box.X0 == 0 {
			to[0] = sharpened(src, 0, y)
		}
		if box.X1 == w {
			to[w-1] = sharpened(src, w-1, y)
		}
		for x := x0; x < x1; x++ {
			sides := int(up[x]) + int(down[x]) + int(mid[x-1]) + int(mid[x+1])
			corners := int(up[x-1]) + int(up[x+1]) + int(down[x-1]) + int(down[x+1])
			to[x] = sharper(int(mid[x]), sides, corners)
		}
	}
}

// sharpened returns the pixel of src at (x, y) as sharpen writes it.
func sharpened(src *gray.Image, x, y int) byte {
	w, h := src.Width, src.Height
	up, mid, down := src.Row(max(y-1, 0)), src.Row(y), src.Row(min(y+1, h-1))
	l, r := max(x-1, 0), min(x+1, w-1)
	return sharper(int(mid[x]), int(up[x])+int(down[x])+int(mid[l])+int(mid[r]), int(up[l])+int(up[r])+int(down[l])+int(down[r]))
}

// sharper returns a pixel of gray level c whose difference from its neighbours is enlarged.
func sharper(c, sides, corners int) byte {
	return byte(min(max(c+sharpness*(12*c-2*sides-corners)/12, 0), 255))
}
