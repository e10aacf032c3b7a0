package gray

import (
	"encoding/binary"
	"math/bits"
)

// Tile is the side in px of the squares that have one threshold each in [Bits.Darker].
const Tile = 8

// Bits is an image of one bit per pixel: pixel (x, y) is bit x%64 of word
// y*Words + x/64. The bits beyond Width are 0. Its zero value is empty.
type Bits struct {
	Width, Height int // px
	Words         int // of one row
	Word          []uint64
	limits        []uint64 // of the tiles of a row, in every byte
}

// Reset makes b a w x h image, reusing its memory where it is large enough. It does not
// clear the pixels.
func (b *Bits) Reset(w, h int) {
	b.Width, b.Height, b.Words = w, h, (w+63)/64
	if n := b.Words * h; cap(b.Word) < n {
		b.Word = make([]uint64, n)
	} else {
		b.Word = b.Word[:n]
	}
}

// Row returns the words of row y; the slice aliases b.
func (b *Bits) Row(y int) []uint64 { return b.Word[y*b.Words : (y+1)*b.Words : (y+1)*b.Words] }

// At reports whether pixel (x, y), inside the image, is set.
func (b *Bits) At(x, y int) bool { return b.Word[y*b.Words+x/64]>>(x%64)&1 != 0 }

// Swaps returns how many pixels of r differ from the one to their right and how
// many from the one below, both inside r, which must lie inside the image.
func (b *Bits) Swaps(r Rect) (across, down int) {
	if r.Empty() {
		return 0, 0
	}
	first, last := r.X0/64, (r.X1-1)/64
	head, tail := ^uint64(0)<<(r.X0%64), ^uint64(0)>>(63-(r.X1-1)%64)
	for y := r.Y0; y < r.Y1; y++ {
		row := b.Row(y)[first : last+1]
		below := row
		if y+1 < r.Y1 {
			below = b.Row(y + 1)[first : last+1]
		}
		for i, w := range row {
			in, pairs := ^uint64(0), ^uint64(0) // pixels of r, and those with one to the right
			if i == 0 {
				in, pairs = head, head
			}
			var next uint64
			if i < len(row)-1 {
				next = row[i+1]
			} else {
				in &= tail
				pairs &= tail >> 1
			}
			across += bits.OnesCount64((w ^ (w>>1 | next<<63)) & pairs)
			down += bits.OnesCount64((w ^ below[i]) & in)
		}
	}
	return across, down
}

const (
	high  = 0x8080808080808080 // the top bit of every byte
	ones  = 0x0101010101010101 // 1 in every byte
	evens = 0x00ff00ff00ff00ff // every other byte
	// gather moves bit 0 of byte i to bit 56+i: byte i is at bit 8i, and the factor holds
	// 2^(56-7i). No two products fall on the same bit.
	gather = 0x0102040810204080
)

// less returns the top bit of every byte of x that is below that of y, for 8 comparisons
// in one operation. If the top bits of both are equal, the lower seven decide: 128 + x - y
// does not borrow from the next byte.
func less(x, y uint64) uint64 {
	d := (x | high) - (y &^ high)
	return (^x&y | ^(x^y)&^d) & high
}

// Darker sets the pixels of m that are darker by more than margin gray levels than the
// mean of the 3x3 tiles around them. means holds the mean of every tile of m, as [Tiles]
// computes it; the last tiles include the rest of a row or column. In an image of less
// than a tile, no pixel is set.
func (b *Bits) Darker(m, means *Image, margin int) {
	b.Reset(m.Width, m.Height)
	if means.Width == 0 || means.Height == 0 {
		clear(b.Word)
		return
	}
	if n := b.Words * 8; cap(b.limits) < n {
		b.limits = make([]uint64, n)
	}
	for ty := range means.Height {
		limits := b.limits[:b.Words*8]
		tileLimits(limits, means, ty, margin)
		y1 := (ty + 1) * Tile
		if ty == means.Height-1 {
			y1 = m.Height
		}
		for y := ty * Tile; y < y1; y++ {
			darkRow(b.Row(y), m.Row(y), limits)
		}
	}
}

