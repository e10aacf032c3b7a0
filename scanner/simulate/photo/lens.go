package photo

import "math"

// A Lens describes how unsharp a picture is, px.
type Lens struct {
	Soft        float64 // sigma of the blur of a lens in focus
	Defocus     float64 // radius of the disc that a point out of focus becomes
	Motion      float64 // length of the path of a point while the shutter is open
	MotionAngle float64 // of the path, radians
}

// apply makes the picture as unsharp as the lens.
func (l Lens) apply(m *light) {
	m.blur(l.Soft)
	if l.Defocus > 0.1 {
		m.convolve(disc(l.Defocus))
	}
	if l.Motion > 0.1 {
		m.convolve(path(l.Motion, l.MotionAngle))
	}
}

// A tap is one weight of a kernel.
type tap struct {
	dx, dy int
	k      float32
}

// disc returns the kernel of a disc, its weights are the covered shares of the pixels.
func disc(radius float64) []tap {
	const n = 16
	reach := int(math.Ceil(radius + 0.5))
	weight := map[[2]int]float64{}
	for y := -reach * n; y <= reach*n; y++ {
		for x := -reach * n; x <= reach*n; x++ {
			px, py := float64(x)/n, float64(y)/n
			if px*px+py*py <= radius*radius {
				spread(weight, px, py)
			}
		}
	}
	return taps(weight, reach+1)
}

// path returns the kernel of a straight line.
func path(length, angle float64) []tap {
	sin, cos := math.Sincos(angle)
	weight := map[[2]int]float64{}
	n := max(2, int(16*length))
	for i := range n {
		d := ((float64(i)+0.5)/float64(n) - 0.5) * length
		spread(weight, d*cos, d*sin)
	}
	return taps(weight, int(length/2)+2)
}

// spread adds a point between the pixels to its four neighbours.
func spread(weight map[[2]int]float64, x, y float64) {
	i, j := int(math.Floor(x)), int(math.Floor(y))
	x, y = x-float64(i), y-float64(j)
	weight[[2]int{i, j}] += (1 - x) * (1 - y)
	weight[[2]int{i + 1, j}] += x * (1 - y)
	weight[[2]int{i, j + 1}] += (1 - x) * y
	weight[[2]int{i + 1, j + 1}] += x * y
}

// taps returns the weights in a fixed order, with the sum 1.
func taps(weight map[[2]int]float64, reach int) (out []tap) {
	var sum float64
	for y := -reach; y <= reach; y++ {
		for x := -reach; x <= reach; x++ {
			sum += weight[[2]int{x, y}]
		}
	}
	for y := -reach; y <= reach; y++ {
		for x := -reach; x <= reach; x++ {
			if k := weight[[2]int{x, y}]; k > 0 {
				out = append(out, tap{x, y, float32(k / sum)})
			}
		}
	}
	return out
}

// convolve replaces m by its convolution with a kernel. Beyond the borders, the border's
// values go on.
func (m *light) convolve(kernel []tap) {
	reach := 0
	for _, t := range kernel {
		reach = max(reach, t.dx, -t.dx)
	}
	from := newLight(m.w+2*reach, m.h)
	for y := range m.h {
		m.extend(from.row(y), m.row(y), reach)
	}
	for y := range m.h {
		row := m.row(y)
		clear(row)
		for _, t := range kernel {
			in := from.row(min(max(y+t.dy, 0), m.h-1))[reach+t.dx:][:len(row)]
			for x, v := range in {
				row[x] += t.k * v
			}
		}
	}
}
