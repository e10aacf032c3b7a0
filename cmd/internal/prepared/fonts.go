package prepared

import "fmt"

// written returns a page that shows text, PDF syntax of a string, with font G,
// whose objects begin at 10.
func written(text string, more objects) []byte {
	return doc{fonts: "/G 10 0 R", contents: "BT /G 24 Tf 72 720 Td " + text + " Tj ET", more: more}.pdf()
}

const (
	// glyphsOf is "Pay 100 " as numbers of glyphs of Arial, unicodes as UTF-16.
	glyphsOf   = "<00330044005c00030014001300130003>"
	unicodes   = "<00500061007900200031003000300020>"
	descriptor = "<</Type/FontDescriptor/FontName/Arial/Flags 4/FontBBox[0 0 1000 1000]/ItalicAngle 0/Ascent 800/Descent -200/CapHeight 700/StemV 80"
)

// composite returns a font with two bytes a character that is not embedded,
// unless its entries say otherwise.
func composite(text, base, encoding, kind, system, more string, others objects) []byte {
	all := objects{
		10: "<</Type/Font/Subtype/Type0/BaseFont/" + base + "/Encoding" + encoding + "/DescendantFonts[11 0 R]>>",
		11: "<</Type/Font/Subtype/" + kind + "/BaseFont/" + base + "/CIDSystemInfo<<" + system + "/Supplement 0>>/FontDescriptor 12 0 R" + more + ">>",
		12: descriptor + ">>",
		13: stream("", toUnicode),
		14: stream("/Type/CMap/CMapName/A", identityCMap),
		15: stream("", swapped()),
	}
	for n, body := range others {
		all[n] = body
	}
	return written(text, all)
}

const (
	toUnicode    = "/CIDInit /ProcSet findresource begin 12 dict begin begincmap 1 begincodespacerange <0000> <ffff> endcodespacerange 3 beginbfchar <0014> <0039> <0033> <0050> <0013> <0030> endbfchar endcmap end end"
	identityCMap = "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /A def 1 begincodespacerange <0000> <ffff> endcodespacerange 1 begincidrange <0000> <00ff> 0 endcidrange endcmap end end"
)

// swapped returns a CIDToGIDMap of 256 characters in which 1 is 9.
func swapped() string {
	var m []byte
	for i := range 256 {
		if i == 0x14 {
			i = 0x1c
		}
		m = append(m, 0, byte(i))
	}
	return string(m)
}

func fonts() []variant {
	const identity = "/Registry(Adobe)/Ordering(Identity)"
	var out []variant
	for _, base := range []string{"Arial", "Helvetica", "ABCDEF+Arial", "Unknown", "TimesNewRoman", "SimSun", "Symbol"} {
		for _, kind := range []string{"CIDFontType2", "CIDFontType0"} {
			out = append(out, variant{fmt.Sprintf("composite/%s-%s", base, kind), composite(glyphsOf, base, "/Identity-H", kind, identity, "/DW 600", nil)})
		}
	}
	of := func(name, text, encoding, system, more string, others objects) {
		out = append(out, variant{"composite/" + name, composite(text, "Arial", encoding, "CIDFontType2", system, more, others)})
	}
	of("identity-v", glyphsOf, "/Identity-V", identity, "/DW 600", nil)
	of("unicode", unicodes, "/UniGB-UTF16-H", "/Registry(Adobe)/Ordering(GB1)", "/DW 600", nil)
	of("unicode-japan", unicodes, "/UniJIS-UTF16-H", "/Registry(Adobe)/Ordering(Japan1)", "/DW 600", nil)
	of("ordering-japan", glyphsOf, "/Identity-H", "/Registry(Adobe)/Ordering(Japan1)", "/DW 600", nil)
	of("ordering-ucs", unicodes, "/Identity-H", "/Registry(Adobe)/Ordering(UCS)", "/DW 600", nil)
	of("ordering-none", unicodes, "/Identity-H", "", "/DW 600", nil)
	of("encoding-unknown", glyphsOf, "/Acme-H", identity, "/DW 600", nil)
	of("encoding-winansi", "(Pay 100 EUR)", "/WinAnsiEncoding", identity, "/DW 600", nil)
	of("encoding-stream", glyphsOf, " 14 0 R", identity, "/DW 600", nil)
	of("encoding-missing", glyphsOf, " null", identity, "/DW 600", nil)
	of("to-gid-identity", glyphsOf, "/Identity-H", identity, "/DW 600/CIDToGIDMap/Identity", nil)
	of("to-gid-stream", glyphsOf, "/Identity-H", identity, "/DW 600/CIDToGIDMap 15 0 R", nil)
	of("to-gid-unknown", glyphsOf, "/Identity-H", identity, "/DW 600/CIDToGIDMap/Acme", nil)
	of("width-zero", unicodes, "/UniGB-UTF16-H", "/Registry(Adobe)/Ordering(GB1)", "/DW 0", nil)
	of("widths-reversed", unicodes, "/UniGB-UTF16-H", "/Registry(Adobe)/Ordering(GB1)", "/W[90 10 600]", nil)
	of("descendants-direct", glyphsOf, "/Identity-H", identity, "/DW 600", objects{10: "<</Type/Font/Subtype/Type0/BaseFont/Arial/Encoding/Identity-H/DescendantFonts 11 0 R>>"})
	of("descendants-none", glyphsOf, "/Identity-H", identity, "", objects{10: "<</Type/Font/Subtype/Type0/BaseFont/Arial/Encoding/Identity-H/DescendantFonts[]>>"})
	of("to-unicode", glyphsOf, "/Identity-H", identity, "/DW 600", objects{10: "<</Type/Font/Subtype/Type0/BaseFont/Arial/Encoding/Identity-H/DescendantFonts[11 0 R]/ToUnicode 13 0 R>>"})
	for _, file := range []string{"FontFile", "FontFile2", "FontFile3"} {
		for name, data := range map[string]string{"empty": "", "garbage": "no font at all", "truncated": "\x00\x01\x00\x00\x00\x09\x00\x80\x00\x03\x00\x10"} {
			out = append(out, variant{"composite/broken-" + file + "-" + name, composite(glyphsOf, "Arial", "/Identity-H", "CIDFontType2", identity, "/DW 600",
				objects{12: descriptor + "/" + file + " 16 0 R>>", 16: stream("/Subtype/CIDFontType0C", data)})})
		}
	}
	sortByName(out[len(out)-9:])
	return append(append(out, drawnFonts()...), boxedFonts()...)
}

