package raster

import "encoding/binary"

// A mediaBox is one box of a file of ISO/IEC 14496-12, such as HEIC, AVIF and JPEG 2000.
type mediaBox struct {
	kind string // four characters
	data []byte // without the header
}

// nextBox returns the box at the start of b and the bytes after it. ok is false if there is no complete box.
func nextBox(b []byte) (box mediaBox, rest []byte, ok bool) {
	if len(b) < 8 {
		return mediaBox{}, nil, false
	}
	size, header := uint64(binary.BigEndian.Uint32(b)), 8
	switch size {
	case 0: // to the end of the file
		size = uint64(len(b))
	case 1:
		if len(b) < 16 {
			return mediaBox{}, nil, false
		}
		size, header = binary.BigEndian.Uint64(b[8:]), 16
	}
	if size < uint64(header) || size > uint64(len(b)) {
		return mediaBox{}, nil, false
	}
	return mediaBox{string(b[4:8]), b[header:size]}, b[size:], true
}

// boxes calls f for each box in b, in order, until f returns false. It reports whether b consists of boxes as far as it was
// read.
func boxes(b []byte, f func(mediaBox) bool) bool {
	for len(b) > 0 {
		box, rest, ok := nextBox(b)
		if !ok {
			return false
		}
		if !f(box) {
			break
		}
		b = rest
	}
	return true
}

// full splits the data of a box with a version and flags. ok is false if it is too short.
func (m mediaBox) full() (version byte, flags uint32, data []byte, ok bool) {
	if len(m.data) < 4 {
		return 0, 0, nil, false
	}
	return m.data[0], binary.BigEndian.Uint32(m.data) & 0xFFFFFF, m.data[4:], true
}

// A cursor reads numbers of big-endian data. After a read beyond the end it is bad, and returns zeros.
type cursor struct {
	data []byte
	bad  bool
}

// number reads n bytes, at most four.
func (c *cursor) number(n int) uint32 {
	if n > len(c.data) {
		c.data, c.bad = nil, true
		return 0
	}
	v := uint32(0)
	for _, b := range c.data[:n] {
		v = v<<8 | uint32(b)
	}
	c.data = c.data[n:]
	return v
}

// word reads n bytes as text.
func (c *cursor) word(n int) string {
	if n > len(c.data) {
		c.data, c.bad = nil, true
		return ""
	}
	s := string(c.data[:n])
	c.data = c.data[n:]
	return s
}
