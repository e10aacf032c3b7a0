package prepared

import "fmt"

// boxedFonts are Type 3 fonts with a box, of a character (d1) or of the font,
// that the contents of a character exceed: the part outside changes the amount.
func boxedFonts() []variant {
	const bar = "50 0 500 100 re f " // inside all boxes
	var out []variant
	for _, box := range rowsOf("boxedFonts") {
		for _, beyond := range rowsOf("boxedFonts-2") {
			out = append(out, variant{fmt.Sprintf("boxed/%s-%s", box[0], beyond[0]), doc{
				fonts: "/G 10 0 R", contents: "BT /F 24 Tf 72 720 Td (Pay ) Tj /G 24 Tf (1) Tj /F 24 Tf (00 EUR) Tj ET",
				more: objects{
					10: "<</Type/Font/Subtype/Type3/FontBBox[" + box[2] + "]/FirstChar 49/LastChar 49/Widths[600]/CharProcs<</one 11 0 R>>" +
						"/FontMatrix[.001 0 0 .001 0 0]/Encoding<</Differences[49/one]>>/Resources<</Font<</F 5 0 R>>/XObject<</X 12 0 R>>>>>>",
					11: stream("", box[1]+" "+bar+beyond[1]),
					12: stream("/Type/XObject/Subtype/Form/BBox[0 0 600 1000]", "50 400 500 600 re f"),
				},
			}.pdf()})
		}
	}
	return out
}
