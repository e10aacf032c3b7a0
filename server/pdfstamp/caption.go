package pdfstamp

import (
	"errors"
	"fmt"
	"unicode/utf16"

	"tcode/offline/geometry"
	"tcode/offline/payload"
	"tcode/server/fault"
	"tcode/server/lettering"
)

// A lettered is a caption whose text is set: at most two lines.
type lettered struct {
	lines []lettering.Line
	block block
}

const (
	mmPerPt      = 25.4 / 72
	textMarginEm = 0.3 // left and right of the longest line
)

// letter sets the caption's lines. The error is a [*lettering.MissingError].
func (c *Caption) letter(r payload.Reference) (lettered, error) {
	var t lettered
	if c == nil {
		return t, nil
	}
	var texts, room []string // the lines, and those that the room is taken for
	if c.Text != "" {
		texts, room = append(texts, c.Text), append(room, c.Text)
	}
	if c.Reference {
		// All references take one room, or whether a stamp fits would depend on the one that it gets.
		texts, room = append(texts, r.String()), append(room, payload.Reference{}.String())
	}
	longest := 0.0
	for i, text := range texts {
		line, err := lettering.Shape(text)
		if err != nil {
			return t, err
		}
		t.lines = append(t.lines, line)
		longest = max(longest, line.Width)
		if line, err = lettering.Shape(room[i]); err != nil {
			return t, err
		}
		t.block.width = max(t.block.width, line.Width)
	}
	if t.block.width == 0 {
		return lettered{}, nil // nothing but characters without width
	}
	t.block.scale = min(1, (t.block.width+2*textMarginEm)/(longest+2*textMarginEm))
	t.block.width = (t.block.width + 2*textMarginEm) * mmPerPt
	t.block.height = float64(len(t.lines)) * lettering.Leading * mmPerPt
	return t, nil
}

// check refuses a caption that cannot be drawn, and names the character.
func (c *Caption) check() error {
	_, err := c.letter(payload.Reference{})
	if missing, ok := errors.AsType[*lettering.MissingError](err); ok {
		return fault.New(fault.Invalid, fault.CodeValidationFailed, "caption: %v", missing)
	}
	return err
}

// A typeface is the font of the captions of one revision. All pages share it.
type typeface struct {
	subset lettering.Subset
	ref    ref
}

// operators draws the lines of t into the caption's place of b, in mm of the
// upright box, and adds their glyphs to the font.
func (f *typeface) operators(out []byte, b box, c *Caption, t lettered, as name) []byte {
	em := b.place.FontPt * mmPerPt
	out = append(out, "BT "...)
	out = append(appendName(out, as), ' ')
	out = append(appendNumbers(out, em), "Tf "...)
	for i, line := range t.lines {
		x, slack := b.caption.left+textMarginEm*em, b.caption.width()-(line.Width+2*textMarginEm)*em
		switch c.Side {
		case geometry.LeftOf:
			x += slack
		case geometry.RightOf: // begins at the symbol
		default:
			x += slack / 2
		}
		y := b.caption.top - (float64(i)*lettering.Leading+lettering.Ascent)*em
		out = append(appendNumbers(out, 1, 0, 0, 1, x, y), "Tm "...)
		out = f.set(out, line, em)
	}
	return append(out, "ET "...)
}

// set draws line from the present position on.
func (f *typeface) set(out []byte, line lettering.Line, em float64) []byte {
	if !line.Marked {
		return f.show(out, line, em)
	}
	out = fmt.Appendf(out, "/Span<</ActualText<FEFF%s>>>BDC ", utf16Hex(line.Text))
	return append(f.show(out, line, em), "EMC "...)
}

