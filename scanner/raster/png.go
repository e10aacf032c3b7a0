package raster

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"io"

	"tcode/scanner/gray"
)

// A plainPNG is a PNG of the kinds that scanners and programs write: 8 bits, gray, gray with alpha, RGB or RGBA, not
// interlaced, no transparent colour. It is decoded row by row into gray: [image/png] makes an image of four bytes a pixel
// first, which takes twice the time.
type plainPNG struct {
	width, height int
	channels      int      // bytes of a pixel
	data          [][]byte // of the IDAT chunks
}

// pngChannels are the bytes of a pixel by colour type (PNG third edition, 11.2.1). 0: not a plain PNG.
var pngChannels = [7]int{0: 1, 2: 3, 4: 2, 6: 4}

// parsePNG returns the plain PNG in file. ok is false for all other files, also for damaged ones: [image/png] decides then.
func parsePNG(file []byte) (p plainPNG, ok bool) {
	const magic = "\x89PNG\r\n\x1a\n"
	if !bytes.HasPrefix(file, []byte(magic)) {
		return p, false
	}
	for at := len(magic); len(file)-at >= 12; {
		n := int64(binary.BigEndian.Uint32(file[at:]))
		if n > int64(len(file)-at-12) {
			return p, false
		}
		kind, data := string(file[at+4:at+8]), file[at+8:at+8+int(n)]
		if crc32.ChecksumIEEE(file[at+4:at+8+int(n)]) != binary.BigEndian.Uint32(file[at+8+int(n):]) {
			return p, false
		}
		first := at == len(magic)
		at += 12 + int(n)
		if first != (kind == "IHDR") {
			return p, false
		}
		switch {
		case first:
			if !p.header(data) {
				return p, false
			}
		case kind == "IDAT":
			p.data = append(p.data, data)
		case kind == "PLTE", kind == "tRNS":
			return p, false
		case kind == "IEND":
			return p, n == 0 && len(p.data) > 0
		case len(p.data) > 0: // the data must be in one piece, and other chunks behind it are rare
			return p, false
		}
	}
	return p, false
}

// header takes the fields of an IHDR chunk.
func (p *plainPNG) header(b []byte) bool {
	if len(b) != 13 || b[8] != 8 || int(b[9]) >= len(pngChannels) || b[10] != 0 || b[11] != 0 || b[12] != 0 {
		return false
	}
	w, h := binary.BigEndian.Uint32(b), binary.BigEndian.Uint32(b[4:])
	p.width, p.height, p.channels = int(w), int(h), pngChannels[b[9]]
	return w >= 1 && h >= 1 && uint64(w)*uint64(h) <= DefaultMaxPixels && p.channels > 0
}

// decodePNG decodes a plain PNG into an image, whose memory it uses. ok is false if file is none, or is damaged.
func decodePNG(file []byte, into *gray.Image) (ok bool) {
	p, ok := parsePNG(file)
	if !ok {
		return false
	}
	z, err := zlib.NewReader(bufio.NewReaderSize(p.reader(), 32<<10))
	if err != nil {
		return false
	}
	into.Reset(p.width, p.height)
	// A row has its filter in front. Above the first one are zeros.
	row, above := make([]byte, 1+p.width*p.channels), make([]byte, 1+p.width*p.channels)
	for y := range p.height {
		if _, err := io.ReadFull(z, row); err != nil || !unfilter(row[0], row[1:], above[1:], p.channels) {
			return false
		}
		grayRow(into.Row(y), row[1:], p.channels)
		row, above = above, row
	}
	n, err := z.Read(row[:1]) // the end, after which the checksum is verified
	return n == 0 && err == io.EOF
}

// reader reads all data.
func (p *plainPNG) reader() io.Reader {
	all := make([]io.Reader, len(p.data))
	for i, d := range p.data {
		all[i] = bytes.NewReader(d)
	}
	return io.MultiReader(all...)
}

// unfilter restores a row of pixels of n bytes from the row above (PNG third edition, 9.2).
func unfilter(filter byte, row, above []byte, n int) bool {
	above = above[:len(row)]
	switch filter {
	case 0:
	case 1: // the pixel to the left
		for i := n; i < len(row); i++ {
			row[i] += row[i-n]
		}
	case 2: // the pixel above
		for i, v := range above {
			row[i] += v
		}
	case 3: // their mean
		for i := range n {
			row[i] += above[i] / 2
		}
		for i := n; i < len(row); i++ {
			row[i] += byte((int(row[i-n]) + int(above[i])) / 2)
		}
	case 4:
		paeth(row, above, n)
	default:
		return false
	}
	return true
}

// paeth adds to each byte the one of its three neighbours that is closest to a plane through them.
func paeth(row, above []byte, n int) {
	for channel := range n {
		left, corner := 0, 0
		for i := channel; i < len(row); i += n {
			up := int(above[i])
			toLeft, toUp := up-corner, left-corner
			toCorner := max(toLeft+toUp, -toLeft-toUp)
			toLeft, toUp = max(toLeft, -toLeft), max(toUp, -toUp)
			switch {
			case toLeft <= toUp && toLeft <= toCorner:
			case toUp <= toCorner:
				left = up
			default:
				left = corner
			}
			left = (left + int(row[i])) & 0xFF
			row[i] = byte(left)
			corner = up
		}
	}
}

// grayRow converts pixels of n bytes as [toGray] does.
func grayRow(dst, row []byte, n int) {
	switch n {
	case 1:
		copy(dst, row)
	case 2:
		for x := range dst {
			p := row[2*x:][:2]
			dst[x] = lumaOver(uint32(p[0]), uint32(p[0]), uint32(p[0]), uint32(p[1]))
		}
	case 3:
		grayOfRGB(dst, row)
	case 4:
		for x := range dst {
			p := row[4*x:][:4]
			dst[x] = lumaOver(uint32(p[0]), uint32(p[1]), uint32(p[2]), uint32(p[3]))
		}
	}
}

// grayOfRGB converts pixels of three bytes.
func grayOfRGB(dst, row []byte) {
	const white = ^uint64(0)
	for x := 0; x < len(dst); {
		if len(dst)-x >= 8 { // most of a page is white
			eight := row[3*x:][:24]
			if binary.LittleEndian.Uint64(eight)&binary.LittleEndian.Uint64(eight[8:])&binary.LittleEndian.Uint64(eight[16:]) == white {
				binary.LittleEndian.PutUint64(dst[x:], white)
				x += 8
				continue
			}
		}
		for end := min(x+8, len(dst)); x < end; x++ {
			p := row[3*x:][:3]
			dst[x] = p[0]
			if p[0] != p[1] || p[1] != p[2] {
				dst[x] = lumaPremultiplied(uint32(p[0]), uint32(p[1]), uint32(p[2]), 255)
			}
		}
	}
}
