package prepared

import "strings"

// configs say whether layer 10 shows: entries of the default configuration, of
// the properties next to it, and of the layer.
var configs = []struct{ name, d, properties, layer string }{
	{"off", "/OFF[10 0 R]", "", ""},
	{"base-off", "/BaseState/OFF", "", ""},
	{"base-off-on", "/BaseState/OFF/ON[10 0 R]", "", ""},
	{"base-unchanged", "/BaseState/Unchanged", "", ""},
	{"base-string", "/BaseState(OFF)", "", ""},
	{"on-and-off", "/ON[10 0 R]/OFF[10 0 R]", "", ""},
	{"off-and-on", "/OFF[10 0 R]/ON[10 0 R]", "", ""},
	{"off-reference", "/OFF 20 0 R", "", ""},
	{"off-no-array", "/OFF 10 0 R", "", ""},
	{"usage-view", "", "", "/Usage<</View<</ViewState/OFF>>>>"},
	{"usage-view-as", "/AS[<</Event/View/Category[/View]/OCGs[10 0 R]>>]", "", "/Usage<</View<</ViewState/OFF>>>>"},
	{"usage-view-on-as", "/OFF[10 0 R]/AS[<</Event/View/Category[/View]/OCGs[10 0 R]>>]", "", "/Usage<</View<</ViewState/ON>>>>"},
	{"usage-print", "", "", "/Usage<</Print<</PrintState/OFF>>>>"},
	{"usage-print-as", "/AS[<</Event/Print/Category[/Print]/OCGs[10 0 R]>>]", "", "/Usage<</Print<</PrintState/OFF>>>>"},
	{"usage-print-view-as", "/AS[<</Event/View/Category[/Print]/OCGs[10 0 R]>>]", "", "/Usage<</Print<</PrintState/OFF>>>>"},
	{"usage-export-as", "/AS[<</Event/Export/Category[/Export]/OCGs[10 0 R]>>]", "", "/Usage<</Export<</ExportState/OFF>>>>"},
	{"usage-zoom-as", "/AS[<</Event/View/Category[/Zoom]/OCGs[10 0 R]>>]", "", "/Usage<</Zoom<</min 5/max 9>>>>"},
	{"usage-language-as", "/AS[<</Event/View/Category[/Language]/OCGs[10 0 R]>>]", "", "/Usage<</Language<</Lang(fr)/Preferred/OFF>>>>"},
	{"usage-user-as", "/AS[<</Event/View/Category[/User]/OCGs[10 0 R]>>]", "", "/Usage<</User<</Type/Ind/Name(Mallory)>>>>"},
	{"intent-design-off", "/OFF[10 0 R]", "", "/Intent/Design"},
	{"intent-none-off", "/OFF[10 0 R]", "", "/Intent[]"},
	{"intent-config-design", "/Intent/Design/OFF[10 0 R]", "", ""},
	{"intent-all", "/Intent/All/OFF[10 0 R]", "", "/Intent/Design"},
	{"configs-off", "", "/Configs[<</OFF[10 0 R]>>]", ""},
	{"unlisted-off", "/OFF[10 0 R]", "/OCGs[]", ""},
	{"unlisted-base-off", "/BaseState/OFF", "/OCGs[]", ""},
	{"radio", "/ON[10 0 R 11 0 R]/RBGroups[[10 0 R 11 0 R]]", "", ""},
	{"locked", "/OFF[10 0 R]/Locked[10 0 R]", "", ""},
	{"wrong-type", "/OFF[10 0 R]", "", "/Type/Acme"},
	{"list-mode", "/ListMode/VisiblePages/Order[]/OFF[10 0 R]", "", ""},
}

// layered returns a page with layer 10, layer 11 that is off, and layer 12 that
// is on, unless properties say otherwise. Contents may draw form X, whose
// entries are given.
func layered(properties, layer, dictionary, contents, formEntries string, more objects) []byte {
	all := objects{
		10: "<</Name(a)/Type/OCG" + layer + ">>", 11: "<</Type/OCG/Name(b)>>", 12: "<</Type/OCG/Name(c)>>",
		13: form(formEntries, overlay), 20: "[10 0 R]",
	}
	for n, body := range more {
		all[n] = body
	}
	return doc{
		catalog:   "/OCProperties<<" + properties + ">>",
		resources: "/Properties<</L 10 0 R/OFF 11 0 R/ON 12 0 R" + dictionary + ">>/XObject<</X 13 0 R>>",
		contents:  honest + " " + contents,
		more:      all,
	}.pdf()
}

