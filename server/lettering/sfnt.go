package lettering

import (
	"encoding/binary"
	"iter"
	"slices"
	"sync"

	"codeberg.org/go-fonts/dejavu/dejavusans"
)

// A sfnt is the whole font, by table (OpenType specification, "Font file"). Its bytes are
// built in, so nothing is checked.
type sfnt struct {
	tables map[string][]byte
	long   int // glyphs with a width of their own in hmtx
}

var source = sync.OnceValue(func() *sfnt {
	b := dejavusans.TTF
	s := &sfnt{tables: map[string][]byte{}}
	for i := range int(binary.BigEndian.Uint16(b[4:])) {
		e := b[12+16*i:]
		at, n := binary.BigEndian.Uint32(e[8:]), binary.BigEndian.Uint32(e[12:])
		s.tables[string(e[:4])] = b[at : at+n]
	}
	s.long = int(binary.BigEndian.Uint16(s.tables["hhea"][34:]))
	return s
})

// glyph returns the outline of a glyph; empty for a blank.
func (s *sfnt) glyph(id uint16) []byte {
	loca, i := s.tables["loca"], int(id)
	if binary.BigEndian.Uint16(s.tables["head"][50:]) == 0 { // offsets are halved
		return s.tables["glyf"][2*int(binary.BigEndian.Uint16(loca[2*i:])) : 2*int(binary.BigEndian.Uint16(loca[2*i+2:]))]
	}
	return s.tables["glyf"][binary.BigEndian.Uint32(loca[4*i:]):binary.BigEndian.Uint32(loca[4*i+4:])]
}

// advance returns the width of a glyph in font units.
func (s *sfnt) advance(id uint16) uint16 {
	return binary.BigEndian.Uint16(s.tables["hmtx"][4*min(int(id), s.long-1):])
}

// metric returns a glyph's width and left side bearing from hmtx.
func (s *sfnt) metric(id uint16) []byte {
	if i := int(id); i >= s.long { // all others have the last width
		m := binary.BigEndian.AppendUint16(nil, s.advance(id))
		return append(m, s.tables["hmtx"][4*s.long+2*(i-s.long):][:2]...)
	}
	return s.tables["hmtx"][4*int(id):][:4]
}

// Flags of a part of a composite glyph.
const (
	wordArgs   = 0x0001
	oneScale   = 0x0008
	moreParts  = 0x0020
	twoScales  = 0x0040
	fullMatrix = 0x0080
	hasHints   = 0x0100
)

// isComposite reports whether g is made of other glyphs.
func isComposite(g []byte) bool { return len(g) > 10 && int16(binary.BigEndian.Uint16(g)) < 0 }

// components yields the offsets in g of the numbers of the glyphs that it uses.
func components(g []byte) iter.Seq[int] {
	return func(yield func(int) bool) {
		if !isComposite(g) {
			return
		}
		for at := 10; ; {
			flags := binary.BigEndian.Uint16(g[at:])
			if !yield(at + 2) {
				return
			}
			if at = afterPart(at, flags); flags&moreParts == 0 {
				return
			}
		}
	}
}

// afterPart returns the end of the part of a composite that begins at at.
func afterPart(at int, flags uint16) int {
	at += 6
	if flags&wordArgs != 0 {
		at += 2
	}
	switch {
	case flags&oneScale != 0:
		at += 2
	case flags&twoScales != 0:
		at += 4
	case flags&fullMatrix != 0:
		at += 8
	}
	return at
}

// unhinted returns a copy of g without instructions: a subset lacks the functions that
// they call.
func unhinted(g []byte) []byte {
	g = slices.Clone(g)
	if len(g) == 0 {
		return g
	}
	if !isComposite(g) {
		at := 10 + 2*int(binary.BigEndian.Uint16(g)) // after the ends of the contours
		n := int(binary.BigEndian.Uint16(g[at:]))
		g[at], g[at+1] = 0, 0
		return slices.Delete(g, at+2, at+2+n)
	}
	for at := 10; ; {
		flags := binary.BigEndian.Uint16(g[at:])
		binary.BigEndian.PutUint16(g[at:], flags&^hasHints)
		if at = afterPart(at, flags); flags&moreParts == 0 {
			return g[:at]
		}
	}
}

// A table is a part of a font file.
type table struct {
	tag  string
	data []byte
}

// assemble writes a font file of tables, which must be in order of their tags.
func assemble(tables []table) []byte {
	n := len(tables)
	power := 1
	for power*2 <= n {
		power *= 2
	}
	log := 0
	for 1<<(log+1) <= n {
		log++
	}
	out := []byte{0, 1, 0, 0}
	for _, v := range []int{n, 16 * power, log, 16 * (n - power)} {
		out = binary.BigEndian.AppendUint16(out, uint16(v))
	}
	at := len(out) + 16*n
	var body []byte
	adjust := 0
	for _, t := range tables {
		data := slices.Clone(t.data)
		if t.tag == "head" {
			adjust = at + len(body) + 8
			clear(data[8:12]) // checkSumAdjustment counts as 0
		}
		padded := append(data, make([]byte, -len(data)&3)...)
		out = append(out, t.tag...)
		for _, v := range []uint32{sum(padded), uint32(at + len(body)), uint32(len(data))} {
			out = binary.BigEndian.AppendUint32(out, v)
		}
		body = append(body, padded...)
	}
	out = append(out, body...)
	binary.BigEndian.PutUint32(out[adjust:], 0xB1B0AFBA-sum(out))
	return out
}

// sum adds up the words of b, whose length must be a multiple of four.
func sum(b []byte) (total uint32) {
	for i := 0; i < len(b); i += 4 {
		total += binary.BigEndian.Uint32(b[i:])
	}
	return total
}
