package caveat_test

import (
	"fmt"
	"strings"
	"testing"

	"tcode/scanner/caveat"
)

// fonts are the objects 30 to 35: fonts of Acrobat, one with digits in another order, and embedded ones.
const fonts = `
30 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding<</Type/Encoding/Differences[24/breve/caron 228/adieresis 160/Euro]>>>>endobj
31 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding<</Differences[49/nine]>>>>endobj
32 0 obj<</Type/Font/Subtype/TrueType/BaseFont/Arial/FontDescriptor 33 0 R/Encoding/WinAnsiEncoding>>endobj
33 0 obj<</Type/FontDescriptor/Flags 32/FontFile2 4 0 R>>endobj
34 0 obj<</Type/Font/Subtype/Type1/BaseFont/Wingdings>>endobj
`

// field returns a document with the field 20, which has entries and the appearance drawn
// in a box of 200 by 20.
func field(entries, drawn string) string { return fieldOf(entries, "", drawn) }

func fieldOf(entries, box, drawn string) string {
	if box == "" {
		box = "/BBox[0 0 200 20]"
	}
	return filed(body + fonts + fmt.Sprintf(`
20 0 obj<</Subtype/Widget/T(amount)/Rect[50 50 250 70]/F 4/P 3 0 R/AP<</N 21 0 R>>%s>>endobj
21 0 obj<</Subtype/Form%s/Resources<</Font<</H 30 0 R/D 31 0 R/E 32 0 R/W 34 0 R>>/XObject<</X 22 0 R>>>>/Length %d>>stream
%s
endstream endobj
22 0 obj<</Subtype/Form/BBox[0 0 9 9]/Length 1>>stream
n
endstream endobj
`, entries, box, len(drawn), drawn))
}

// tx returns the appearance of s as programs write it.
func tx(s string) string {
	return "q 1 g 0 0 200 20 re f 0.5 G 0.5 0.5 199 19 re s Q /Tx BMC q 1 1 198 18 re W n BT /H 12 Tf 0 g 2 5 Td " + s + " ET Q EMC"
}

