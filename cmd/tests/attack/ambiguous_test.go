package attack_test

import (
	"bytes"
	"fmt"
	"strings"

	"tcode/cmd/internal/world"
)

// inserted puts text that nothing refers to before the cross-reference of a
// sheet, and more entries into its trailer.
func inserted(text func(at int) string, trailer func(at int) string) func([]byte) []byte {
	return func(file []byte) []byte {
		x := bytes.LastIndex(file, []byte("\nxref\n")) + 1
		more := text(x)
		table := strings.Replace(string(file[x:]), "/Root", trailer(x)+"/Root", 1)
		table = strings.Replace(table, fmt.Sprintf("startxref\n%d", x), fmt.Sprintf("startxref\n%d", x+len(more)), 1)
		return append(append(bytes.Clone(file[:x]), more...), table...)
	}
}

func always(text string) func(int) string { return func(int) string { return text } }

// replaced changes a sheet while it is made.
func replaced(from, to string) func([]byte) []byte {
	return func(file []byte) []byte { return bytes.Replace(file, []byte(from), []byte(to), 1) }
}

const (
	otherContents = "4 0 obj\n<</Length 41>>stream\n" + otherText + "\nendstream\nendobj\n"
	pageEntries   = "/Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F 5 0 R>>>>"
)

// hybrid has object 4 once in the table and once in a cross-reference stream,
// which programs from before PDF 1.5 do not read (ISO 32000-1, 7.5.8.4).
func hybrid(at int) string {
	x := at + len(otherContents)
	entries := string([]byte{1, byte(at >> 8), byte(at), 0})
	return otherContents + fmt.Sprintf("40 0 obj\n<</Type/XRef/Size 200/W[1 2 1]/Index[4 1]/Length %d>>stream\n%s\nendstream\nendobj\n%% %d\n", len(entries), entries, x)
}