const (
	allLayers = "/OCGs[10 0 R 11 0 R 12 0 R]"
	drawForm  = "q 1 0 0 1 60 700 cm /X Do Q"
)

// layers are all configurations on marked content and on a form, and unusual
// ways to put something on a layer.
func layers() []variant {
	var out []variant
	for _, c := range configs {
		groups := allLayers
		if c.properties == "/OCGs[]" {
			groups = ""
		}
		properties := groups + c.properties + "/D<<" + c.d + ">>"
		out = append(out,
			variant{"content/" + c.name, layered(properties, c.layer, "", "/OC /L BDC "+covered+" EMC", "", nil)},
			variant{"form/" + c.name, layered(properties, c.layer, "", drawForm, "/OC 10 0 R", nil)})
	}
	off := allLayers + "/D<</OFF[10 0 R 11 0 R]>>"
	use := func(name, contents, entries string) variant {
		return variant{"use/" + name, layered(off, "", "", contents, entries, nil)}
	}
	note := func(name, entries string) variant {
		return variant{"annotation/" + name, doc{
			catalog: "/OCProperties<<" + off + ">>", page: "/Annots[14 0 R]",
			more: objects{
				10: "<</Type/OCG/Name(a)>>", 11: "<</Type/OCG/Name(b)>>", 12: "<</Type/OCG/Name(c)>>", 13: form("", overlay),
				14: "<</Subtype/Stamp/Rect[60 700 400 760]/F 4/AP<</N 13 0 R>>" + entries + ">>", 15: form("/OC 11 0 R", overlay),
			},
		}.pdf()}
	}
	return append(out,
		use("inline-dictionary", "/OC <</Type/OCG/Name(a)>> BDC "+covered+" EMC", ""),
		use("inline-membership", "/OC <</Type/OCMD/OCGs 11 0 R>> BDC "+covered+" EMC", ""),
		use("missing-name", "/OC /Missing BDC "+covered+" EMC", ""),
		use("other-tag", "/Span /OFF BDC "+covered+" EMC", ""),
		use("point", "/OC /OFF DP "+covered, ""),
		use("no-dictionary", "/OC BMC "+covered+" EMC", ""),
		use("unclosed", "/OC /OFF BDC "+covered, ""),
		use("closed-twice", "/OC /OFF BDC EMC EMC "+covered, ""),
		use("nested-on-off", "/OC /ON BDC /OC /OFF BDC "+covered+" EMC EMC", ""),
		use("nested-off-on", "/OC /OFF BDC /OC /ON BDC "+covered+" EMC EMC", ""),
		use("nested-span", "/OC /OFF BDC /Span BMC EMC "+covered+" EMC", ""),
		use("closed-in-text", "/OC /OFF BDC "+blot+"BT EMC /F 24 Tf 72 720 Td (Pay 900 EUR) Tj ET", ""),
		use("opened-in-text", blot+"BT /OC /OFF BDC /F 24 Tf 72 720 Td (Pay 900 EUR) Tj ET EMC", ""),
		use("state-inside", "/OC /OFF BDC 3 Tr EMC "+covered, ""),
		use("position-inside", "1 0 0 1 0 0 cm /OC /OFF BDC 1 0 0 1 0 -300 cm EMC "+covered, ""),
		use("clip-inside", "/OC /OFF BDC 0 0 1 1 re W n EMC "+covered, ""),
		use("form-content", "/OC /OFF BDC "+drawForm+" EMC", ""),
		use("form-closes", "/OC /OFF BDC /X Do EMC "+covered, "/OC 12 0 R"),
		use("form-layer-list", drawForm, "/OC[11 0 R]"),
		use("form-layer-name", drawForm, "/OC/OFF"),
		use("form-membership-inline", drawForm, "/OC<</Type/OCMD/OCGs 11 0 R>>"),
		use("inline-image", "/OC /OFF BDC q 340 0 0 60 60 700 cm BI /W 1 /H 1 /BPC 8 /CS /G ID \xff EI Q EMC", ""),
		note("off", "/OC 11 0 R"), note("on", "/OC 12 0 R"), note("list", "/OC[11 0 R]"),
		note("membership", "/OC<</Type/OCMD/OCGs 11 0 R>>"), note("form-off", "/AP<</N 15 0 R>>"),
	)
}

