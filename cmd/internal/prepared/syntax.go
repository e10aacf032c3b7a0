package prepared

import "strings"

// syntax are unusual spellings of numbers, strings, names and words. Such a
// number moves the amount away or puts it on the page.
func syntax() []variant {
	var out []variant
	// The other amount is at 72, 720 if the number is 720, elsewhere if not.
	for _, n := range []struct{ name, text string }{
		{"two-signs", "--720"},
		{"three-signs", "---720"},
		{"plus-minus", "+-720"},
		{"minus-plus", "-+720"},
		{"sign-inside", "72-0"},
		{"sign-late", "720-"},
		{"sign-space", "- 720"},
		{"two-points", "720.0.5"},
		{"two-points-glued", "720..5"},
		{"point-sign", "720.-5"},
		{"points", "..720"},
		{"plus", "+720"},
		{"plus-point", "+.720"},
		{"point", "720."},
		{"only-point", "."},
		{"only-sign", "-"},
		{"exponent", "7.2e2"},
		{"exponent-upper", "72E1"},
		{"exponent-sign", "7200e-1"},
		{"hex", "0x2d0"},
		{"radix", "16#2d0"},
		{"radix-8", "8#1320"},
		{"octal", "01320"},
		{"comma", "720,0"},
		{"underscore", "7_20"},
		{"letter", "720a"},
		{"letter-before", "a720"},
		{"letter-o", "72O"},
		{"infinity", "inf"},
		{"nan", "nan"},
		{"32-bit", "4294968016"},
		{"31-bit", "2147484368"},
		{"64-bit", "18446744073709552336"},
		{"large", "720" + strings.Repeat("0", 40)},
		{"large-real", "1" + strings.Repeat("0", 40) + ".0"},
		{"small", "0." + strings.Repeat("0", 60) + "1"},
		{"digits", "720." + strings.Repeat("1", 60)},
		{"zeros", strings.Repeat("0", 60) + "720"},
		{"nul", "72\x000"},
		{"form-feed", "72\f0"},
		{"vertical-tab", "72\v0"},
		{"no-break", "72\xa00"},
		{"comment", "720%9\n"},
		{"comment-glued", "72%\r0"},
		{"true", "true"},
		{"null", "null"},
		{"reference", "4 0 R"},
		{"string", "(720)"},
		{"name", "/720"},
		{"array", "[720]"},
		{"braces", "{720}"},
		{"quote", "720'"},
		{"paren", "720)"},
		{"bracket", "720]"},
		{"angle", "720>"},
	} {
		out = append(out, variant{"number/" + n.name, doc{contents: honest + " q 1 0 0 1 0 " + n.text + " cm 1 g 60 -20 340 60 re f 0 g BT /F 24 Tf 72 0 Td (Pay 900 EUR) Tj ET Q"}.pdf()})
	}
	for _, n := range rowsOf("syntax") {
		out = append(out, variant{"string/" + n[0], doc{contents: "BT /F 24 Tf 72 720 Td " + n[1] + " Tj ET"}.pdf()})
	}
	return append(append(out, names()...), words()...)
}

// names are unusual spellings of the name of the form that covers the amount,
// in the contents and in the resources.
func names() []variant {
	var out []variant
	for _, n := range []struct{ name, key, use string }{
		{"escaped", "#58", "X"},
		{"escaped-use", "X", "#58"},
		{"escaped-lower", "#4a", "J"},
		{"escaped-twice", "#2358", "#58"},
		{"escaped-half", "X#5", "X#5"},
		{"escaped-half-use", "X5", "X#5"},
		{"escaped-bad", "X#zz", "X#zz"},
		{"escaped-nul", "X#00", "X"},
		{"escaped-nul-use", "X", "X#00"},
		{"nul", "X\x00", "X"},
		{"escaped-space", "X#20", "X"},
		{"escaped-slash", "X#2fY", "X/Y"},
		{"empty", "", ""},
		{"utf-8", "X\xc3\xa4", "X#c3#a4"},
		{"latin", "X\xe4", "X#e4"},
		{"case", "x", "X"},
		{"long", strings.Repeat("X", 200), strings.Repeat("X", 127)},
		{"long-same", strings.Repeat("X", 200), strings.Repeat("X", 200)},
		{"very-long", strings.Repeat("X", 5000), strings.Repeat("X", 5000)},
		{"punctuation", "X;$@-", "X;$@-"},
		{"braces", "X{}", "X"},
		{"backslash", "X\\130", "XX"},
		{"paren-escaped", "X#28", "X#28"},
		{"percent-escaped", "X#25", "X#25"},
		{"number", "7", "7"},
		{"dot", ".", "."},
		{"hash", "#", "#"},
	} {
		out = append(out, variant{"name/" + n.name, doc{resources: "/XObject<</" + n.key + " 10 0 R>>", contents: honest + " q 1 0 0 1 60 700 cm /" + n.use + " Do Q", more: objects{10: form("", overlay)}}.pdf()})
	}
	keys := func(name, page string) variant {
		return variant{"key/" + name, doc{more: objects{3: "<<" + page + ">>", 10: stream("", other)}}.pdf()}
	}
	const usual = "/Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F 5 0 R>>>>"
	return append(out,
		keys("escaped", usual+"/Cont#65nts 10 0 R"),
		keys("escaped-second", usual+"/Contents 4 0 R/Cont#65nts 10 0 R"),
		keys("escaped-first", usual+"/Cont#65nts 10 0 R/Contents 4 0 R"),
		keys("escaped-upper", usual+"/Contents 4 0 R/#43ontents 10 0 R"),
		keys("escaped-bad", usual+"/Contents#0 10 0 R/Contents 4 0 R"),
		keys("nul", usual+"/Contents 4 0 R/Contents#00 10 0 R"),
		keys("comment", usual+"/Contents%\n10 0 R"),
		keys("comment-in-reference", usual+"/Contents 10%\n0%\nR"),
		keys("no-value", usual+"/Contents/Contents 10 0 R"),
		keys("no-value-last", usual+"/Contents 10 0 R/A"),
		keys("odd", usual+"/A/B/C/Contents 10 0 R"),
		keys("number-between", usual+" 7 /Contents 10 0 R"),
		keys("reference-zeros", usual+"/Contents 00010 00 R"),
		keys("reference-sign", usual+"/Contents +10 0 R"),
		keys("reference-glued", usual+"/Contents 10 0R"),
		keys("reference-lower", usual+"/Contents 10 0 r"),
		keys("reference-lines", usual+"/Contents 10\n0\nR"),
		keys("reference-generation", usual+"/Contents 10 1 R"),
		keys("reference-negative", usual+"/Contents -10 0 R"),
		keys("string-key", usual+"(Contents) 10 0 R"),
		keys("null-second", usual+"/Contents 10 0 R/Contents null"),
		keys("true", usual+"/Contents true/Contents 10 0 R"),
		keys("unclosed", usual+"/Contents 10 0 R>>/A<<"),
		keys("bracket", usual+"/A]/Contents 10 0 R"),
		keys("angle", usual+"/A>/Contents 10 0 R"))
}

// words are operators that are joined to others or cut by unusual bytes; the
// contents after them cover the amount.
func words() []variant {
	of := func(name, text string) variant {
		return variant{"word/" + name, doc{contents: honest + " " + text}.pdf()}
	}
	return append(madeOf("words", makers{"of": of}), []variant{
		of("cr", strings.ReplaceAll(covered, " ", "\r")),
		of("operands-many", strings.Repeat("1 ", 600)+covered),
		of("long", strings.Repeat("a", 300)+" "+covered),
	}...)
}