// tileLimits fills limits with the darkest tone of the tiles of row ty that is not dark,
// in every byte.
func tileLimits(limits []uint64, means *Image, ty, margin int) {
	up, mid, down := means.Row(max(ty-1, 0)), means.Row(ty), means.Row(min(ty+1, means.Height-1))
	w := means.Width
	col := func(x int) int { return int(up[x]) + int(mid[x]) + int(down[x]) }
	left, here := col(0), col(0)
	for x := range mid {
		right := col(min(x+1, w-1))
		limits[x] = uint64(max((left+here+right)/9-margin, 0)) * ones
		left, here = here, right
	}
	for x := w; x < len(limits); x++ {
		limits[x] = limits[w-1]
	}
}

// darkRow sets the bits of the pixels of row that are below the limits.
func darkRow(out []uint64, row []byte, limits []uint64) {
	for i := range out {
		var l *[8]uint64
		l, limits = (*[8]uint64)(limits), limits[8:]
		if len(row) < 64 {
			var rest [64]byte
			for k := copy(rest[:], row); k < len(rest); k++ {
				rest[k] = 255 // never below a limit
			}
			out[i] = dark64(&rest, l)
			return
		}
		out[i] = dark64((*[64]byte)(row), l)
		row = row[64:]
	}
}

// dark64 returns the bits of 64 pixels.
func dark64(p *[64]byte, l *[8]uint64) uint64 {
	// This is written out: a loop costs as much as its body, especially in WebAssembly.
	r := less(binary.LittleEndian.Uint64(p[0:]), l[0]) >> 7 * gather >> 56
	r |= less(binary.LittleEndian.Uint64(p[8:]), l[1]) >> 7 * gather >> 56 << 8
	r |= less(binary.LittleEndian.Uint64(p[16:]), l[2]) >> 7 * gather >> 56 << 16
	r |= less(binary.LittleEndian.Uint64(p[24:]), l[3]) >> 7 * gather >> 56 << 24
	r |= less(binary.LittleEndian.Uint64(p[32:]), l[4]) >> 7 * gather >> 56 << 32
	r |= less(binary.LittleEndian.Uint64(p[40:]), l[5]) >> 7 * gather >> 56 << 40
	r |= less(binary.LittleEndian.Uint64(p[48:]), l[6]) >> 7 * gather >> 56 << 48
	r |= less(binary.LittleEndian.Uint64(p[56:]), l[7]) >> 7 * gather >> 56 << 56
	return r
}

// Tiles writes the means of the tiles of src into dst, which becomes an eighth as wide and
// high, rounded down. Calling [Halve] three times gives nearly the same.
func Tiles(dst, src *Image) {
	dst.Reset(src.Width/Tile, src.Height/Tile)
	for ty := range dst.Height {
		out := dst.Row(ty)
		for tx := range out {
			// Bytes are summed in 16-bit lanes: 16 of them are below 2^12.
			var even, odd uint64
			at := ty*Tile*src.Stride + tx*Tile
			for range Tile {
				v := binary.LittleEndian.Uint64(src.Pix[at : at+8])
				even += v & evens
				odd += v >> 8 & evens
				at += src.Stride
			}
			sum := (even + odd) * 0x0001000100010001 >> 48
			out[tx] = byte((sum + Tile*Tile/2) / (Tile * Tile))
		}
	}
}

// Changes writes, for every tile of b, the number of its 64 pixels that differ from the
// pixel to the right, and of those that differ from the one below, 0 to 64, one byte each:
// tile (x, y) is byte x%8 of word y*Words + x/8. It sets nothing beyond the right border
// and leaves out tiles that the lower border cuts.
func (b *Bits) Changes(right, below []uint64) {
	n := b.Words
	for ty := range b.Height / Tile {
		for i := range n {
			var h, v uint64
			for y := ty * Tile; y < ty*Tile+Tile; y++ {
				at := y*n + i
				w := b.Word[at]
				var next uint64
				if i+1 < n {
					next = b.Word[at+1]
				}
				h += countBytes(w ^ (w>>1 | next<<63))
				if y+1 < b.Height {
					v += countBytes(w ^ b.Word[at+n])
				}
			}
			right[ty*n+i], below[ty*n+i] = h, v
		}
	}
}

// countBytes returns the number of bits that are set in every byte.
func countBytes(v uint64) uint64 {
	v -= v >> 1 & 0x5555555555555555
	v = v&0x3333333333333333 + v>>2&0x3333333333333333
	return (v + v>>4) & 0x0f0f0f0f0f0f0f0f
}
