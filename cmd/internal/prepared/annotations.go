package prepared

import (
	"fmt"
	"strings"
)

// kinds are annotations with the entries that they need.
var kinds = []struct{ name, entries string }{
	{"link", "/Subtype/Link/Border[0 0 0]/A<</S/URI/URI(https://acme.example/)>>"},
	{"popup", "/Subtype/Popup/Open true"},
	{"text", "/Subtype/Text/Contents(note)/Name/Note"},
	{"freetext", "/Subtype/FreeText/DA(/F 24 Tf 0 g)/Contents(Pay 900 EUR)"},
	{"stamp", "/Subtype/Stamp"},
	{"widget", "/Subtype/Widget/FT/Tx/T(a)/DA(/F 24 Tf 0 g)"},
	{"square", "/Subtype/Square/C[1 1 1]/IC[1 1 1]"},
	{"ink", "/Subtype/Ink/C[1 1 1]/InkList[[60 730 400 730]]/BS<</W 60>>"},
	{"highlight", "/Subtype/Highlight/C[0 0 0]/QuadPoints[60 760 400 760 60 700 400 700]"},
	{"watermark", "/Subtype/Watermark"},
	{"printermark", "/Subtype/PrinterMark"},
	{"trapnet", "/Subtype/TrapNet"},
	{"redact", "/Subtype/Redact/IC[0 0 0]/QuadPoints[60 760 400 760 60 700 400 700]"},
	{"unknown", "/Subtype/Acme"},
	{"none", ""},
}

// flags are values of F.
var flags = []struct{ name, entry string }{
	{"none", ""},
	{"print", "/F 4"},
	{"hidden", "/F 2"},
	{"noview", "/F 36"},
	{"invisible", "/F 5"},
	{"toggle", "/F 292"}, // NoView and ToggleNoView
	{"unknown", "/F 65540"},
	{"nozoom", "/F 28"},
}

// appearances are values of AP with the entries that belong to them. The forms
// are 11, which shows the other amount, and 12, which shows the amount.
var appearances = []struct{ name, entries string }{
	{"no-ap", ""},
	{"states", "/AP<</N<</Off 11 0 R/On 12 0 R>>>>"},
	{"states-as", "/AS/On/AP<</N<</Off 12 0 R/On 11 0 R>>>>"},
	{"states-wrong-as", "/AS/Maybe/AP<</N<</Off 12 0 R/On 11 0 R>>>>"},
	{"states-one", "/AP<</N<</On 11 0 R>>>>"},
	{"off-only", "/AS/Off/AP<</N<</Off 11 0 R>>>>"},
	{"down-only", "/AP<</D 11 0 R>>"},
	{"rollover-only", "/AP<</R 11 0 R>>"},
	{"stream-as", "/AS/Off/AP<</N 11 0 R>>"},
	{"null", "/AP<</N null/D 11 0 R>>"},
	{"empty-states", "/AP<</N<<>>>>"},
	{"nested-states", "/AS/On/AP<</N<</On<</On 11 0 R>>>>>>"},
	{"no-subtype", "/AP<</N 13 0 R>>"},
	{"empty-bbox", "/AP<</N 14 0 R>>"},
	{"no-bbox", "/AP<</N 15 0 R>>"},
	{"odd-matrix", "/AP<</N 16 0 R>>"},
	{"flat-matrix", "/AP<</N 17 0 R>>"},
	{"reversed-bbox", "/AP<</N 18 0 R>>"},
	{"image", "/AP<</N 19 0 R>>"},
}

// annotated returns a page with one annotation over the amount.
func annotated(entries string) []byte { return annotatedAt("[60 700 400 760]", entries) }

func annotatedAt(rect, entries string) []byte {
	text := "/Resources<</Font<</F 5 0 R>>>>"
	catalog := ""
	if strings.Contains(entries, "/Widget") {
		catalog = "/AcroForm<</Fields[10 0 R]/DR<</Font<</F 5 0 R>>>>>>"
	}
	return doc{
		page:    "/Annots[10 0 R]",
		catalog: catalog,
		more: objects{
			10: "<</Type/Annot/Rect" + rect + entries + ">>",
			11: form("", overlay),
			12: form("", "1 g 0 0 340 60 re f 0 g BT /F 24 Tf 12 20 Td (Pay 100 EUR) Tj ET"),
			13: stream("/BBox[0 0 340 60]"+text, overlay),
			14: stream("/Subtype/Form/BBox[0 0 0 0]"+text, overlay),
			15: stream("/Subtype/Form"+text, overlay),
			16: form("/Matrix[-1 0 0 1 5 9]", overlay),
			17: form("/Matrix[1 0 0 0 0 0]", overlay),
			18: stream("/Subtype/Form/BBox[340 60 0 0]"+text, overlay),
			19: stream("/Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace/DeviceGray", "\xff"),
		},
	}.pdf()
}

