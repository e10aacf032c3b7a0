package locate

import "tcode/scanner/gray"

const (
	// inkMargin is the number of gray levels by which ink is darker than its surroundings,
	// which excludes paper grain. It is larger on a noisy level, up to noisyMargin.
	inkMargin   = 8
	noisyMargin = 48
	// noiseSamples is the number of pixels on which the noise of a level is measured.
	noiseSamples = 2048
)

// pyramid holds an image and its halved copies, each with its dark pixels. They are made
// on demand and shared by Boxes and Components.
type pyramid struct {
	img    *gray.Image
	halves []gray.Image // level 1 and up
	made   int          // of halves
	dark   []gray.Bits  // by level
	marked []bool       // which of dark are made
}

// reset starts with img, whose pixels must not change afterwards. nil releases the last
// image.
func (p *pyramid) reset(img *gray.Image) {
	p.img, p.made = img, 0
	clear(p.marked)
}

// level returns the image halved n times. It is valid until the next call.
func (p *pyramid) level(n int) *gray.Image {
	for ; p.made < n; p.made++ {
		if len(p.halves) == p.made {
			p.halves = append(p.halves, gray.Image{})
		}
		from := p.img
		if p.made > 0 {
			from = &p.halves[p.made-1]
		}
		gray.Halve(&p.halves[p.made], from)
	}
	if n == 0 {
		return p.img
	}
	return &p.halves[n-1]
}

// ink returns the dark pixels of level n.
func (p *pyramid) ink(n int) *gray.Bits {
	for len(p.dark) <= n {
		p.dark, p.marked = append(p.dark, gray.Bits{}), append(p.marked, false)
	}
	if !p.marked[n] {
		means := p.level(n + 3) // after three halvings, a pixel is the mean of a tile
		m := p.level(n)
		p.dark[n].Darker(m, means, min(max(inkMargin, p.noise(m)), noisyMargin))
		p.marked[n] = true
	}
	return &p.dark[n]
}

// noise returns twice the standard deviation of the grain of m, in gray levels. It uses
// the median difference between a pixel and the mean of its neighbours, which ink does not
// change as long as most of the image is ground.
func (p *pyramid) noise(m *gray.Image) int {
	if m.Width < 3 || m.Height == 0 {
		return 0
	}
	n := m.Width * m.Height
	// A step without a common factor with the width visits all columns.
	step := max(n/noiseSamples, 1) | 1
	var diffs [512]int32
	count := int32(0)
	for i := step / 2; i < n; i += step {
		row := m.Row(i / m.Width)
		x := min(max(i%m.Width, 1), m.Width-2)
		d := int(row[x-1]) - 2*int(row[x]) + int(row[x+1])
		diffs[max(d, -d)]++
		count++
	}
	median, left := 0, count/2
	for left >= diffs[median] {
		left -= diffs[median]
		median++
	}
	// The median of such a difference is 1.65 standard deviations of the grain.
	return median * 120 / 100
}
