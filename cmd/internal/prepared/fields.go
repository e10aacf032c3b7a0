package prepared

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
	const drawn, anew = "/AP<</N 11 0 R>>", "/NeedAppearances true"
	return []variant{
		of("text/differs", "", "/FT/Tx/V(Pay 900 EUR)"+drawn, nil),
		of("text/differs-anew", anew, "/FT/Tx/V(Pay 900 EUR)"+drawn, nil),
		of("text/no-appearance", "", "/FT/Tx/V(Pay 900 EUR)", nil),
		of("text/no-appearance-anew", anew, "/FT/Tx/V(Pay 900 EUR)", nil),
		of("text/empty-appearance", "", "/FT/Tx/V(Pay 900 EUR)/AP<</N 14 0 R>>", nil),
		of("text/empty-appearance-anew", anew, "/FT/Tx/V(Pay 900 EUR)/AP<</N 14 0 R>>", nil),
		of("text/no-da", "/DA()", "/FT/Tx/V(Pay 900 EUR)", nil),
		of("text/da-font-missing", "", "/FT/Tx/DA(/Missing 24 Tf 0 g)/V(Pay 900 EUR)", nil),
		of("text/da-size-zero", "", "/FT/Tx/DA(/F 0 Tf 0 g)/V(Pay 900 EUR)", nil),
		of("text/da-white", "", "/FT/Tx/DA(/F 24 Tf 1 g)/V(Pay 900 EUR)", nil),
		of("text/da-contents", "", "/FT/Tx/DA(/F 24 Tf 3 Tr)/V(Pay 900 EUR)", nil),
		of("text/default-value", "", "/FT/Tx/DV(Pay 900 EUR)", nil),
		of("text/value-name", "", "/FT/Tx/V/Pay", nil),
		of("text/value-stream", "", "/FT/Tx/V 13 0 R", nil),
		of("text/value-number", "", "/FT/Tx/V 900", nil),
		of("text/rich", "", "/FT/Tx/Ff 33554432/V(Pay 100 EUR)/RV(<body><p>Pay 900 EUR</p></body>)", nil),
		of("text/rich-differs", anew, "/FT/Tx/Ff 33554432/V(Pay 900 EUR)/RV(<body><p>Pay 100 EUR</p></body>)"+drawn, nil),
		of("text/password", "", "/FT/Tx/Ff 8192/V(Pay 900 EUR)", nil),
		of("text/password-drawn", anew, "/FT/Tx/Ff 8192/V(Pay 900 EUR)"+drawn, nil),
		of("text/comb", "", "/FT/Tx/Ff 16777216/MaxLen 11/V(Pay 900 EUR)", nil),
		of("text/comb-short", "", "/FT/Tx/Ff 16777216/MaxLen 5/V(Pay 900 EUR)", nil),
		of("text/max-length", "", "/FT/Tx/MaxLen 5/V(Pay 900 EUR)", nil),
		of("text/lines", "", "/FT/Tx/Ff 4096/V(Pay\\r900 EUR)", nil),
		of("text/right", "", "/FT/Tx/Q 2/V(Pay 900 EUR)", nil),
		of("text/utf-16", "", "/FT/Tx/V<feff005000610079002000390030003000200045005500 52>", nil),
		of("text/border", "", "/FT/Tx/MK<</BG[1]/BC[0]>>/V(Pay 900 EUR)", nil),
		of("text/rotated", "", "/FT/Tx/MK<</R 180>>/V(Pay 900 EUR)", nil),
		of("text/inherited", "", "/Parent 20 0 R", objects{20: "<</FT/Tx/T(p)/V(Pay 900 EUR)/Kids[10 0 R]>>"}),
		of("text/inherited-differs", anew, "/Parent 20 0 R"+drawn, objects{20: "<</FT/Tx/T(p)/V(Pay 900 EUR)/Kids[10 0 R]>>"}),
		of("text/unlisted", "/Fields[]", "/FT/Tx/V(Pay 900 EUR)"+drawn, nil),
		of("text/unlisted-anew", "/Fields[]"+anew, "/FT/Tx/V(Pay 900 EUR)"+drawn, nil),
		of("text/hidden", anew, "/F 2/FT/Tx/V(Pay 900 EUR)", nil),
		of("text/anew-string", "/NeedAppearances(true)", "/FT/Tx/V(Pay 900 EUR)"+drawn, nil),
		of("text/anew-number", "/NeedAppearances 1", "/FT/Tx/V(Pay 900 EUR)"+drawn, nil),
		of("choice/differs", "", "/FT/Ch/Ff 131072/Opt[(Pay 100 EUR)(Pay 900 EUR)]/V(Pay 900 EUR)"+drawn, nil),
		of("choice/anew", anew, "/FT/Ch/Ff 131072/Opt[(Pay 100 EUR)(Pay 900 EUR)]/V(Pay 900 EUR)"+drawn, nil),
		of("choice/no-appearance", "", "/FT/Ch/Ff 131072/Opt[(Pay 100 EUR)(Pay 900 EUR)]/V(Pay 900 EUR)", nil),
		of("choice/export", "", "/FT/Ch/Ff 131072/Opt[[(Pay 100 EUR)(Pay 900 EUR)]]/V(Pay 100 EUR)", nil),
		of("choice/index", "", "/FT/Ch/Opt[(Pay 100 EUR)(Pay 900 EUR)]/I[1]/V(Pay 100 EUR)", nil),
		of("choice/list", "", "/FT/Ch/Opt[(Pay 100 EUR)(Pay 900 EUR)]/TI 1", nil),
		of("choice/not-an-option", "", "/FT/Ch/Ff 131072/Opt[(a)]/V(Pay 900 EUR)", nil),
		of("button/on", "", "/FT/Btn/V/On/AS/On/AP<</N<</On 12 0 R/Off 11 0 R>>>>", nil),
		of("button/differs", "", "/FT/Btn/V/On/AS/Off/AP<</N<</On 12 0 R/Off 11 0 R>>>>", nil),
		of("button/no-state", "", "/FT/Btn/V/On/AP<</N<</On 12 0 R/Off 11 0 R>>>>", nil),
		of("button/no-value", "", "/FT/Btn/AP<</N<</On 12 0 R/Off 11 0 R>>>>", nil),
		of("button/parent", "", "/Parent 20 0 R/AP<</N<</On 12 0 R/Off 11 0 R>>>>", objects{20: "<</FT/Btn/T(p)/V/On/Kids[10 0 R]>>"}),
		of("button/string", "", "/FT/Btn/V(On)/AS(On)/AP<</N<</On 12 0 R/Off 11 0 R>>>>", nil),
		of("button/default", "", "/FT/Btn/DV/On/AP<</N<</On 12 0 R/Off 11 0 R>>>>", nil),
		of("button/radio", "", "/FT/Btn/Ff 32768/V/Other/AS/On/AP<</N<</On 12 0 R/Off 11 0 R>>>>", nil),
		of("button/radio-no-off", "", "/FT/Btn/Ff 32768/V/On/AP<</N<</On 12 0 R>>>>", nil),
		of("button/push", "", "/FT/Btn/Ff 65536/MK<</CA(Pay 900 EUR)>>"+drawn, nil),
		of("button/push-no-appearance", "", "/FT/Btn/Ff 65536/MK<</CA(Pay 900 EUR)>>", nil),
		of("button/push-icon", "", "/FT/Btn/Ff 65536/MK<</I 12 0 R/TP 1>>", nil),
		of("button/check-no-appearance", "", "/FT/Btn/V/On/AS/On/MK<</CA(8)>>", nil),
		of("button/stream", "", "/FT/Btn/V/On/AS/On/AP<</N 11 0 R>>", nil),
		of("signature/differs", "", "/FT/Sig"+drawn, nil),
		of("signature/none", "", "/FT/Sig", nil),
		of("signature/flags", "/SigFlags 3", "/FT/Sig"+drawn, nil),
		of("kind/none", "", "/V(Pay 900 EUR)"+drawn, nil),
		of("kind/unknown", anew, "/FT/Acme/V(Pay 900 EUR)"+drawn, nil),
		of("kind/string", anew, "/FT(Tx)/V(Pay 900 EUR)"+drawn, nil),
		of("kind/barcode", "", "/FT/Tx/PMD<</Symbology/QRCode>>/V(Pay 900 EUR)"+drawn, nil),
	}
}

func formXObject(text string) string {
	return form("", "/Tx BMC BT /F 24 Tf 12 20 Td ("+text+") Tj ET EMC")
}