// ambiguousAttacks are prepared too: programs that follow different parts of
// the standard, or repair errors differently, show different things.
var ambiguousAttacks = []attack{
	{name: "object twice, told by the table", original: world.Sheet{Then: inserted(always(otherContents), always(""))}, want: "match", caveats: "ambiguous"},
	{name: "object twice, with an end between them", original: world.Sheet{Then: inserted(always("startxref\n3\n%%EOF\n"+otherContents), always(""))}, want: "match", caveats: "ambiguous"},
	{name: "object twice, one of them packed", original: world.Sheet{More: world.Objects{10: world.Stream("/Type/ObjStm/N 1/First 4", "5 0 <</Type/Font/Subtype/Type1/BaseFont/Symbol>>")}}, want: "match", caveats: "ambiguous"},
	{name: "object of another generation", original: world.Sheet{More: world.Objects{3: "<<" + pageEntries + "/Contents 4 1 R>>"}, Then: inserted(always(strings.Replace(otherContents, "4 0", "4 1", 1)), always(""))}, want: "match", caveats: "ambiguous"},
	{name: "table and stream disagree", original: world.Sheet{Then: inserted(hybrid, func(at int) string { return fmt.Sprintf("/XRefStm %d", at+len(otherContents)) })}, want: "match", caveats: "ambiguous"},
	{name: "offsets from the header and from the first byte", original: world.Sheet{Before: " \n"}, want: "match", caveats: "ambiguous"},
	{name: "byte order mark before the header", original: world.Sheet{Before: "\xef\xbb\xbf"}, want: "match", caveats: "ambiguous"},
	{name: "contents longer than they say", original: world.Sheet{More: world.Objects{4: "<</Length 41>>stream\n" + world.SheetText + "% 0 0 m " + otherText + "\nendstream"}}, want: "match", caveats: "ambiguous"},
	{name: "contents longer than another object says", original: world.Sheet{More: world.Objects{4: "<</Length 10 0 R>>stream\n" + world.SheetText + "  " + otherText + "\nendstream", 10: "41"}}, want: "match", caveats: "ambiguous"},
	{name: "contents of no length", original: world.Sheet{More: world.Objects{4: "<<>>stream\n" + world.SheetText + "\nendstream"}}, want: "match", caveats: "ambiguous"},
	{name: "contents behind half a line end", original: world.Sheet{More: world.Objects{4: fmt.Sprintf("<</Length %d>>stream\r%s\nendstream", len(world.SheetText), world.SheetText)}}, want: "match", caveats: "ambiguous"},
	{name: "page without a number", original: world.Sheet{More: world.Objects{2: "<</Type/Pages/Kids[3 0 R<<" + pageEntries + "/Contents 10 0 R>>]/Count 2>>", 10: world.Stream("", otherText)}}, want: "match", caveats: "ambiguous"},
	{name: "more pages counted than there are", original: world.Sheet{More: world.Objects{2: "<</Type/Pages/Kids[3 0 R]/Count 2>>"}}, want: "match", caveats: "ambiguous"},
	{name: "page that is not there", original: world.Sheet{More: world.Objects{2: "<</Type/Pages/Kids[3 0 R 50 0 R]/Count 2>>"}}, want: "match", caveats: "ambiguous"},
	{name: "script after a word that looks so", original: world.Sheet{Catalog: "/A 1 xstream/OpenAction<</S/JavaScript/JS(x)>>"}, want: "match", caveats: "ambiguous"},
	{name: "script in a second value", original: world.Sheet{More: world.Objects{10: "<<>> <</S/JavaScript/JS(x)>>"}}, want: "match", caveats: "ambiguous"},
	{name: "script behind a string of an object stream", original: world.Sheet{More: world.Objects{10: "<</Type/ObjStm/N 1/First 5/Length 11 0 R>>stream\n12 0 <</A(endstream)/S/JavaScript/JS(x)>>\nendstream", 11: "41"}}, want: "match", caveats: "not_examined"},
	{name: "script in a trailer behind an entry", original: world.Sheet{Then: func(file []byte) []byte {
		return replaced(" n \ntrailer\n<<", " n..trailer\n<</X<</S/JavaScript/JS(x)>>")(file)
	}}, want: "match", caveats: "script"},
	{name: "kind of action in another object", original: world.Sheet{Catalog: "/OpenAction<</S 10 0 R/T(a)>>", More: world.Objects{10: "/Hide"}}, want: "match", caveats: "not_examined"},
	{name: "kind of note in another object", original: world.Sheet{Page: "/Annots[10 0 R]", More: world.Objects{10: "<</Subtype 11 0 R/Rect[0 100 595 842]/F 4>>", 11: "/Movie"}}, want: "match", caveats: "not_examined"},
	{name: "flags of a note in another object", original: world.Sheet{Page: "/Annots[10 0 R]", More: world.Objects{10: "<</Subtype/Stamp/Rect[60 700 99 729]/F 11 0 R>>", 11: "36"}}, want: "match", caveats: "not_examined"},
	{name: "opens another document in the third place", original: world.Sheet{Catalog: "/OpenAction 10 0 R", More: world.Objects{10: "<</S/GoTo/D[3 0 R/Fit]/Next 11 0 R>>", 11: "<</S/GoToR/F(other.pdf)/D[0/Fit]>>"}}, want: "match", caveats: "opens"},
	{name: "layer that shows while others hide", original: world.Sheet{Catalog: "/OCProperties<</OCGs[10 0 R]/D<</ON[10 0 R]>>>>", More: world.Objects{10: "<</Type/OCG/Name(a)>>", 11: "<</Type/OCMD/OCGs[10 0 R]/P/AllOff>>"}}, want: "match", caveats: "layers"},
	{name: "note for the screen only", original: world.Sheet{Page: "/Annots[10 0 R]", More: world.Objects{10: "<</Subtype/Stamp/Rect[60 700 400 760]/AP<</N 11 0 R>>>>", 11: world.Stream("/Subtype/Form/BBox[0 0 340 60]", "1 g 0 0 340 60 re f")}}, want: "match", caveats: "screen_only"},
	{name: "field that says something else than its picture", original: world.Sheet{Catalog: "/AcroForm<</Fields[10 0 R]>>", Page: "/Annots[10 0 R]", More: world.Objects{10: "<</Subtype/Widget/FT/Tx/T(a)/V(Pay 900 EUR)/Rect[60 700 400 760]/F 4/AP<</N 11 0 R>>>>", 11: world.Stream("/Subtype/Form/BBox[0 0 340 60]", "0 0 m")}}, want: "match", caveats: "fields"},
}
