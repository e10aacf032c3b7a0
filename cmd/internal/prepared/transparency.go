package prepared

// transparency are pages on which a white box covers the amount under an
// unusual state, or in a group, and the other amount is on the box.
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
	out := madeOf("transparency", makers{"of": of, "state": state})
	for _, m := range []string{"Normal", "Compatible", "Multiply", "Screen", "Darken", "Lighten", "Difference", "Exclusion", "ColorDodge", "ColorBurn", "HardLight", "Luminosity", "Acme", "multiply"} {
		out = append(out, state("blend-"+m, "/BM/"+m))
	}
	for _, m := range []struct{ name, value string }{{"list", "[/Acme/Multiply]"}, {"list-unknown", "[/Acme/Other]"}, {"list-empty", "[]"}, {"string", "(Multiply)"}, {"number", " 7"}, {"null", " null"}, {"list-first", "[/Normal/Multiply]"}} {
		out = append(out, state("blend-"+m.name, "/BM"+m.value))
	}
	for _, m := range rowsOf("transparency-2") {
		out = append(out, state("mask-"+m[0], "/SMask"+m[1]))
	}
	return append(out, groups()...)
}

// groups are forms and pages with unusual transparency groups.
func groups() []variant {
	var out []variant
	for _, g := range rowsOf("groups") {
		group := "/Group<</S/Transparency" + g[1] + ">>"
		multiply := "/Resources<</ExtGState<</M<</BM/Multiply>>/D<</BM/Difference>>>>>>"
		out = append(out,
			variant{"group/" + g[0], doc{
				resources: "/XObject<</X 10 0 R>>", contents: honest + " /X Do " + other,
				more: objects{10: stream("/Type/XObject/Subtype/Form/BBox[0 0 595 842]"+group+multiply, "/M gs 1 g"+box)},
			}.pdf()},
			variant{"group-twice/" + g[0], doc{
				resources: "/XObject<</X 10 0 R>>", contents: honest + " /X Do " + other,
				more: objects{10: stream("/Type/XObject/Subtype/Form/BBox[0 0 595 842]"+group+multiply, "1 g"+box+"/D gs"+box)},
			}.pdf()},
			variant{"page/" + g[0], doc{
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
