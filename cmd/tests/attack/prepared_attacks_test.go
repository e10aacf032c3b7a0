package attack_test

import "tcode/cmd/internal/world"

// preparedAttacks do not change the stamped file: it was made to show different
// things in different programs or at different times. The stamp vouches for the
// bytes, so they are bound, with a caveat.
var preparedAttacks = []attack{
	{name: "script on opening", original: world.Sheet{Catalog: "/OpenAction<</S/JavaScript/JS(this.getField\\('a'\\))>>"}, want: "match", caveats: "script"},
	{name: "script of a form field", original: world.Sheet{Page: "/Annots[10 0 R]", More: world.Objects{10: "<</Subtype/Widget/FT/Tx/T(a)/Rect[9 9 19 19]/F 4/AA<</K 11 0 R>>>>", 11: "<</S/JavaScript/JS(event.value='x')>>"}}, want: "match", caveats: "script"},
	{name: "script with a disguised name", original: world.Sheet{Catalog: "/OpenAction<</S/J#61vaScript/#4aS(x)>>"}, want: "match", caveats: "script"},
	{name: "script in an object stream", original: world.Sheet{More: world.Objects{10: world.Stream("/Type/ObjStm/N 1/First 5", "11 0 <</S/JavaScript/JS(x)>>")}}, want: "match", caveats: "script"},
	{name: "script inside a stream", original: world.Sheet{More: world.Objects{10: world.Stream("", "\n11 0 obj<</S/JavaScript/JS(x)>>endobj\n")}}, want: "match", caveats: "script"},
	{name: "XFA form", original: world.Sheet{Catalog: "/AcroForm<</Fields[]/XFA 10 0 R>>", More: world.Objects{10: world.Stream("", "<xdp/>")}}, want: "match", caveats: "xfa"},
	{name: "fields drawn anew", original: world.Sheet{Catalog: "/AcroForm<</Fields[10 0 R]/NeedAppearances true>>", Page: "/Annots[10 0 R]", More: world.Objects{10: "<</Subtype/Widget/FT/Tx/T(a)/V(900)/Rect[9 9 99 29]/F 4>>"}}, want: "match", caveats: "fields"},
	{name: "contents in another file", original: world.Sheet{More: world.Objects{10: "<</F(http://example.org/page)/Length 0>>stream\n\nendstream"}}, want: "match", caveats: "external"},
	{name: "page of another file", original: world.Sheet{More: world.Objects{10: world.Stream("/Subtype/Form/BBox[0 0 1 1]/Ref<</F(other.pdf)/Page 0>>", " ")}}, want: "match", caveats: "external"},
	{name: "hidden layer", original: world.Sheet{Catalog: "/OCProperties<</OCGs[10 0 R]/D<</OFF[10 0 R]>>>>", More: world.Objects{10: "<</Type/OCG/Name(other amount)>>"}}, want: "match", caveats: "layers"},
	{name: "layer for print", original: world.Sheet{Catalog: "/OCProperties<</OCGs[10 0 R]/D<</AS[<</Event/Print/Category[/Print]/OCGs[10 0 R]>>]>>>>", More: world.Objects{10: "<</Type/OCG/Name(a)/Usage<</Print<</PrintState/OFF>>>>>>"}}, want: "match", caveats: "layers"},
	{name: "layer by zoom", original: world.Sheet{Catalog: "/OCProperties<</OCGs[10 0 R]/D<</AS[<</Event/View/Category[/Zoom]/OCGs[10 0 R]>>]>>>>", More: world.Objects{10: "<</Type/OCG/Name(a)/Usage<</Zoom<</min 2>>>>>>"}}, want: "match", caveats: "layers"},
	{name: "layers switched by an action", original: world.Sheet{Page: "/AA<</O<</S/SetOCGState/State[/Toggle 10 0 R]>>>>", More: world.Objects{10: "<</Type/OCG/Name(a)>>"}}, want: "match", caveats: "switch"},
	{name: "note that a click hides", original: world.Sheet{Page: "/Annots[10 0 R]", More: world.Objects{10: "<</Subtype/Link/Rect[9 9 19 19]/A<</S/Hide/T(a)>>>>"}}, want: "match", caveats: "switch"},
	{name: "field filled from outside", original: world.Sheet{Catalog: "/OpenAction<</S/ImportData/F(data.fdf)>>"}, want: "match", caveats: "switch"},
	{name: "note for print only", original: world.Sheet{Page: "/Annots[10 0 R]", More: world.Objects{10: "<</Subtype/Stamp/Rect[60 700 99 729]/F 36>>"}}, want: "match", caveats: "print_only"},
	{name: "picture with an alternate", original: world.Sheet{More: world.Objects{10: world.Stream("/Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace/DeviceGray/Alternates[<</Image 11 0 R/DefaultForPrinting true>>]", "x")}}, want: "match", caveats: "print_only"},
	{name: "PostScript for printers", original: world.Sheet{More: world.Objects{10: world.Stream("/Subtype/PS", "showpage")}}, want: "match", caveats: "print_only"},
	{name: "film over the page", original: world.Sheet{Page: "/Annots[10 0 R]", More: world.Objects{10: "<</Subtype/Screen/Rect[0 100 595 842]/F 4>>"}}, want: "match", caveats: "media"},
	{name: "starts a program", original: world.Sheet{Catalog: "/OpenAction<</S/Launch/F(a.exe)>>"}, want: "match", caveats: "opens"},
	{name: "opens another document", original: world.Sheet{Catalog: "/OpenAction 10 0 R", More: world.Objects{10: "<</S/GoToR/F(other.pdf)/D[0/Fit]>>"}}, want: "match", caveats: "opens"},
	{name: "opens an attached document", original: world.Sheet{Catalog: "/OpenAction<</S/GoToE/T<</R/C/N(a)>>>>/Names<</EmbeddedFiles<</Names[(a)10 0 R]>>>>", More: world.Objects{10: "<</Type/Filespec/F(a.pdf)/EF<</F 11 0 R>>>>", 11: world.Stream("/Type/EmbeddedFile", "%PDF-")}}, want: "match", caveats: "opens attachments"},
	{name: "portfolio", original: world.Sheet{Catalog: "/Collection<</View/T>>"}, want: "match", caveats: "attachments"},
	{name: "contents named twice", original: world.Sheet{Page: "/Contents 10 0 R", More: world.Objects{10: world.Stream("", otherText)}}, want: "match", caveats: "ambiguous"},
	{name: "page of the web before the header", original: world.Sheet{Before: "<html>\n"}, want: "match", caveats: "ambiguous"},
	{name: "objects packed oddly", original: world.Sheet{More: world.Objects{10: world.Stream("/Type/ObjStm/N 1/First 5/Filter[/ASCIIHexDecode]", "00>")}}, want: "match", caveats: "not_examined"},
	{name: "objects too deep", original: world.Sheet{More: world.Objects{10: "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]"}}, want: "match", caveats: "not_examined"},
}
