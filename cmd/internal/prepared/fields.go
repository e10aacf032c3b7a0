package prepared

// drawn is an appearance of a field, anew is the request for another one.
const drawn, anew = "/AP<</N 11 0 R>>", "/NeedAppearances true"

// fields are form fields whose values differ from their appearances, or that
// some programs draw from the value.
func fields() []variant {
	of := func(name, form, field string, more objects) variant {
		all := objects{
			10: "<</Type/Annot/Subtype/Widget/T(a)/Rect[60 700 400 760]/F 4" + field + ">>",
			11: formXObject(Amount), 12: formXObject(Other), 13: stream("", Other), 14: stream("/Type/XObject/Subtype/Form/BBox[0 0 340 60]", ""),
		}
		for n, body := range more {
			all[n] = body
		}
		return variant{name, doc{
			catalog: "/AcroForm<</Fields[10 0 R]/DA(/F 24 Tf 0 g)/DR<</Font<</F 5 0 R>>>>" + form + ">>",
			page:    "/Annots[10 0 R]", contents: " ", more: all,
		}.pdf()}
	}
	return append(madeOf("fields", makers{"of": of}), []variant{
		of("text/inherited", "", "/Parent 20 0 R", objects{20: "<</FT/Tx/T(p)/V(Pay 900 EUR)/Kids[10 0 R]>>"}),
		of("text/inherited-differs", anew, "/Parent 20 0 R"+drawn, objects{20: "<</FT/Tx/T(p)/V(Pay 900 EUR)/Kids[10 0 R]>>"}),
		of("button/parent", "", "/Parent 20 0 R/AP<</N<</On 12 0 R/Off 11 0 R>>>>", objects{20: "<</FT/Btn/T(p)/V/On/Kids[10 0 R]>>"}),
	}...)
}

func formXObject(text string) string {
	return form("", "/Tx BMC BT /F 24 Tf 12 20 Td ("+text+") Tj ET EMC")
}