// annotations combines all kinds with all flags, all kinds with the four appearances
// that programs treat most differently, and a few kinds with all appearances.
func annotations() []variant {
	var out []variant
	for _, k := range kinds {
		for _, f := range flags {
			out = append(out, variant{k.name + "/" + f.name, annotated(k.entries + f.entry + "/AP<</N 11 0 R>>")})
		}
		for i, a := range appearances {
			if all := k.name == "stamp" || k.name == "widget" || k.name == "link"; all || i < 2 || a.name == "off-only" || a.name == "down-only" {
				out = append(out, variant{k.name + "/" + a.name, annotated(k.entries + "/F 4" + a.entries)})
			}
		}
	}
	for i, rect := range []string{"[400 760 60 700]", "[60 700 60 700]", "[60 700 400]", "[60 700 400 760 1 2]", "[0 0 595 842]", "[-340 700 0 760]", "null"} {
		out = append(out, variant{fmt.Sprintf("rect/%d", i), annotatedAt(rect, "/Subtype/Stamp/F 4/AP<</N 11 0 R>>")})
	}
	return append(out, lists()...)
}

// lists are unusual values of Annots and of inherited entries of an annotation.
func lists() []variant {
	stamp := "<</Type/Annot/Subtype/Stamp/Rect[60 700 400 760]/F 4/AP<</N 11 0 R>>>>"
	of := func(page string, note string) []byte {
		return doc{page: page, more: objects{10: note, 11: form("", overlay), 12: "[10 0 R]"}}.pdf()
	}
	return []variant{
		{"list/reference", of("/Annots 12 0 R", stamp)},
		{"list/direct", of("/Annots["+stamp+"]", "null")},
		{"list/no-array", of("/Annots 10 0 R", stamp)},
		{"list/nested", of("/Annots[[10 0 R]]", stamp)},
		{"list/null-first", of("/Annots[null 99 0 R 10 0 R]", stamp)},
		{"list/other-type", of("/Annots[10 0 R]", "<</Type/Acme/Subtype/Stamp/Rect[60 700 400 760]/F 4/AP<</N 11 0 R>>>>")},
		{"list/flags-real", of("/Annots[10 0 R]", "<</Subtype/Stamp/Rect[60 700 400 760]/F 2.9/AP<</N 11 0 R>>>>")},
		{"list/flags-string", of("/Annots[10 0 R]", "<</Subtype/Stamp/Rect[60 700 400 760]/F(2)/AP<</N 11 0 R>>>>")},
		{"list/flags-negative", of("/Annots[10 0 R]", "<</Subtype/Stamp/Rect[60 700 400 760]/F -2/AP<</N 11 0 R>>>>")},
		{"list/other-page", of("/Annots[10 0 R]", "<</Subtype/Stamp/P 99 0 R/Rect[60 700 400 760]/F 4/AP<</N 11 0 R>>>>")},
		{"list/reply", of("/Annots[10 0 R]", "<</Subtype/Stamp/IRT 10 0 R/RT/Group/Rect[60 700 400 760]/F 4/AP<</N 11 0 R>>>>")},
		{"list/state-model", of("/Annots[10 0 R]", "<</Subtype/Text/StateModel(Review)/State(Accepted)/IRT 10 0 R/Rect[60 700 400 760]/F 4/AP<</N 11 0 R>>>>")},
		{"list/alpha", of("/Annots[10 0 R]", "<</Subtype/Stamp/CA 0/ca 0/Rect[60 700 400 760]/F 4/AP<</N 11 0 R>>>>")},
		{"list/blend", of("/Annots[10 0 R]", "<</Subtype/Stamp/BM/Multiply/Rect[60 700 400 760]/F 4/AP<</N 11 0 R>>>>")},
	}
}