// drawnFonts are Type 3 fonts, whose characters are contents. The first digit
// is a block, which no viewer draws for any digit.
func drawnFonts() []variant {
	const one, nine = "600 0 0 0 600 700 d1 50 0 500 700 re f", "600 0 0 0 600 700 d1 100 350 400 350 re f 400 0 100 400 re f"
	of := func(name, entries, glyph string) variant {
		return variant{"drawn/" + name, doc{
			fonts: "/G 10 0 R", contents: "BT /F 24 Tf 72 720 Td (Pay ) Tj /G 24 Tf (1) Tj /F 24 Tf (00 EUR) Tj ET",
			more: objects{
				10: "<</Type/Font/Subtype/Type3/FontBBox[0 0 600 700]/FirstChar 49/LastChar 49/Widths[600]/CharProcs<</one 11 0 R/nine 12 0 R>>" + entries + ">>",
				11: stream("", glyph), 12: stream("", nine),
			},
		}.pdf()}
	}
	const usual = "/FontMatrix[.001 0 0 .001 0 0]/Encoding<</Differences[49/one]>>"
	return []variant{
		of("usual", usual, one),
		of("no-encoding", "/FontMatrix[.001 0 0 .001 0 0]", one),
		of("encoding-name", "/FontMatrix[.001 0 0 .001 0 0]/Encoding/WinAnsiEncoding", one),
		of("encoding-base", "/FontMatrix[.001 0 0 .001 0 0]/Encoding<</BaseEncoding/WinAnsiEncoding>>", one),
		of("encoding-twice", "/FontMatrix[.001 0 0 .001 0 0]/Encoding<</Differences[49/one 49/nine]>>", one),
		of("no-matrix", "/Encoding<</Differences[49/one]>>", one),
		of("flat-matrix", "/FontMatrix[.001 0 0 0 0 0]/Encoding<</Differences[49/one]>>", one),
		of("short-matrix", "/FontMatrix[.001 0 0 .001]/Encoding<</Differences[49/one]>>", one),
		of("no-width", usual, "50 0 500 700 re f"),
		of("colour-with-d1", usual, "600 0 0 0 600 700 d1 1 g 50 0 500 700 re f"),
		of("colour-with-d0", usual, "600 0 d0 1 g 50 0 500 700 re f"),
		of("empty-box", usual, "600 0 0 0 0 0 d1 50 0 500 700 re f"),
		of("late-d1", usual, "1 g 600 0 0 0 600 700 d1 50 0 500 700 re f"),
		of("missing-glyph", "/FontMatrix[.001 0 0 .001 0 0]/Encoding<</Differences[49/two]>>", one),
		of("calls-itself", usual+"/Resources<</Font<</F 10 0 R>>>>", "600 0 d0 BT /F 900 Tf (1) Tj ET 50 0 500 700 re f"),
		of("text-of-page", usual, "600 0 d0 BT /F 1000 Tf (9) Tj ET"),
		of("unbalanced", usual, "600 0 d0 q Q Q Q 50 0 500 700 re f"),
		of("moves", usual, "600 0 d0 1 0 0 1 0 -9000 cm 50 0 500 700 re f"),
	}
}
