package prepared

// transparency are pages on which a white box covers the amount under an
// unusual state, or in a group, and the other amount stands on the box.
func transparency() []variant {
	of := func(name, resources, contents string) variant {
		return variant{name, doc{
			resources: resources, contents: honest + " q " + contents + " Q " + other,
			more: objects{
				10: stream("/Type/XObject/Subtype/Form/BBox[0 0 595 842]/Group<</S/Transparency/CS/DeviceGray>>", "1 g 0 0 595 842 re f"),
				11: stream("/Type/XObject/Subtype/Form/BBox[0 0 595 842]", "1 g 0 0 595 842 re f"),
				12: stream("/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Group<</S/Transparency/CS/DeviceGray>>", "1 g 0 0 9 9 re f"),
				13: stream("/Type/XObject/Subtype/Form/BBox[0 0 595 842]/Group<</S/Transparency/CS/DeviceGray>>", "0 g 0 0 595 842 re f"),
				14: stream("/Type/XObject/Subtype/Form/BBox[0 0 595 842]/Group<</S/Transparency>>", ""),
			},
		}.pdf()}
	}
	state := func(name, entries string) variant {
		return of("state/"+name, "/ExtGState<</E<<"+entries+">>>>", "/E gs 1 g"+box)
	}
	out := []variant{
		state("alpha-zero", "/ca 0"),
		state("alpha-stroke", "/CA 0"),
		state("alpha-negative", "/ca -1"),
		state("alpha-large", "/ca 9"),
		state("alpha-string", "/ca(0)"),
		state("alpha-name", "/ca/None"),
		state("alpha-shape", "/ca 0/AIS true"),
		state("alpha-array", "/ca[0]"), state("alpha-case", "/Ca 0"), state("alpha-null", "/ca null"), state("type-wrong", "/Type/Acme/ca 0"),
		of("state/missing", "", "/E gs 1 g"+box),
		of("state/null", "/ExtGState<</E null>>", "/E gs 1 g"+box),
		of("state/number", "/ExtGState<</E 7>>", "/E gs 1 g"+box),
		of("state/inside-text", "/ExtGState<</E<</ca 0>>>>", "BT /E gs ET 1 g"+box),
		of("state/font", "/ExtGState<</E<</Font[5 0 R 24]>>>>", "1 g"+box+"/E gs BT 0 g 72 650 Td (DRAFT) Tj ET"),
		of("state/font-name", "/ExtGState<</E<</Font[/F 24]>>>>", "1 g"+box+"/E gs BT 0 g 72 650 Td (DRAFT) Tj ET"),
		of("state/width", "/ExtGState<</E<</LW 60/D[[2 900]0]>>>>", "/E gs 1 G 60 730 m 400 730 l S"),
		of("state/soft-mask-reset", "/ExtGState<</E<</SMask<</S/Luminosity/G 13 0 R>>>>/N<</SMask/None>>>>", "/E gs /N gs 1 g"+box),
	}
	for _, m := range []string{"Normal", "Compatible", "Multiply", "Screen", "Darken", "Lighten", "Difference", "Exclusion", "ColorDodge", "ColorBurn", "HardLight", "Luminosity", "Acme", "multiply"} {
		out = append(out, state("blend-"+m, "/BM/"+m))
	}
	for _, m := range []struct{ name, value string }{{"list", "[/Acme/Multiply]"}, {"list-unknown", "[/Acme/Other]"}, {"list-empty", "[]"}, {"string", "(Multiply)"}, {"number", " 7"}, {"null", " null"}, {"list-first", "[/Normal/Multiply]"}} {
		out = append(out, state("blend-"+m.name, "/BM"+m.value))
	}
	for _, m := range []struct{ name, value string }{
		{"white", "<</S/Luminosity/G 10 0 R>>"},
		{"black", "<</S/Luminosity/G 13 0 R>>"},
		{"no-group", "<</S/Luminosity/G 11 0 R>>"},
		{"alpha", "<</S/Alpha/G 10 0 R>>"},
		{"alpha-black", "<</S/Alpha/G 13 0 R>>"},
		{"alpha-empty", "<</S/Alpha/G 14 0 R>>"},
		{"outside", "<</S/Luminosity/G 12 0 R>>"},
		{"outside-backdrop", "<</S/Luminosity/G 12 0 R/BC[1]>>"},
		{"backdrop-count", "<</S/Luminosity/G 12 0 R/BC[1 1 1]>>"},
		{"empty-backdrop", "<</S/Luminosity/G 14 0 R/BC[1]>>"},
		{"transfer", "<</S/Luminosity/G 13 0 R/TR<</FunctionType 2/Domain[0 1]/C0[1]/C1[0]/N 1>>>>"},
		{"transfer-identity", "<</S/Luminosity/G 13 0 R/TR/Identity>>"},
		{"transfer-unknown", "<</S/Luminosity/G 10 0 R/TR/Acme>>"},
		{"kind-unknown", "<</S/Acme/G 13 0 R>>"},
		{"kind-none", "<</G 13 0 R>>"},
		{"form-none", "<</S/Luminosity>>"},
		{"form-missing", "<</S/Luminosity/G 99 0 R>>"},
		{"unknown-name", "/Acme"},
		{"reference", " 13 0 R"},
		{"type", "<</Type/Acme/S/Luminosity/G 13 0 R>>"},
	} {
		out = append(out, state("mask-"+m.name, "/SMask"+m.value))
	}
	return append(out, groups()...)
}