// TestFields: fields that show the text that they hold have no caveat; all others have one
// with their name.
func TestFields(t *testing.T) {
	t.Parallel()
	const is, not = "", "fields"
	for _, tt := range []struct{ name, file, want string }{
		{"same", field("/FT/Tx/V(900)", tx("(900) Tj")), is},
		{"lines over each other", field("/FT/Tx/Ff 4096/V(one\rtwo  three)", tx("(one two) Tj 0 -4 Td (three) Tj")), not},
		{"lines", fieldOf("/FT/Tx/Ff 4096/V(one\rtwo  three)", "", "BT /H 6 Tf 2 13 Td 7 TL (one) Tj (two three) ' ET"), is},
		{"UTF-16", field("/FT/Tx/V<FEFF003900300030>", tx("[(9)-20(0)(0)]TJ")), is},
		{"UTF-8", field("/FT/Tx/V<EFBBBFC3A4>", tx("(\344) Tj")), is},
		{"PDFDocEncoding", field("/FT/Tx/V(5 \240)", tx("(5 \240) Tj")), is},
		{"no type, no value", field("/Parent 23 0 R", tx("(900) Tj")), not},
		{"value of the parent", parent("/FT/Tx/V(900)", "(900) Tj"), is},
		{"other value of the parent", parent("/FT/Tx/V(900)", "(100) Tj"), not},
		{"choice", field("/FT/Ch/Ff 131072/V(b)/Opt[(a)[(b)(Berlin)]]", tx("(Berlin) Tj")), is},
		{"another choice", field("/FT/Ch/Ff 131072/V(a)/Opt[(a)[(b)(Berlin)]]", tx("(Berlin) Tj")), not},
		{"empty", field("/FT/Tx/V()", "/Tx BMC EMC"), is},
		{"empty, with a border", field("/FT/Tx", "0 0 200 20 re s"), is},
		{"comb", field("/FT/Tx/Ff 16777216/V(12)", "100 0 m 100 20 l s BT /H 9 Tf 50 5 Td (1) Tj 100 0 Td (2) Tj ET"), is},
		{"bar in a field that is no comb", field("/FT/Tx/V(12)", "100 0 m 100 20 l s BT /H 9 Tf 50 5 Td (1) Tj 100 0 Td (2) Tj ET"), not},
		{"password", field("/FT/Tx/Ff 8192/V(secret)", tx("(******) Tj")), is},
		{"hidden", edited(field("/FT/Tx/V(900)", tx("(100) Tj")), "70]/F 4", "70]/F 2"), is},
		{"box ticked", field("/FT/Btn/V/Yes/AS/Yes", "n"), is},

		{"another value", field("/FT/Tx/V(900)", tx("(100) Tj")), not},
		{"value and no text", field("/FT/Tx/V(900)", tx("")), not},
		{"text and no value", field("/FT/Tx", tx("(100) Tj")), not},
		{"no picture", edited(field("/FT/Tx/V(900)", ""), "/AP<</N 21 0 R>>", ""), not},
		{"no type", field("/V(900)", tx("(100) Tj")), not},
		{"value is a stream", field("/FT/Tx/V 21 0 R", tx("(100) Tj")), not},
		{"digits that changed places", field("/FT/Tx/V(100)", strings.Replace(tx("(100) Tj"), "/H", "/D", 1)), not},
		{"font brought along", field("/FT/Tx/V(900)", strings.Replace(tx("(900) Tj"), "/H", "/E", 1)), not},
		{"font of signs", field("/FT/Tx/V(900)", strings.Replace(tx("(900) Tj"), "/H", "/W", 1)), not},
		{"no font", field("/FT/Tx/V(900)", strings.Replace(tx("(900) Tj"), "/H", "/Q", 1)), not},
		{"invisible", field("/FT/Tx/V(900)", tx("3 Tr (900) Tj")), not},
		{"white", field("/FT/Tx/V(900)", tx("1 g (900) Tj")), not},
		{"white, after a black strip", field("/FT/Tx/V(900)", "0 g 0 0 m 200 0 l 200 1 l 0 1 l f BT /H 9 Tf 1 g 2 5 Td (900) Tj ET"), not},
		{"tiny", field("/FT/Tx/V(900)", tx("/H 1 Tf (900) Tj")), not},
		{"below the edge", field("/FT/Tx/V(900)", tx("0 -40 Td (900) Tj")), not},
		{"half of it cut off", field("/FT/Tx/V(1009)", "q 0 0 22 20 re W n BT /H 12 Tf 2 5 Td (1009) Tj ET Q"), not},
		{"in another order", field("/FT/Tx/V(19)", tx("40 0 Td (1) Tj -20 0 Td (9) Tj")), not},
		{"in another order by gaps", field("/FT/Tx/V(19)", tx("20 0 Td [(1)3000(9)]TJ")), not},
		{"painted over", field("/FT/Tx/V(900)", tx("(900) Tj")+" 1 g 0 0 200 20 re f"), not},
		{"painted over in part", field("/FT/Tx/V(900)", tx("(900) Tj")+" 1 g 2 2 8 16 re f"), not},
		{"digits drawn as lines", field("/FT/Tx/V(00)", tx("10 0 Td (00) Tj")+" 5 5 m 5 15 l s"), not},
		{"painted over by a border", field("/FT/Tx/V(900)", tx("(900) Tj")+" 1 G 40 w 0 0 200 20 re S"), not},
		{"upside down", fieldOf("/FT/Tx/V(600)", "/BBox[0 0 200 20]/Matrix[-1 0 0 -1 0 0]", tx("(600) Tj")), not},
		{"turned text", field("/FT/Tx/V(600)", "BT /H 12 Tf -1 0 0 -1 40 15 Tm (600) Tj ET"), not},
		{"squeezed", fieldOf("/FT/Tx/V(900)", "/BBox[0 0 2000 20]", tx("(900) Tj")), not},
		{"another form in it", field("/FT/Tx/V(900)", tx("(900) Tj")+" /X Do"), not},
		{"layer in it", field("/FT/Tx/V(900)", strings.Replace(tx("(900) Tj"), "/Tx BMC", "/OC /M BDC", 1)), not},
		{"grammar", field("/FT/Tx/V(900)", tx("(900) Tj")+" ]"), not},
		{"list", field("/FT/Ch/V(a)/Opt[(a)(b)]", tx("(a) Tj 0 -14 Td (b) Tj")), not},
		{"box ticked that shows nothing", edited(field("/FT/Btn/V/Yes/AS/Off", "n"), "/N 21 0 R", "/N<</Yes 21 0 R>>"), not},
		{"box not ticked that shows a tick", edited(field("/FT/Btn/V/Off/AS/Yes", "n"), "/N 21 0 R", "/N<</Yes 21 0 R>>"), not},
	} {
		got := caveat.Of([]byte(tt.file))
		var all []string
		for _, c := range got {
			all = append(all, c.Code)
		}
		if codes := strings.Join(all, " "); codes != tt.want {
			t.Errorf("%s: caveats %q, want %q: %v\n%s", tt.name, codes, tt.want, got, tt.file)
		} else if codes == not && !strings.Contains(got[0].Text, "amount") {
			t.Errorf("%s: %q does not name the field", tt.name, got[0].Text)
		}
	}
}