// show draws the glyphs of line, each at its own position: the difference from the
// end of the glyph before is kerning, in thousandths of em.
func (f *typeface) show(out []byte, line lettering.Line, em float64) []byte {
	pen, rise, open := 0.0, 0.0, false
	for _, g := range line.Glyphs {
		code := f.subset.Code(g)
		if g.Y != rise {
			if open {
				out, open = append(out, "] TJ "...), false
			}
			out = append(appendNumbers(out, g.Y*em), "Ts "...)
			rise = g.Y
		}
		if !open {
			out, open = append(out, '['), true
		}
		if d := g.X - pen; d > 1e-6 || d < -1e-6 {
			out = appendNumbers(out, -1000*d)
		}
		out = fmt.Appendf(out, "<%04X>", code)
		pen = g.X + lettering.Advance(g)
	}
	if open {
		out = append(out, "] TJ "...)
	}
	if rise != 0 {
		out = append(out, "0 Ts "...)
	}
	return out
}

// write writes the font: a composite, embedded font whose codes are glyphs, with the
// text of each (ISO 32000-1, 9.7; ISO 19005-1, 6.3).
func (f *typeface) write(rev *revision) {
	file, descriptor, cid, texts, set := rev.alloc(), rev.alloc(), rev.alloc(), rev.alloc(), rev.alloc()
	font := f.subset.Font()
	head, data := deflated(font)
	head.set("Length1", len(font))
	rev.stream(file, head, data)
	base := name(f.subset.Name())
	widths := array{}
	for _, w := range f.subset.Widths() {
		widths = append(widths, 1000*w)
	}
	present := make([]byte, (len(widths)+7)/8)
	for i := range widths {
		present[i/8] |= 0x80 >> (i % 8)
	}
	rev.stream(set, newDict(), present)
	box := array{}
	for _, v := range lettering.Box {
		box = append(box, 1000*v)
	}
	rev.object(descriptor, entries(
		"Type", name("FontDescriptor"), "FontName", base, "Flags", 4, "FontBBox", box, "ItalicAngle", 0,
		"Ascent", 1000*lettering.Ascent, "Descent", -1000*lettering.Descent, "CapHeight", 729, "StemV", 90,
		"FontFile2", file, "CIDSet", set))
	rev.object(cid, entries(
		"Type", name("Font"), "Subtype", name("CIDFontType2"), "BaseFont", base,
		"CIDSystemInfo", entries("Registry", raw("(Adobe)"), "Ordering", raw("(Identity)"), "Supplement", 0),
		"CIDToGIDMap", name("Identity"), "FontDescriptor", descriptor, "W", array{0, widths}))
	head, data = deflated(toUnicode(f.subset.Texts()))
	rev.stream(texts, head, data)
	rev.object(f.ref, entries(
		"Type", name("Font"), "Subtype", name("Type0"), "BaseFont", base, "Encoding", name("Identity-H"),
		"DescendantFonts", array{cid}, "ToUnicode", texts))
}

// entries returns a dictionary of keys and values in turn.
func entries(kv ...any) *dict {
	d := newDict()
	for i := 0; i+1 < len(kv); i += 2 {
		key, _ := kv[i].(string)
		d.set(name(key), kv[i+1])
	}
	return d
}

// toUnicode returns the CMap from each code, starting at 1, to its text (ISO 32000-1,
// 9.10.3).
func toUnicode(texts []string) []byte {
	out := []byte("/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n" +
		"/CIDSystemInfo <</Registry (Adobe) /Ordering (UCS) /Supplement 0>> def\n" +
		"/CMapName /Adobe-Identity-UCS def\n/CMapType 2 def\n1 begincodespacerange\n<0000> <FFFF>\nendcodespacerange\n")
	const most = 100 // entries of a block
	for from := 0; from < len(texts); from += most {
		part := texts[from:min(from+most, len(texts))]
		out = fmt.Appendf(out, "%d beginbfchar\n", len(part))
		for i, t := range part {
			if t == "" {
				t = "\u200B" // a part of the glyph before; every code must stand for something
			}
			out = fmt.Appendf(out, "<%04X> <%s>\n", from+i+1, utf16Hex(t))
		}
		out = append(out, "endbfchar\n"...)
	}
	return append(out, "endcmap\nCMapName currentdict /CMap defineresource pop\nend\nend\n"...)
}

// utf16Hex returns text in UTF-16, most significant byte first, in hexadecimal.
func utf16Hex(text string) []byte {
	var out []byte
	for _, u := range utf16.Encode([]rune(text)) {
		out = fmt.Appendf(out, "%04X", u)
	}
	return out
}
