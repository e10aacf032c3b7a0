package prepared

import "fmt"

// boxedFonts are Type 3 fonts with a box, of a character (d1) or of the font,
// that the contents of a character exceed: the part outside changes the amount.
func boxedFonts() []variant {
	const bar = "50 0 500 100 re f " // inside all boxes
	var out []variant
	for _, box := range []struct{ name, d1, font string }{
		{"d1", "600 0 0 0 600 100 d1", "0 0 600 1000"},
		{"d1-empty-font", "600 0 0 0 600 100 d1", "0 0 0 0"},
		{"d1-point", "600 0 0 0 0 0 d1", "0 0 600 1000"},
		{"d1-reversed", "600 0 600 100 0 0 d1", "0 0 600 1000"},
		{"d1-elsewhere", "600 0 2000 2000 2600 2100 d1", "0 0 600 1000"},
		{"d1-all-boxes", "600 0 0 0 600 100 d1", "0 0 600 100"},
		{"font", "600 0 0 0 600 1000 d1", "0 0 600 100"},
		{"font-with-d0", "600 0 d0", "0 0 600 100"},
		{"font-reversed", "600 0 d0", "600 100 0 0"},
		{"font-elsewhere", "600 0 d0", "2000 2000 2600 2100"},
	} {
		for _, beyond := range []struct{ name, contents string }{
			{"rectangle", "50 400 500 600 re f"},
			{"negative-rectangle", "550 1000 -500 -600 re f"},
			{"lines", "50 400 m 550 400 l 550 1000 l 50 1000 l f"},
			{"curve", "50 400 m 50 1200 550 1200 550 400 c f"},
			{"curve-v", "50 400 m 300 1200 550 400 v f"},
			{"stroke", "300 w 50 50 m 550 50 l S 200 w 100 100 m 100 900 l S"},
			{"moved", "1 0 0 1 0 400 cm 50 0 500 600 re f"},
			{"scaled", "1 0 0 10 0 0 cm 50 40 500 60 re f"},
			{"saved", "q 1 0 0 1 0 400 cm 50 0 500 600 re f Q"},
			{"picture", "q 500 0 0 600 50 400 cm BI /W 8/H 8/IM true/BPC 1/D[1 0] ID \xff\xff\xff\xff\xff\xff\xff\xff EI Q"},
			{"after-picture", "q 500 0 0 50 50 0 cm BI /W 8/H 8/IM true/BPC 1/D[1 0] ID \xff\xff\xff\xff\xff\xff\xff\xff EI Q 50 400 500 600 re f"},
			{"form", "/X Do"},
			{"text", "BT /F 1000 Tf 0 300 Td (9) Tj ET"},
		} {
			out = append(out, variant{fmt.Sprintf("boxed/%s-%s", box.name, beyond.name), doc{
				fonts: "/G 10 0 R", contents: "BT /F 24 Tf 72 720 Td (Pay ) Tj /G 24 Tf (1) Tj /F 24 Tf (00 EUR) Tj ET",
				more: objects{
					10: "<</Type/Font/Subtype/Type3/FontBBox[" + box.font + "]/FirstChar 49/LastChar 49/Widths[600]/CharProcs<</one 11 0 R>>" +
						"/FontMatrix[.001 0 0 .001 0 0]/Encoding<</Differences[49/one]>>/Resources<</Font<</F 5 0 R>>/XObject<</X 12 0 R>>>>>>",
					11: stream("", box.d1+" "+bar+beyond.contents),
					12: stream("/Type/XObject/Subtype/Form/BBox[0 0 600 1000]", "50 400 500 600 re f"),
				},
			}.pdf()})
		}
	}
	return out
}
