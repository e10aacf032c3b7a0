package prepared

import (
	"slices"
	"strings"
)

func sortByName(list []variant) {
	slices.SortFunc(list, func(a, b variant) int { return strings.Compare(a.name, b.name) })
}

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
	const helvetica = "/Subtype/Type1/BaseFont/Helvetica"
	out := append(madeOf("encodings", makers{"simple": simple}), []variant{
		simple("name/expert", helvetica+"/Encoding/MacExpertEncoding"),
		simple("encoding/unknown", helvetica+"/Encoding/AcmeEncoding"),
		simple("encoding/pdfdoc", helvetica+"/Encoding/PDFDocEncoding"),
		simple("encoding/symbol", helvetica+"/Encoding/SymbolEncoding"),
		simple("encoding/identity", helvetica+"/Encoding/Identity-H"),
		simple("encoding/expert-base", helvetica+"/Encoding<</BaseEncoding/MacExpertEncoding>>"),
		simple("encoding/string", helvetica+"/Encoding(MacExpertEncoding)"),
		simple("encoding/array", helvetica+"/Encoding[49/nine]"),
		simple("encoding/unicode-says-nine", helvetica+"/ToUnicode 13 0 R"),
		simple("encoding/unicode-identity", helvetica+"/ToUnicode/Identity-H"),
		simple("differences/reference", helvetica+"/Encoding 16 0 R"),
		simple("differences/array-reference", helvetica+"/Encoding<</Differences 15 0 R>>"),
		simple("differences/no-number", helvetica+"/Encoding<</Differences[/nine]>>"),
		simple("differences/real", helvetica+"/Encoding<</Differences[49.9/nine]>>"),
		simple("differences/negative", helvetica+"/Encoding<</Differences[-207/nine]>>"),
		simple("differences/wrapped", helvetica+"/Encoding<</Differences[305/nine]>>"),
		simple("differences/string", helvetica+"/Encoding<</Differences[49(nine)]>>"),
		simple("differences/null", helvetica+"/Encoding<</Differences[48 null/nine]>>"),
		simple("differences/twice", helvetica+"/Encoding<</Differences[49/one 49/nine]>>"),
		simple("differences/back", helvetica+"/Encoding<</Differences[49/nine 48/zero/one]>>"),
		simple("differences/nested", helvetica+"/Encoding<</Differences[49[/nine]]>>"),
		simple("differences/dictionary", helvetica+"/Encoding<</Differences<</49/nine>>>>"),
		simple("widths/negative", helvetica+"/FirstChar 49/LastChar 49/Widths[-600]"),
		simple("widths/huge", helvetica+"/FirstChar 49/LastChar 49/Widths[9000]"),
		simple("widths/zero", helvetica+"/FirstChar 0/LastChar 255/Widths["+strings.Repeat("0 ", 256)+"]"),
		simple("widths/short", helvetica+"/FirstChar 32/LastChar 255/Widths[600]"),
		simple("widths/no-first", helvetica+"/Widths[900 900 900]"),
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
