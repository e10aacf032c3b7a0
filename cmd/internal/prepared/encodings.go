package prepared

import (
	"slices"
	"strings"
)

func sortByName(list []variant) {
	slices.SortFunc(list, func(a, b variant) int { return strings.Compare(a.name, b.name) })
}

// helvetica is a font that is not embedded.
const helvetica = "/Subtype/Type1/BaseFont/Helvetica"

// encodings are simple fonts that are not embedded. Their encoding maps the
// code of one to something else, or in an unusual form.
func encodings() []variant {
	simple := func(name, entries string) variant {
		return variant{name, written("(Pay 100 EUR)", objects{
			10: "<</Type/Font" + entries + ">>", 12: descriptor + ">>", 13: stream("", strings.ReplaceAll(toUnicode, "<0014>", "<31>")),
			14: "<</Type/FontDescriptor/FontName/Arial/Flags 32/FontBBox[0 0 1000 1000]/ItalicAngle 0/Ascent 800/Descent -200/CapHeight 700/StemV 80/MissingWidth 600>>",
			15: "[49/nine]", 16: "<</Differences[49/nine]>>",
		})}
	}
	out := append(madeOf("encodings", makers{"simple": simple}), []variant{
		simple("widths/zero", helvetica+"/FirstChar 0/LastChar 255/Widths["+strings.Repeat("0 ", 256)+"]"),
	}...)
	// Some viewers draw these glyph names as nine, some as one, some not at all.
	for _, g := range []string{
		"nine", "g57", "G39", "uni0039", "u0039", "u00039", "cid57", "a57", "c57", "char57", "C0039", "nine.alt", "nine_one", ".notdef", "57", "#39",
		"uni00390030", "nineinferior", "ninesuperior", "Nine", "nine#20", "index57", "glyph28", "afii57", "uniF739", "nineoldstyle", "space", "SPC0039", "x39", "H39", "",
	} {
		name := strings.NewReplacer("#", "hex-", ".", "dot-").Replace(g)
		out = append(out, simple("glyph/"+name, helvetica+"/Encoding<</Differences[49/"+g+"]>>"))
	}
	return out
}
