package prepared

// show9 writes the other amount in its place.
const show9 = "BT /F 24 Tf 72 720 Td (Pay 900 EUR) Tj ET"

// contents are odd streams of operators: unbalanced, cut, ambiguous.
func contents() []variant {
	of := func(name, text string) variant {
		return variant{name, doc{
			contents:  text,
			resources: "/XObject<</X 10 0 R/Y 11 0 R/Z 12 0 R>>/ExtGState<</Z<</ca 0>>>>",
			more:      objects{10: form("", overlay), 11: stream("/Type/XObject/Subtype/Form/BBox[0 0 595 842]", covered), 12: stream("/Type/XObject/Subtype/Form/BBox[0 0 595 842]/Resources<<>>", covered)},
		}.pdf()}
	}
	after := func(name, text string) variant { return of(name, honest+" "+text) }
	list := func(name, value string, parts ...string) variant {
		all := objects{3: "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F 5 0 R>>>>/Contents" + value + ">>", 20: "[21 0 R 22 0 R]"}
		for i, p := range parts {
			all[21+i] = stream("", p)
		}
		return variant{name, doc{more: all}.pdf()}
	}
	return append(append(madeOf("contents", makers{"after": after, "list": list, "of": of}), []variant{
		after("state/nested-q", repeat("q ", 600)+covered),
		after("state/nested-q-drop", repeat("q ", 70)+"1 0 0 1 0 -300 cm "+repeat("Q ", 70)+covered),
	}...), inline()...)
}

func repeat(s string, n int) string {
	b := make([]byte, 0, n*len(s))
	for range n {
		b = append(b, s...)
	}
	return string(b)
}

// inline are pictures in contents whose end is ambiguous: the bytes after it
// cover the amount, or are a part of the picture.
func inline() []variant {
	of := func(name, text string) variant {
		return variant{"inline/" + name, doc{contents: honest + " " + text}.pdf()}
	}
	const small = "BI /W 4 /H 1 /BPC 8 /CS /G ID abcd"
	long := "BI /W 200 /H 1 /BPC 8 /CS /G ID "
	pixels := repeat("x", 90)
	return append(madeOf("inline", makers{"of": of}), []variant{
		of("usual", small+" EI "+covered),
		of("glued", small+"EI "+covered),
		of("glued-after", small+" EIq "+covered),
		of("no-end", small+" "+covered),
		of("end-inside", long+pixels+" EI "+covered+" "+pixels+" EI"),
		of("end-inside-lines", long+pixels+"\nEI\n"+covered+"\n"+pixels+"\nEI\n"),
		of("end-inside-Q", long+pixels+" EI Q "+covered+" "+pixels+" EI Q"),
		of("end-inside-binary", long+pixels+" EI \x80\xff "+covered+" "+pixels+" EI"),
		of("end-inside-nul", long+pixels+"\x00EI\x00"+covered+" "+pixels+" EI"),
		of("end-inside-string", long+pixels+" EI ( "+covered+" "+pixels+" EI ) Tj"),
		of("filter-flate", "BI /W 4 /H 1 /BPC 8 /CS /G /F /Fl ID "+deflated("abcd")+" EI "+covered),
		of("filter-long-name", "BI /W 4 /H 1 /BPC 8 /CS /G /Filter /FlateDecode ID "+deflated("abcd")+" EI "+covered),
		of("in-text", "BT "+small+" EI ET "+covered),
	}...)
}
