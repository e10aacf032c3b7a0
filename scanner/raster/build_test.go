package raster_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"strings"
)

// pdf returns a PDF with one page for each of pages, which are entries of page dictionaries such
// as "/MediaBox [0 0 612 792]". Each page has a black square of 72 pt in its lower left corner.
func pdf(pages ...string) []byte { return pdfOf("0 0 72 72 re f", pages...) }

// pdfOf is pdf with other content.
func pdfOf(content string, pages ...string) []byte {
	var b bytes.Buffer
	var offsets []int
	obj := func(format string, args ...any) {
		offsets = append(offsets, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", len(offsets), fmt.Sprintf(format, args...))
	}
	b.WriteString("%PDF-1.7\n")
	obj("<< /Type /Catalog /Pages 2 0 R >>")
	var kids strings.Builder
	for i := range pages {
		fmt.Fprintf(&kids, "%d 0 R ", 4+i)
	}
	obj("<< /Type /Pages /Count %d /Kids [%s] >>", len(pages), kids.String())
	obj("<< /Length %d >>\nstream\n%s\nendstream", len(content), content)
	for _, p := range pages {
		obj("<< /Type /Page /Parent 2 0 R /Contents 3 0 R %s >>", p)
	}
	xref := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, o := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, xref)
	return b.Bytes()
}

const letter = "/MediaBox [0 0 612 792]"

// pngChunk appends a PNG chunk.
func pngChunk(b []byte, kind string, data []byte) []byte {
	b = binary.BigEndian.AppendUint32(b, uint32(len(data)))
	start := len(b)
	b = append(append(b, kind...), data...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[start:]))
}

// pngHeader returns the beginning of a PNG that claims to be w x h.
func pngHeader(w, h uint32) []byte {
	ihdr := binary.BigEndian.AppendUint32(nil, w)
	ihdr = binary.BigEndian.AppendUint32(ihdr, h)
	ihdr = append(ihdr, 8, 2, 0, 0, 0)
	return pngChunk([]byte("\x89PNG\r\n\x1a\n"), "IHDR", ihdr)
}

// exif returns an Exif block in TIFF form with an orientation and a resolution.
func exif(orientation uint16, dpi uint32) []byte {
	b := []byte("II*\x00\x08\x00\x00\x00")
	b = binary.LittleEndian.AppendUint16(b, 2)
	entry := func(tag, kind uint16, value uint32) {
		b = binary.LittleEndian.AppendUint16(b, tag)
		b = binary.LittleEndian.AppendUint16(b, kind)
		b = binary.LittleEndian.AppendUint32(b, 1)
		b = binary.LittleEndian.AppendUint32(b, value)
	}
	entry(274, 3, uint32(orientation))
	entry(282, 5, 38)
	b = binary.LittleEndian.AppendUint32(b, 0)
	b = binary.LittleEndian.AppendUint32(b, dpi)
	return binary.LittleEndian.AppendUint32(b, 1)
}

// withExif inserts an Exif segment behind a JPEG's start.
func withExif(jpeg, exif []byte) []byte {
	seg := append([]byte("Exif\x00\x00"), exif...)
	out := append([]byte{}, jpeg[:2]...)
	out = append(out, 0xFF, 0xE1)
	out = binary.BigEndian.AppendUint16(out, uint16(len(seg)+2))
	out = append(out, seg...)
	return append(out, jpeg[2:]...)
}

// corner returns a white image with a black top left quarter: all its turns and mirror images differ if w != h
// and the quarter is not square.
func corner(w, h int) *image.Gray {
	m := image.NewGray(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			if x >= w/2 || y >= h/4 {
				m.SetGray(x, y, color.Gray{255})
			}
		}
	}
	return m
}

// tiffPages builds an uncompressed 8-bit gray TIFF of several pages, each of one value.
func tiffPages(w, h int, values ...byte) []byte {
	var strips [][]byte
	for _, v := range values {
		strips = append(strips, bytes.Repeat([]byte{v}, w*h))
	}
	return tiffOf(w, h, 1, strips...)
}

// tiffOf builds a little-endian 8-bit gray TIFF of pages of 200 dpi, each one strip.
func tiffOf(w, h int, compression uint32, strips ...[]byte) []byte {
	b := []byte("II*\x00\x00\x00\x00\x00")
	link := 4
	for _, s := range strips {
		strip := uint32(len(b))
		b = append(b, s...)
		for len(b)%2 != 0 {
			b = append(b, 0)
		}
		resolution := uint32(len(b))
		b = binary.LittleEndian.AppendUint32(b, 200)
		b = binary.LittleEndian.AppendUint32(b, 1)
		binary.LittleEndian.PutUint32(b[link:], uint32(len(b)))
		entries := [][3]uint32{
			{256, 4, uint32(w)},
			{257, 4, uint32(h)},
			{258, 3, 8},
			{259, 3, compression},
			{262, 3, 1},
			{273, 4, strip},
			{277, 3, 1},
			{278, 4, uint32(h)},
			{279, 4, uint32(len(s))},
			{282, 5, resolution},
			{296, 3, 2},
		}
		b = binary.LittleEndian.AppendUint16(b, uint16(len(entries)))
		for _, e := range entries {
			b = binary.LittleEndian.AppendUint16(b, uint16(e[0]))
			b = binary.LittleEndian.AppendUint16(b, uint16(e[1]))
			b = binary.LittleEndian.AppendUint32(b, 1)
			b = binary.LittleEndian.AppendUint32(b, e[2])
		}
		link = len(b)
		b = binary.LittleEndian.AppendUint32(b, 0)
	}
	return b
}
