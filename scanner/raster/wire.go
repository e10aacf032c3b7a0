package raster

import (
	"bytes"
	"encoding/binary"
	"math"
	"time"

	"tcode/offline/host/sandbox"
	"tcode/scanner/gray"
)

// Frames between parent and child. Numbers are big-endian.
const (
	kindOpen    byte = 1 // to child: kind (8 bytes, NUL padded), max pages u32, max pixels u32; kindFile follows
	kindOpened  byte = 2 // to parent: pages u32
	kindPage    byte = 3 // to child: request
	kindHeader  byte = 4 // to parent: header; kindPixels follows
	kindPixels  byte = 5 // to parent: width*height bytes, or those of the squares; three times as many for a view in colour
	kindRefused byte = 6 // to parent: code, NUL, message
	kindView    byte = 7 // to child: ViewRequest; kindHeader and kindPixels come back
	kindFile    byte = 8 // to child: the file
)

// openLen is the length of kindOpen.
const openLen = 16

// openFrame returns the frame that describes the file to follow.
func openFrame(k Kind, l Limits) []byte {
	b := make([]byte, 8, openLen)
	copy(b, k)
	b = binary.BigEndian.AppendUint32(b, uint32(l.MaxPages))
	return binary.BigEndian.AppendUint32(b, uint32(l.MaxPixels))
}

func parseOpen(b []byte) (k Kind, l Limits, ok bool) {
	if len(b) != openLen {
		return "", Limits{}, false
	}
	k = Kind(bytes.TrimRight(b[:8], "\x00"))
	l.MaxPages = int(binary.BigEndian.Uint32(b[8:]))
	l.MaxPixels = int(binary.BigEndian.Uint32(b[12:]))
	return k, l, true
}

// request requests a page or a part of one.
type request struct {
	page      int     // u32, from 1
	part      int     // u32, from 1; 0: the whole page
	maxPixels int     // u32, of the answer
	squares   int     // u32, 1: only those, if there are any
	dpi       float64 // for pages without a resolution of their own
}

func (r request) append(b []byte) []byte {
	for _, v := range []int{r.page, r.part, r.maxPixels, r.squares} {
		b = binary.BigEndian.AppendUint32(b, uint32(v))
	}
	return binary.BigEndian.AppendUint64(b, math.Float64bits(r.dpi))
}

func parseRequest(b []byte) (r request, ok bool) {
	if len(b) != 24 {
		return request{}, false
	}
	for i, v := range []*int{&r.page, &r.part, &r.maxPixels, &r.squares} {
		*v = int(binary.BigEndian.Uint32(b[4*i:]))
	}
	r.dpi = math.Float64frombits(binary.BigEndian.Uint64(b[16:]))
	return r, r.maxPixels > 0
}

// header describes the pixels that follow it. Each number of pixels is a u32.
type header struct {
	width, height         int           // px
	x, y                  int           // px, where the image lies on the page
	pageWidth, pageHeight int           // px
	parts                 int           // of the page
	less                  int           // bits: lessShrunk, lessSquares
	took                  time.Duration // u64, ns
	drawn                               // dpi as a float64, then four u32 for each picture
}

func (h *header) ints() []*int {
	return []*int{&h.width, &h.height, &h.x, &h.y, &h.pageWidth, &h.pageHeight, &h.parts, &h.less}
}

// Bits of header.less.
const (
	lessShrunk  = 1 // the image is smaller than the page
	lessSquares = 2 // only the squares of the image are sent, one after the other
)

func (h header) append(b []byte) []byte {
	if h.shrunk {
		h.less |= lessShrunk
	}
	for _, v := range h.ints() {
		b = binary.BigEndian.AppendUint32(b, uint32(*v))
	}
	b = binary.BigEndian.AppendUint64(b, uint64(h.took))
	b = binary.BigEndian.AppendUint64(b, math.Float64bits(h.dpi))
	for _, p := range h.pictures[:min(len(h.pictures), maxPictures)] {
		for _, v := range []int{p.X0, p.Y0, p.X1, p.Y1} {
			b = binary.BigEndian.AppendUint32(b, uint32(v))
		}
	}
	return b
}

func parseHeader(b []byte) (h header, ok bool) {
	ints := h.ints()
	if len(b) < 4*len(ints)+16 {
		return header{}, false
	}
	for i, v := range ints {
		*v = int(binary.BigEndian.Uint32(b[4*i:]))
	}
	b = b[4*len(ints):]
	h.shrunk = h.less&lessShrunk != 0
	h.took = max(0, time.Duration(binary.BigEndian.Uint64(b)))
	h.dpi = math.Float64frombits(binary.BigEndian.Uint64(b[8:]))
	for b = b[16:]; len(b) >= 16 && len(h.pictures) < maxPictures; b = b[16:] {
		at := func(i int) int { return int(binary.BigEndian.Uint32(b[4*i:])) }
		h.pictures = append(h.pictures, gray.Rect{X0: at(0), Y0: at(1), X1: at(2), Y1: at(3)}.Clip(h.width, h.height))
	}
	return h, len(b) == 0
}

// plausible reports whether the image lies on its page and neither is larger than allowed.
func (h header) plausible(maxPixels, maxPagePixels int) bool {
	return h.width >= 1 && h.height >= 1 && int64(h.width)*int64(h.height) <= int64(maxPixels) &&
		int64(h.pageWidth)*int64(h.pageHeight) <= int64(maxPagePixels) && h.parts >= 1 && h.parts <= gray.MaxParts &&
		h.x+h.width <= h.pageWidth && h.y+h.height <= h.pageHeight
}

// maxPictures bounds the pictures of a page that are sent.
const maxPictures = 16

func appendRefused(code, message string) []byte {
	return append(append([]byte(code), 0), message...)
}

func parseRefused(b []byte) *sandbox.TaskError {
	code, message, _ := bytes.Cut(b, []byte{0})
	return &sandbox.TaskError{Code: string(code), Message: sandbox.Printable(string(message), 1024)}
}
