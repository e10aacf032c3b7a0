package compare

import (
	"encoding/binary"

	"tcode/scanner/gray"
)

// pad is the paper around a plane, px. Windows at the edge, and windows that move, read it.
const pad = 4

// plane is the ink of a drawn page: 0 is paper, 255 is black.
type plane struct {
	w, h   int // px, without the paper around
	stride int
	pix    []byte
}

// newPlane returns the ink of m on w x h px, with room for windows of n px. The pixels from edge px around m are paper:
// engines round the size of a page differently, and then draw a part of its last pixels.
func newPlane(m *gray.Image, w, h, n, edge int) *plane {
	p := &plane{w: w, h: h, stride: w + 2*pad + n}
	p.pix = make([]byte, p.stride*(h+2*pad+n))
	for y := edge; y < min(h, m.Height)-edge; y++ {
		if end := min(w, m.Width) - edge; end > edge {
			invert(p.pix[p.at(edge, y):], m.Row(y)[edge:end])
		}
	}
	return p
}

// invert writes 255 minus each byte of from.
func invert(to, from []byte) {
	i := 0
	for ; i+8 <= len(from); i += 8 {
		binary.LittleEndian.PutUint64(to[i:], ^binary.LittleEndian.Uint64(from[i:]))
	}
	for ; i < len(from); i++ {
		to[i] = ^from[i]
	}
}

// at returns the index of the pixel x, y.
func (p *plane) at(x, y int) int { return (y+pad)*p.stride + x + pad }

// half returns p at half the resolution: each pixel is the mean of 2 x 2 px.
func (p *plane) half(n int) *plane {
	w, h := (p.w+1)/2, (p.h+1)/2
	out := &plane{w: w, h: h, stride: w + 2*pad + n}
	out.pix = make([]byte, out.stride*(h+2*pad+n))
	for y := range h {
		top := p.pix[p.at(0, 2*y):][: 2*w : 2*w]
		low := p.pix[p.at(0, 2*y+1):][: 2*w : 2*w]
		row := out.pix[out.at(0, y):][:w:w]
		x := 0
		for ; x+4 <= w; x += 4 {
			a, b := binary.LittleEndian.Uint64(top[2*x:]), binary.LittleEndian.Uint64(low[2*x:])
			binary.LittleEndian.PutUint32(row[x:], means(a, b))
		}
		for ; x < w; x++ {
			row[x] = byte((int(top[2*x]) + int(top[2*x+1]) + int(low[2*x]) + int(low[2*x+1]) + 2) >> 2)
		}
	}
	return out
}

// means returns the means of four squares of 2 x 2 px: a are their upper eight pixels, b the lower ones.
func means(a, b uint64) uint32 {
	const even = 0x00ff00ff_00ff00ff
	s := a&even + a>>8&even + b&even + b>>8&even + 0x00020002_00020002
	s = s >> 2 & even
	s = (s | s>>8) & 0x0000ffff_0000ffff
	return uint32(s | s>>16)
}

// contrast returns the range of the n x n px at x, y.
func (p *plane) contrast(x, y, n int) int {
	lo, hi := byte(255), byte(0)
	for r := range n {
		for _, v := range p.pix[p.at(x, y+r):][:n:n] {
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	return int(hi) - int(lo)
}

// around is contrast for a place that may lie partly outside of the plane. That part does not count.
func (p *plane) around(x, y, n int) int {
	lo, hi := byte(255), byte(0)
	for r := max(y, 0); r < min(y+n, p.h); r++ {
		for _, v := range p.pix[p.at(max(x, 0), r):p.at(max(x, 0, min(x+n, p.w)), r)] {
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	return max(int(hi)-int(lo), 0)
}