// memberships are dictionaries that combine layers 11, which is off, and 12,
// which is on.
func memberships() []variant {
	tests := []struct{ name, entries string }{
		{"no-layers", ""},
		{"no-layers-alloff", "/P/AllOff"},
		{"empty", "/OCGs[]"},
		{"empty-alloff", "/OCGs[]/P/AllOff"},
		{"null", "/OCGs null"},
		{"null-inside", "/OCGs[null 11 0 R]"},
		{"null-inside-allon", "/OCGs[null 12 0 R]/P/AllOn"},
		{"null-inside-alloff", "/OCGs[null 11 0 R]/P/AllOff"},
		{"only-nulls-allon", "/OCGs[null null]/P/AllOn"},
		{"only-nulls-anyoff", "/OCGs[null]/P/AnyOff"},
		{"missing", "/OCGs 99 0 R"},
		{"missing-anyoff", "/OCGs 99 0 R/P/AnyOff"},
		{"self", "/OCGs 14 0 R"},
		{"nested", "/OCGs 15 0 R"},
		{"nested-list", "/OCGs[[11 0 R]]"},
		{"policy-string", "/OCGs[12 0 R]/P(AllOff)"},
		{"policy-case", "/OCGs 12 0 R/P/alloff"},
		{"not-on", "/VE[/Not 12 0 R]"},
		{"not-off", "/VE[/Not 11 0 R]"},
		{"not-two", "/VE[/Not 11 0 R 12 0 R]"},
		{"and", "/VE[/And 11 0 R 12 0 R]"},
		{"or", "/VE[/Or 11 0 R 12 0 R]"},
		{"and-empty", "/VE[/And]"},
		{"or-empty", "/VE[/Or]"},
		{"not-empty", "/VE[/Not]"},
		{"expression-empty", "/VE[]"},
		{"operator-unknown", "/VE[/Xor 11 0 R 12 0 R]"},
		{"operator-string", "/VE[(Not) 12 0 R]"},
		{"expression-layer", "/VE 11 0 R"},
		{"expression-loop", "/VE 16 0 R"},
		{"nested-not", "/VE[/Not[/Not 12 0 R]]"},
		{"nested-and", "/VE[/And[/Or 11 0 R 12 0 R][/Not 11 0 R]]"},
		{"expression-missing", "/VE[/And 99 0 R]"},
		{"expression-null", "/VE[/Not null]"},
		{"both", "/OCGs[12 0 R]/VE[/Not 12 0 R]"},
		{"both-policy", "/OCGs[12 0 R]/P/AllOff/VE[/And 12 0 R]"},
		{"usage", "/OCGs[12 0 R]/Usage<</View<</ViewState/OFF>>>>"},
		{"deep", "/VE[/Not[/Not[/Not[/Not[/Not[/Not[/Not[/Not[/Not[/Not[/Not[/Not 12 0 R]]]]]]]]]]]]"},
	}
	for _, p := range []string{"AnyOn", "AllOn", "AnyOff", "AllOff", "Unknown"} {
		for _, g := range []struct{ name, list string }{{"both", "[11 0 R 12 0 R]"}, {"off", "[11 0 R]"}, {"on", "12 0 R"}} {
			tests = append(tests, struct{ name, entries string }{strings.ToLower(p) + "-" + g.name, "/OCGs " + g.list + "/P/" + p})
		}
	}
	var out []variant
	for i, tt := range tests {
		more := objects{14: "<</Type/OCMD" + tt.entries + ">>", 15: "<</Type/OCMD/OCGs 11 0 R>>", 16: "[/And 16 0 R]"}
		properties := allLayers + "/D<</OFF[11 0 R]>>"
		// The unusual entry is on contents and, alternately, on a form.
		if out = append(out, variant{tt.name, layered(properties, "", "/M 14 0 R", "/OC /M BDC "+covered+" EMC", "", more)}); i%2 == 0 {
			out = append(out, variant{"form/" + tt.name, layered(properties, "", "", drawForm, "/OC 14 0 R", more)})
		}
	}
	return out
}
