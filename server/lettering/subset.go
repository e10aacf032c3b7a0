package lettering

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
)

// A Subset is the part of the font that some lines use. Its zero value is
// empty. Glyphs get new numbers, in the order of their use. A shape with
// two texts has two numbers, so that the shown text can always be read
// back.
type Subset struct {
	glyphs []Glyph // without 0, the glyph for missing characters
	codes  map[Glyph]uint16
}

// Code returns the number of g in the subset, from 1, and adds g if it is not there.
func (s *Subset) Code(g Glyph) uint16 {
	g.X, g.Y = 0, 0
	if code, ok := s.codes[g]; ok {
		return code
	}
	if s.codes == nil {
		s.codes = map[Glyph]uint16{}
	}
	s.glyphs = append(s.glyphs, g)
	s.codes[g] = uint16(len(s.glyphs))
	return s.codes[g]
}

// Texts returns the text of each code, from code 1 on; "" means no text of its
// own.
func (s *Subset) Texts() []string {
	out := make([]string, len(s.glyphs))
	for i, g := range s.glyphs {
		out[i] = g.text
	}
	return out
}

// Widths returns the width of each glyph of [Subset.Font] in em, from code 0
// on.
func (s *Subset) Widths() []float64 {
	ids := s.ids()
	out := make([]float64, len(ids))
	for i, id := range ids {
		out[i] = float64(source().advance(id)) / unitsPerEm
	}
	return out
}

// Name returns the font's name with a tag that identifies the subset (ISO 32000-1, 9.6.4):
// six letters computed from the glyphs.
func (s *Subset) Name() string {
	h := sha256.New()
	for _, g := range s.glyphs {
		h.Write(binary.BigEndian.AppendUint16(nil, g.id))
		h.Write([]byte(g.text + "\x00"))
	}
	tag := h.Sum(nil)[:6]
	for i := range tag {
		tag[i] = 'A' + tag[i]%26
	}
	return string(tag) + "+DejaVuSans"
}

// ids returns the glyphs of the subset's font by their number in the whole font: first
// those with a code, then the parts of composites.
func (s *Subset) ids() []uint16 {
	ids := make([]uint16, 1, len(s.glyphs)+1)
	for _, g := range s.glyphs {
		ids = append(ids, g.id)
	}
	for i := 0; i < len(ids); i++ {
		for at := range components(source().glyph(ids[i])) {
			id := binary.BigEndian.Uint16(source().glyph(ids[i])[at:])
			if !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// Font returns the subset as a TrueType font without hints, for a CIDFontType2
// with the identity as its map (ISO 32000-1, 9.9): glyph n is code n.
func (s *Subset) Font() []byte {
	src, ids := source(), s.ids()
	var glyf, loca, hmtx []byte
	for _, id := range ids {
		loca = binary.BigEndian.AppendUint32(loca, uint32(len(glyf)))
		g := unhinted(src.glyph(id))
		for at := range components(g) {
			binary.BigEndian.PutUint16(g[at:], uint16(slices.Index(ids, binary.BigEndian.Uint16(g[at:]))))
		}
		glyf = append(glyf, g...)
		glyf = append(glyf, make([]byte, -len(g)&3)...)
		hmtx = append(hmtx, src.metric(id)...)
	}
	loca = binary.BigEndian.AppendUint32(loca, uint32(len(glyf)))
	n := uint16(len(ids))
	return assemble([]table{
		{"glyf", glyf},
		{"head", with16(src.tables["head"], 50, 1)}, // long offsets in loca
		{"hhea", with16(src.tables["hhea"], 34, n)},
		{"hmtx", hmtx},
		{"loca", loca},
		{"maxp", with16(bare(src.tables["maxp"]), 4, n)},
	})
}

// with16 returns a copy of b with v at offset at.
func with16(b []byte, at int, v uint16) []byte {
	b = slices.Clone(b)
	binary.BigEndian.PutUint16(b[at:], v)
	return b
}

// bare returns maxp without entries for hints: zones 1, all else 0.
func bare(maxp []byte) []byte {
	b := with16(maxp, 14, 1)
	clear(b[16:28])
	return b
}