// parent returns a document with a field whose widget inherits its value.
func parent(entries, drawn string) string {
	return edited(edited(field("/Parent 23 0 R", tx(drawn)), "/T(amount)", ""), "22 0 obj", "23 0 obj<</T(amount)/Kids[20 0 R]"+entries+">>endobj\n22 0 obj")
}

// edited returns a file of filed with one part of it replaced.
func edited(file, from, to string) string {
	return filed(strings.Replace(file[:strings.Index(file, "xref\n0 1")], from, to, 1))
}

// TestMarkers: a highlight that print leaves out is ordinary, unless it has a text of its
// own.
func TestMarkers(t *testing.T) {
	t.Parallel()
	const area = "q /G gs 1 1 0 rg 0 2 m 60 2 l 63 8 63 8 60 14 c 0 14 l -3 8 -3 8 0 2 c h f Q"
	marker := func(kind, drawn, gs string) string {
		return filed(body + fmt.Sprintf(`
20 0 obj<</Subtype/%s/Rect[50 50 110 64]/QuadPoints[50 64 110 64 50 52 110 52]/AP<</N 21 0 R>>>>endobj
21 0 obj<</Subtype/Form/BBox[0 0 60 14]/Resources<</ExtGState<</G<<%s>>>>/Font<</H 22 0 R>>>>/Length %d>>stream
%s
endstream endobj
22 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj
`, kind, gs, len(drawn), drawn))
	}
	for _, tt := range []struct{ name, file, want string }{
		{"highlight", marker("Highlight", area, "/BM/Multiply"), ""},
		{"translucent", marker("Highlight", area, "/ca 0.4"), ""},
		{"form in a form", edited(edited(marker("Highlight", "/G gs /X Do", "/BM/Multiply"), "/Font<<", "/XObject<</X 23 0 R>>/Font<<"), "22 0 obj",
			"23 0 obj<</Subtype/Form/BBox[50 50 110 64]/Matrix[1 0 0 1 -50 -50]/Length 33>>stream\n1 1 0 rg 50 52 60 12 re f        \nendstream endobj\n22 0 obj"), ""},
		{"nothing drawn", marker("Text", "q Q", ""), ""},
		{"underline", marker("Underline", "0 0 1 RG 1 w 0 3 m 60 3 l S", ""), ""},
		{"opaque", marker("Highlight", area, ""), "screen_only"},
		{"dark", marker("Highlight", strings.Replace(area, "1 1 0", "0 0 0", 1), "/BM/Multiply"), "screen_only"},
		{"with text", marker("Highlight", area+" BT /H 12 Tf (9) Tj ET", "/BM/Multiply"), "screen_only"},
		{"digit as an area", marker("Highlight", "q /G gs 1 1 0 rg 3 2 2 12 re f Q", "/BM/Multiply"), "screen_only"},
		{"mask", marker("Highlight", area, "/BM/Multiply/SMask<<>>"), "screen_only"},
		{"line through", marker("Underline", "0 0 1 RG 1 w 0 8 m 60 8 l S", ""), "screen_only"},
		{"white area", marker("Stamp", "1 g 0 0 60 14 re f", ""), "screen_only"},
		{"border", marker("Stamp", "0 0 60 14 re S", ""), ""},
		{"stamp", marker("Stamp", area, "/BM/Multiply"), "screen_only"},
		{"note with an icon", marker("Text", "0 0 9 9 re f", ""), "screen_only"},
		{"link with a picture", marker("Link", "9 9 5 5 re f", ""), "ambiguous"},
		{"link with a border", marker("Link", "n", ""), ""},
		{"unknown kind", marker("Note", "9 9 5 5 re f", ""), "ambiguous"},
		{"states, none chosen", edited(marker("Stamp", "n", ""), "/N 21 0 R>>", "/N<</A 21 0 R>>>>"), "ambiguous"},
	} {
		if got := codes([]byte(tt.file)); got != tt.want {
			t.Errorf("%s: caveats %q, want %q: %v\n%s", tt.name, got, tt.want, caveat.Of([]byte(tt.file)), tt.file)
		}
	}
}
