package pdfstamp

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/adler32"
	"hash/crc32"
)

// maxPNGSide bounds the side of a [BarcodePNG] in pixels.
const maxPNGSide = 4096

// BarcodePNG returns the symbol of text as a black and white PNG with a quiet
// zone of two modules, pxPerModule pixels a module. Its bytes depend on these two alone, in
// every version: the gateway does not store the picture, and draws it again for each
// download. Therefore it is not written by image/png, whose bytes change with Go's
// compressor.
func BarcodePNG(text string, pxPerModule int) ([]byte, error) {
	m, err := Symbol(text)
	if err != nil {
		return nil, err
	}
	side := (m.Side + 2*defaultQuiet) * pxPerModule
	if pxPerModule < 1 || side > maxPNGSide {
		return nil, fmt.Errorf("%d pixels a module: %w", pxPerModule, errPlacement)
	}
	width := 1 + (side+7)/8 // the filter's type, and 8 pixels a byte
	rows := make([]byte, 0, side*width)
	for y := range m.Side + 2*defaultQuiet {
		row := make([]byte, width)
		row[0] = filterNone
		for x := range side {
			if at := x/pxPerModule - defaultQuiet; !dark(m.Dark, m.Side, at, y-defaultQuiet) {
				row[1+x/8] |= 0x80 >> (x % 8)
			}
		}
		rows = append(rows, row...)
		same := make([]byte, width) // as the row above it
		same[0] = filterUp
		rows = append(rows, bytes.Repeat(same, pxPerModule-1)...)
	}
	return pngOf(side, zlibOf(rows, width)), nil
}

func dark(modules []bool, side, x, y int) bool {
	return x >= 0 && y >= 0 && x < side && y < side && modules[y*side+x]
}

// Filters of rows (PNG, third edition, 9.2).
const (
	filterNone = 0
	filterUp   = 2
)

// pngOf returns a square picture of 1 bit a pixel, in gray.
func pngOf(side int, data []byte) []byte {
	out := []byte("\x89PNG\r\n\x1a\n")
	chunk := func(name string, body []byte) {
		out = binary.BigEndian.AppendUint32(out, uint32(len(body)))
		from := len(out)
		out = append(append(out, name...), body...)
		out = binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[from:]))
	}
	header := binary.BigEndian.AppendUint32(nil, uint32(side))
	header = binary.BigEndian.AppendUint32(header, uint32(side))
	chunk("IHDR", append(header, 1, 0, 0, 0, 0)) // bits; gray, deflate, filters of rows, not interlaced
	chunk("IDAT", data)
	chunk("IEND", nil)
	return out
}

// A bitWriter collects bits, the lowest of each byte first.
type bitWriter struct {
	out []byte
	n   uint // bits of the last byte
}

// bits appends the lowest bits of v, the lowest first.
func (w *bitWriter) bits(v, count uint) {
	for i := range count {
		if w.n%8 == 0 {
			w.out = append(w.out, 0)
		}
		w.out[len(w.out)-1] |= byte(v>>i&1) << (w.n % 8)
		w.n++
	}
}

// code appends a Huffman code, its highest bit first.
func (w *bitWriter) code(v, count uint) {
	for i := range count {
		w.bits(v>>(count-1-i), 1)
	}
}

// symbol appends a literal, a length or the end by the fixed codes (RFC 1951, 3.2.6).
func (w *bitWriter) symbol(s uint) {
	switch {
	case s < 144:
		w.code(0x30+s, 8)
	case s < 256:
		w.code(0x190+s-144, 9)
	case s < 280:
		w.code(s-256, 7)
	default:
		w.code(0xc0+s-280, 8)
	}
}

// lengthBases are the least lengths of the codes from 257 on, and distanceBases the least
// distances of theirs (RFC 1951, 3.2.5).
var (
	lengthBases   = []int{3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258}
	lengthExtra   = []uint{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0}
	distanceBases = []int{1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769}
	distanceExtra = []uint{0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8}
)

// last returns the index of the last base up to v.
func last(bases []int, v int) (i int) {
	for i+1 < len(bases) && bases[i+1] <= v {
		i++
	}
	return i
}

// zlibOf compresses data: it repeats the bytes of one row before, or the byte before, and
// writes all others as they are.
func zlibOf(data []byte, row int) []byte {
	w := &bitWriter{out: []byte{0x78, 0x01}}
	w.bits(1, 1) // the last block
	w.bits(1, 2) // by the fixed codes
	for at := 0; at < len(data); {
		length, distance := 0, 0
		for _, d := range []int{row, 1} {
			n := 0
			for at >= d && n < 258 && at+n < len(data) && data[at+n] == data[at+n-d] {
				n++
			}
			if n > length {
				length, distance = n, d
			}
		}
		if length < 3 {
			w.symbol(uint(data[at]))
			at++
			continue
		}
		l, d := last(lengthBases, length), last(distanceBases, distance)
		w.symbol(uint(257 + l))
		w.bits(uint(length-lengthBases[l]), lengthExtra[l])
		w.code(uint(d), 5)
		w.bits(uint(distance-distanceBases[d]), distanceExtra[d])
		at += length
	}
	w.symbol(256)
	return binary.BigEndian.AppendUint32(w.out, adler32.Checksum(data))
}