// groups are forms and pages with unusual transparency groups.
func groups() []variant {
	var out []variant
	for _, g := range []struct{ name, entries string }{
		{"plain", ""},
		{"isolated", "/I true"},
		{"knockout", "/K true"},
		{"both", "/I true/K true"},
		{"space", "/CS/DeviceCMYK"},
		{"space-unknown", "/CS/Acme"},
		{"space-separation", "/CS[/Separation/None/DeviceGray " + tint + "]"},
		{"strings", "/I(true)/K(true)"},
	} {
		group := "/Group<</S/Transparency" + g.entries + ">>"
		multiply := "/Resources<</ExtGState<</M<</BM/Multiply>>/D<</BM/Difference>>>>>>"
		out = append(out,
			variant{"group/" + g.name, doc{
				resources: "/XObject<</X 10 0 R>>", contents: honest + " /X Do " + other,
				more: objects{10: stream("/Type/XObject/Subtype/Form/BBox[0 0 595 842]"+group+multiply, "/M gs 1 g"+box)},
			}.pdf()},
			variant{"group-twice/" + g.name, doc{
				resources: "/XObject<</X 10 0 R>>", contents: honest + " /X Do " + other,
				more: objects{10: stream("/Type/XObject/Subtype/Form/BBox[0 0 595 842]"+group+multiply, "1 g"+box+"/D gs"+box)},
			}.pdf()},
			variant{"page/" + g.name, doc{
				page: group, resources: "/ExtGState<</D<</BM/Difference>>>>", contents: honest + " q /D gs 1 g" + box + "Q",
			}.pdf()})
	}
	for _, g := range []struct{ name, entries string }{{"kind", "/Group<</S/Acme>>"}, {"null", "/Group null"}, {"none", ""}, {"name", "/Group/Transparency"}} {
		out = append(out, variant{"group/" + g.name, doc{
			resources: "/XObject<</X 10 0 R>>/ExtGState<</H<</ca 0>>>>", contents: honest + " q /H gs /X Do Q",
			more: objects{10: stream("/Type/XObject/Subtype/Form/BBox[0 0 595 842]/Resources<</Font<</F 5 0 R>>/ExtGState<</V<</ca 1>>>>>>"+g.entries, "/V gs "+covered)},
		}.pdf()})
	}
	return out
}
