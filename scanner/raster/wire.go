package raster

import (
	"bytes"
	"encoding/binary"
	"math"
	"time"

	"tcode/offline/sandbox"
)

// Frames between parent and child. Numbers are big-endian.
const (
	kindOpen    byte = 1 // to child: kind (8 bytes, NUL padded), max pages u32, max pixels u32, file
	kindOpened  byte = 2 // to parent: pages u32
	kindPage    byte = 3 // to child: page u32 from 1, dpi float64
	kindHeader  byte = 4 // to parent: width u32, height u32, dpi float64, nanoseconds u64; kindPixels follows
	kindPixels  byte = 5 // to parent: width*height bytes
	kindRefused byte = 6 // to parent: code, NUL, message
)

// openHeader is the length of what stands before the file in kindOpen.
const openHeader = 16

func appendOpen(k Kind, l Limits, file []byte) []byte {
	b := make([]byte, 8, openHeader+len(file))
	copy(b, k)
	b = binary.BigEndian.AppendUint32(b, uint32(l.MaxPages))
	b = binary.BigEndian.AppendUint32(b, uint32(l.MaxPixels))
	return append(b, file...)
}

func parseOpen(b []byte) (k Kind, l Limits, file []byte, ok bool) {
	if len(b) < openHeader {
		return "", Limits{}, nil, false
	}
	k = Kind(bytes.TrimRight(b[:8], "\x00"))
	l.MaxPages = int(binary.BigEndian.Uint32(b[8:]))
	l.MaxPixels = int(binary.BigEndian.Uint32(b[12:]))
	return k, l, b[openHeader:], true
}

func appendPageRequest(n int, dpi float64) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(n))
	return binary.BigEndian.AppendUint64(b, math.Float64bits(dpi))
}

func parsePageRequest(b []byte) (n int, dpi float64, ok bool) {
	if len(b) != 12 {
		return 0, 0, false
	}
	return int(binary.BigEndian.Uint32(b)), math.Float64frombits(binary.BigEndian.Uint64(b[4:])), true
}

// header describes the pixels that follow it.
type header struct {
	width, height int // px
	dpi           float64
	took          time.Duration
}

func (h header) append(b []byte) []byte {
	b = binary.BigEndian.AppendUint32(b, uint32(h.width))
	b = binary.BigEndian.AppendUint32(b, uint32(h.height))
	b = binary.BigEndian.AppendUint64(b, math.Float64bits(h.dpi))
	return binary.BigEndian.AppendUint64(b, uint64(h.took))
}

func parseHeader(b []byte) (h header, ok bool) {
	if len(b) != 24 {
		return header{}, false
	}
	h.width = int(binary.BigEndian.Uint32(b))
	h.height = int(binary.BigEndian.Uint32(b[4:]))
	h.dpi = math.Float64frombits(binary.BigEndian.Uint64(b[8:]))
	h.took = max(0, time.Duration(binary.BigEndian.Uint64(b[16:])))
	return h, true
}

func appendRefused(code, message string) []byte {
	return append(append([]byte(code), 0), message...)
}

func parseRefused(b []byte) *sandbox.TaskError {
	code, message, _ := bytes.Cut(b, []byte{0})
	return &sandbox.TaskError{Code: string(code), Message: sandbox.Printable(string(message), 1024)}
}
